//! The sessions of Codex that could be registered: from the state database, the control socket and named sockets.
//! Nothing is started and no thread is loaded: `thread/read` only reads (seen on Codex 0.171.0).

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Map, Value};

use super::super::{Found, Refusal, Search};
use super::app_server::AppServer;
use super::home;
use super::locks;
use super::socket::{self, Unusable};
use super::state::{self, Thread};
use crate::environment::Environment;
use crate::platform::threads::{Job, side_by_side};

/// Time for one server, all its threads read.
const LIMIT: Duration = Duration::from_millis(3000);

/// All sources side by side, so that a slow one does not hold up the others; a session that several know is listed by
/// the first of: control socket, named sockets, database.
pub fn all(environment: &Environment, search: &Search) -> Vec<Found> {
    let home = match home::home(environment, None) {
        Ok(home) => home,
        Err(refusal) => return vec![unavailable("state_database", &refusal, Map::new())],
    };
    let control = super::control_socket(&home);
    let mut jobs: Vec<Job<Vec<Found>>> =
        vec![Box::new(|| vec![server(environment, "control_socket", &control, false, &home)])];
    for socket in &search.codex_sockets {
        let home = &home;
        jobs.push(Box::new(move || vec![server(environment, "named_socket", socket, true, home)]));
    }
    jobs.push(Box::new(|| databases(environment, &home)));
    let mut servers: Vec<Found> = side_by_side(jobs).into_iter().flatten().collect();
    let mut seen = HashSet::new();
    for found in &mut servers {
        found.sessions.retain(|session| seen.insert(session["session_id"].clone()));
    }
    servers
}

/// One source for each database that is there; one that says so where there is none.
fn databases(environment: &Environment, home: &Path) -> Vec<Found> {
    let places = match home::places(environment, home, false, None) {
        Ok(places) => places,
        Err(refusal) => return vec![unavailable("state_database", &refusal, place("path", &home.join("config.toml")))],
    };
    let there: Vec<PathBuf> = places.iter().filter_map(|place| state::database(&place.directory)).collect();
    if there.is_empty() {
        let refusal = Refusal::new("codex_state_not_found");
        return vec![unavailable("state_database", &refusal, place("path", &places[0].directory))];
    }
    there.iter().map(|path| database(environment, home, path)).collect()
}

fn database(environment: &Environment, home: &Path, path: &Path) -> Found {
    let (threads, rejected, is_cut) = match state::threads(path) {
        Ok(found) => found,
        Err(refusal) => return unavailable("state_database", &refusal, place("path", path)),
    };
    let sessions = threads
        .iter()
        .map(|thread| {
            let status = locks::runtime_status(home, &thread.id);
            session(environment, thread, status, "state_database", home, None)
        })
        .collect();
    let detail = is_cut.then(|| format!("only the youngest {} threads were looked at", state::LISTED));
    let error = is_cut.then(|| "codex_list_incomplete".to_owned());
    Found { source: source("state_database", rejected, error, detail, place("path", path)), sessions }
}

fn server(environment: &Environment, name: &str, path: &Path, is_named: bool, home: &Path) -> Found {
    let address = place("socket", path);
    let until = Instant::now() + LIMIT;
    let mut server = match socket::open(path, LIMIT) {
        Ok(wire) => match AppServer::initialize(wire) {
            Ok(server) => server,
            Err(failure) => return unavailable(name, &super::before_write(&failure, ""), address),
        },
        Err(Unusable::Missing | Unusable::Deserted) if !is_named => {
            return unavailable(name, &Refusal::new("codex_app_server_not_running"), address);
        }
        Err(unusable) => return unavailable(name, &super::closed_door(environment, &unusable, path), address),
    };
    server.allow(until.saturating_duration_since(Instant::now()));
    let (ids, is_all) = match server.loaded() {
        Ok(found) => found,
        Err(failure) => return unavailable(name, &super::before_write(&failure, ""), address),
    };
    let its_home = server.home.clone().unwrap_or_else(|| home.to_path_buf());
    let named = is_named.then_some(path);
    let mut sessions = Vec::new();
    let (mut helpers, mut rejected) = (0, 0);
    let mut error = (!is_all).then(|| "codex_list_incomplete".to_owned());
    for id in &ids {
        match server.read(id) {
            Ok(read) if read.thread.is_listed() && read.thread.id.eq_ignore_ascii_case(id) => {
                sessions.push(session(environment, &read.thread, read.status, name, &its_home, named));
            }
            Ok(read) if read.thread.id.eq_ignore_ascii_case(id) => helpers += 1,
            Ok(_) => rejected += 1,
            // One that was unloaded since the list was made.
            Err(failure) if failure.words().is_some() => rejected += 1,
            Err(failure) => {
                error = Some(super::before_write(&failure, id).code);
                break;
            }
        }
    }
    let read = sessions.len() + helpers + rejected;
    let detail = match (&error, helpers) {
        (Some(_), _) => Some(format!("{read} of {} loaded threads were read", ids.len())),
        (None, 0) => None,
        (None, _) => Some(format!("{helpers} loaded threads that nobody could register left out")),
    };
    Found { source: source(name, rejected, error, detail, address), sessions }
}

fn session(
    environment: &Environment,
    thread: &Thread,
    status: &str,
    name: &str,
    home: &Path,
    socket: Option<&Path>,
) -> Map<String, Value> {
    let is_usual = home::usual(environment).is_some_and(|usual| state::resolved(&usual) == state::resolved(home));
    let text = |path: &Path| Value::from(path.display().to_string());
    Map::from_iter([
        ("harness".into(), "codex".into()),
        ("session_id".into(), thread.id.to_ascii_lowercase().into()),
        ("workspace".into(), text(&state::resolved(&thread.workspace))),
        ("runtime_status".into(), status.into()),
        ("source".into(), name.into()),
        ("home".into(), if is_usual { Value::Null } else { text(home) }),
        ("socket".into(), socket.map_or(Value::Null, text)),
    ])
}

fn place(key: &str, path: &Path) -> Map<String, Value> {
    Map::from_iter([(key.to_owned(), path.display().to_string().into())])
}

fn unavailable(name: &str, refusal: &Refusal, place: Map<String, Value>) -> Found {
    let mut source = source(name, 0, Some(refusal.code.clone()), refusal.detail.clone(), place);
    source.insert("status".into(), "unavailable".into());
    Found { source, sessions: Vec::new() }
}

/// A source that answered: `partial` where it may have more than was understood.
fn source(
    name: &str,
    rejected: usize,
    error: Option<String>,
    detail: Option<String>,
    place: Map<String, Value>,
) -> Map<String, Value> {
    let status = if error.is_none() && rejected == 0 { "ok" } else { "partial" };
    let mut source = Map::from_iter([
        ("harness".into(), "codex".into()),
        ("source".into(), name.into()),
        ("status".into(), status.into()),
        ("rejected".into(), rejected.into()),
        ("error".into(), error.into()),
        ("detail".into(), detail.into()),
    ]);
    source.extend(place);
    source
}
