//! Which OpenCode sessions could be registered: those of its servers, and those that only its database knows.
//!
//! Every answer of a server comes from routes under `/global/` and `/api/`: on OpenCode 1.18.33 any other one boots an
//! instance for a directory (its log says `creating instance`), and discovery must not start anything. Only a server
//! that does not have them is asked for `/session`.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::http::{Failure, Server, escape};
use super::saved;
use super::session::{LeftOut, object, run_state};
use crate::clients::{Found, Refusal, Search, USUAL_SERVER, server_url};
use crate::environment::Environment;
use crate::platform::threads::{Job, side_by_side};

/// The time for one server, all calls together; below the 4 s that a discovery may take.
const LIMIT: Duration = Duration::from_millis(3700);

/// The time for the newer routes, so that a server which hangs on them leaves time for the older one.
const NEWER_LIMIT: Duration = Duration::from_millis(3000);

/// The sessions asked for at once, and the most that are taken from one server.
const PAGE: usize = 500;
const MOST: usize = 10_000;

/// The sessions of the named servers, or of the usual one where none is named, all asked at the same time; then the
/// saved ones. Where several list one session, the first counts.
pub fn discover(environment: &Environment, search: &Search) -> Vec<Found> {
    let mut urls: Vec<String> = Vec::new();
    for url in &search.opencode_urls {
        let url = server_url(url).unwrap_or_else(|_| url.to_owned());
        if !urls.contains(&url) {
            urls.push(url);
        }
    }
    if urls.is_empty() {
        urls.push(USUAL_SERVER.to_owned());
    }
    let jobs = urls.iter().map(|url| Box::new(|| look(environment, url)) as Job<Found>);
    let mut found = side_by_side(jobs.collect());
    found.push(saved::discover(environment));
    found
}

/// What one server lists.
struct List {
    source: &'static str,
    items: Vec<Value>,
    /// Why there may be more.
    incomplete: Option<String>,
    /// The run states, where asking for them starts nothing that the list did not start already.
    statuses: Option<Value>,
}

fn look(environment: &Environment, url: &str) -> Found {
    let deadline = Instant::now() + LIMIT;
    let listed = Server::new(environment, url).and_then(|server| {
        let health = server.get("/global/health", deadline).map_err(|failure| failure.refusal)?;
        let version = health["version"].as_str().filter(|_| health["healthy"] == true);
        let version = version.ok_or_else(|| Refusal::new("opencode_invalid_answer"))?;
        let newer = Instant::now() + NEWER_LIMIT;
        // An older server hands a route that it does not know on to the web, so it is not asked for one.
        let list = if has_newer_routes(version) { all_sessions(&server, newer.min(deadline)) } else { None };
        let list = match list {
            Some(list) => list,
            None => own_sessions(&server, deadline).map_err(|failure| failure.refusal)?,
        };
        Ok((version.to_owned(), list))
    });
    match listed {
        Ok((version, list)) => found(url, &version, &list),
        Err(refusal) => failed(url, &refusal),
    }
}

/// Whether a version has the routes under `/api/session`; 1.18 is the oldest on which they were seen.
fn has_newer_routes(version: &str) -> bool {
    let mut numbers = version.split('.').map_while(|word| word.parse::<u32>().ok());
    (numbers.next(), numbers.next()) >= (Some(1), Some(18))
}

/// The sessions of every directory, page by page; none where the server does not answer in the known form.
fn all_sessions(server: &Server, deadline: Instant) -> Option<List> {
    let mut items: Vec<Value> = Vec::new();
    let mut seen: HashSet<String> = HashSet::new();
    let mut path = format!("/api/session?limit={PAGE}&order=desc");
    let incomplete = loop {
        let page = match server.get(&path, deadline) {
            Ok(page) => page,
            Err(_) if items.is_empty() => return None,
            Err(Failure { refusal, .. }) => break Some(format!("a later page failed: {}", refusal.code)),
        };
        let Some(data) = page["data"].as_array() else {
            if items.is_empty() {
                return None;
            }
            break Some("a later page was not understood".to_owned());
        };
        let before = items.len();
        // A session that is used between two pages moves and may come twice.
        items.extend(
            data.iter().filter(|item| item["id"].as_str().is_none_or(|id| seen.insert(id.to_owned()))).cloned(),
        );
        match page["cursor"]["next"].as_str() {
            Some(_) if items.len() >= MOST => break Some(format!("only the newest {MOST} were read")),
            Some(next) if items.len() > before => {
                path = format!("/api/session?limit={PAGE}&order=desc&cursor={}", escape(next.as_bytes()));
            }
            _ => break None,
        }
    };
    Some(List { source: "opencode_sessions", items, incomplete, statuses: None })
}

/// The sessions that an older server lists: those of the directory, or the project, in which it was started.
fn own_sessions(server: &Server, deadline: Instant) -> Result<List, Failure> {
    const NOT_A_LIST: &str = "opencode_invalid_answer";
    let ask = |limit: usize| match server.get(&format!("/session?roots=true&limit={limit}"), deadline)? {
        Value::Array(items) => Ok(items),
        _ => Err(Failure { written: true, refusal: Refusal::new(NOT_A_LIST) }),
    };
    let items = ask(MOST)?;
    // Without a limit, exactly 100 come back (seen on OpenCode 1.18.33): does this server heed one?
    let is_cut = items.len() >= MOST || (items.len() == 100 && ask(1).is_ok_and(|few| few.len() != 1));
    let incomplete = is_cut.then(|| "the server ends its list there".to_owned());
    let statuses = server.get("/session/status", deadline).ok();
    Ok(List { source: "opencode_server_sessions", items, incomplete, statuses })
}

fn found(url: &str, version: &str, list: &List) -> Found {
    let mut left_out = LeftOut::default();
    let mut sessions = Vec::new();
    for item in &list.items {
        let Some((session, workspace)) = left_out.or_listed(item) else { continue };
        let state = match &list.statuses {
            Some(statuses) => run_state(statuses, session.id).unwrap_or("unknown"),
            None => "unknown",
        };
        sessions.push(object(json!({
            "harness": "opencode", "session_id": session.id, "workspace": workspace, "runtime_status": state,
            "source": list.source, "home": null, "socket": null, "url": url,
        })));
    }
    let mut words = vec![format!("OpenCode {version}: {} listed", list.items.len())];
    words.extend(left_out.words());
    if list.statuses.is_none() {
        words.push("run states not asked for, since asking boots a directory's instance".to_owned());
    }
    words.extend(list.incomplete.clone());
    let status = if list.incomplete.is_some() || left_out.rejected > 0 { "partial" } else { "ok" };
    let error = list.incomplete.as_ref().map(|_| "opencode_list_incomplete");
    let source = object(json!({
        "harness": "opencode", "source": list.source, "status": status, "rejected": left_out.rejected, "error": error,
        "detail": words.join("; "), "url": url,
    }));
    Found { source, sessions }
}

fn failed(url: &str, refusal: &Refusal) -> Found {
    let code = match refusal.code.as_str() {
        // There is no recipient yet.
        "recipient_unavailable" => "opencode_server_unreachable",
        code => code,
    };
    let source = object(json!({
        "harness": "opencode", "source": "opencode_sessions", "status": "unavailable", "rejected": 0, "error": code,
        "detail": refusal.detail, "url": url,
    }));
    Found { source, sessions: Vec::new() }
}
