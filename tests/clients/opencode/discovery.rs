//! Which sessions are listed, and that looking for them starts nothing.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::fake::{Answer, Fake, Make, Server, session};
use super::setting::LONG;
use crate::support::process::{assert_within, at_once};
use crate::support::shell::Shell;
use crate::support::{Ran, Sandbox};

fn discover(sandbox: &Sandbox, urls: &[&str]) -> Ran {
    let mut words = vec!["peer", "discover", "--harness", "opencode"];
    urls.iter().for_each(|url| words.extend(["--opencode-url", url]));
    sandbox.htalk(&words)
}

/// The source at this URL, and the ids that it lists.
fn at(found: &Value, url: &str) -> (Value, Vec<String>) {
    let of_url = |list: &Value| -> Vec<Value> {
        list.as_array().unwrap().iter().filter(|item| item["url"] == url).cloned().collect()
    };
    let ids = of_url(&found["sessions"]).iter().map(|item| item["session_id"].as_str().unwrap().to_owned()).collect();
    (of_url(&found["sources"])[0].clone(), ids)
}

fn many(sandbox: &Sandbox, count: usize) -> Vec<Value> {
    let directory = sandbox.root().to_str().unwrap();
    (0..count).map(|n| session(&format!("ses_{n:04}"), directory)).collect()
}

#[test]
fn all_sessions_are_found_and_nothing_is_started() {
    let sandbox = Sandbox::new();
    let mut sessions = many(&sandbox, 120);
    sessions[0]["time"]["archived"] = json!(1795986522832_u64);
    sessions[1]["parentID"] = json!("ses_0002");
    sessions[3]["directory"] = json!("/nonexistent-directory");
    sessions[4]["id"] = json!("not an id");
    let server = Server::with(sessions);
    // A server that ends a page before the limit is followed by its cursor.
    for heeds_limit in [true, false] {
        let server = Server { heeds_limit, ..server.clone() };
        let fake = Fake::new(move |request| server.answer(request));
        let found = discover(&sandbox, &[fake.url()]).done();
        let (source, ids) = at(&found, fake.url());
        assert_eq!(ids.len(), 116);
        assert_eq!((&ids[0], &ids[115]), (&"ses_0002".to_owned(), &"ses_0119".to_owned()));
        assert_eq!(
            (&source["status"], &source["rejected"], &source["error"]),
            (&json!("partial"), &json!(1), &Value::Null)
        );
        for request in fake.seen() {
            let is_quiet = request.path().starts_with("/global/") || request.path().starts_with("/api/");
            assert!(request.method == "GET" && is_quiet, "{request:?}");
        }
        let first = &found["sessions"][0];
        assert_eq!(first["harness"], "opencode");
        assert_eq!(first["workspace"], sandbox.root().to_str().unwrap());
        assert_eq!(first["runtime_status"], "unknown");
    }
}

#[test]
fn an_older_server_is_asked_for_its_own_list() {
    let sandbox = Sandbox::new();
    let mut server = Server { version: "1.0.115", ..Server::with(many(&sandbox, 120)) };
    server.sessions[7]["parentID"] = json!("ses_0000");
    server.statuses = json!({"ses_0000": {"type": "busy"}});
    let heeding = server.clone();
    let fake = Fake::new(move |request| heeding.answer(request));
    let found = discover(&sandbox, &[fake.url()]).done();
    let (source, ids) = at(&found, fake.url());
    assert_eq!((ids.len(), &source["status"]), (119, &json!("ok")));
    assert_eq!(found["sessions"][0]["runtime_status"], "busy");
    assert_eq!(found["sessions"][1]["runtime_status"], "idle");
    assert!(!fake.seen().iter().any(|request| request.path().starts_with("/api/")));

    server.heeds_limit = false;
    let fake = Fake::new(move |request| server.answer(request));
    let (source, ids) = at(&discover(&sandbox, &[fake.url()]).done(), fake.url());
    assert_eq!(ids.len(), 100);
    assert_eq!((&source["status"], &source["error"]), (&json!("partial"), &json!("opencode_list_incomplete")));
}

#[test]
fn newer_routes_that_do_not_work_are_done_without() {
    let answers: [Make; 4] = [
        || Answer::Empty(404),
        || Answer::Json(200, json!({"unknown": true})),
        || Answer::HalfClose,
        || Answer::Stall(Vec::new()),
    ];
    for answer in answers {
        let sandbox = Sandbox::new();
        let server = Server::with(many(&sandbox, 3));
        let fake = Fake::new(move |request| match request.path() {
            "/api/session" => answer(),
            _ => server.answer(request),
        });
        let (source, ids) = at(&discover(&sandbox, &[fake.url()]).done(), fake.url());
        assert_eq!((ids.len(), &source["status"]), (3, &json!("ok")));
    }
}

#[test]
fn a_later_page_that_fails_makes_the_list_partial() {
    let sandbox = Sandbox::new();
    let server = Server { heeds_limit: false, ..Server::with(many(&sandbox, 120)) };
    let fake = Fake::new(move |request| match request.query("cursor") {
        Some("100") => Answer::Empty(500),
        _ => server.answer(request),
    });
    let (source, ids) = at(&discover(&sandbox, &[fake.url()]).done(), fake.url());
    assert_eq!((ids.len(), &source["status"]), (100, &json!("partial")));
    assert!(source["detail"].as_str().unwrap().contains("opencode_server_error:500"));
}

#[test]
fn a_bad_source_hides_no_other() {
    let sandbox = Sandbox::new();
    let server = Server::with(many(&sandbox, 1));
    let good = Fake::new(move |request| server.answer(request));
    let slow = Fake::new(|_| Answer::Stall(Vec::new()));
    let drip = Fake::new(|_| Answer::Drip(LONG.to_vec()));
    let huge = Fake::new(|_| Answer::Endless(b"HTTP/1.1 200 OK\r\n\r\n".to_vec()));
    let other = Fake::new(|_| Answer::Raw(b"HTTP/1.1 200 OK\r\n\r\n<!doctype html>".to_vec()));
    let closed = Server { credentials: Some("eDp5"), ..Server::with(Vec::new()) };
    let closed = Fake::new(move |request| closed.answer(request));
    let start = Instant::now();
    let urls = [slow.url(), drip.url(), huge.url(), other.url(), closed.url(), good.url(), good.url()];
    let found = discover(&sandbox, &urls).done();
    assert_within(Duration::from_millis(4_500), start);
    for (url, status, error) in [
        (slow.url(), "unavailable", json!("opencode_timed_out")),
        (drip.url(), "unavailable", json!("opencode_timed_out")),
        (huge.url(), "unavailable", json!("opencode_answer_too_large")),
        (other.url(), "unavailable", json!("opencode_invalid_answer")),
        (closed.url(), "unavailable", json!("opencode_unauthorized")),
        (good.url(), "ok", Value::Null),
    ] {
        let (source, _) = at(&found, url);
        assert_eq!((&source["status"], &source["error"]), (&json!(status), &error), "{url}");
    }
    assert_eq!(at(&found, good.url()).1, ["ses_0000"], "one that is named twice is asked once");
}

#[test]
fn records_that_are_not_understood_make_a_list_partial() {
    let sandbox = Sandbox::new();
    for version in ["1.0.115", "1.18.33"] {
        let list = vec![json!({"id": "bad_id"}), json!("x")];
        let fake = Fake::new(move |request| match request.path() {
            "/global/health" => Answer::Json(200, json!({"healthy": true, "version": version})),
            "/api/session" => Answer::Json(200, json!({"data": list, "cursor": {}})),
            "/session" => Answer::Json(200, json!(list)),
            _ => Answer::Json(200, json!({})),
        });
        let (source, ids) = at(&discover(&sandbox, &[fake.url()]).done(), fake.url());
        assert_eq!((&source["status"], &source["rejected"]), (&json!("partial"), &json!(2)), "{version}: {source}");
        assert!(ids.is_empty());
    }
}

/// Makes OpenCode's database of this sandbox, as 1.18.33 has it where `columns` has all.
fn saved(sandbox: &Sandbox, columns: &str, rows: &[String]) -> PathBuf {
    let directory = sandbox.root().join(".local/share/opencode");
    fs::create_dir_all(&directory).unwrap();
    let file = directory.join("opencode.db");
    let rows: String = rows.iter().map(|row| format!("INSERT INTO session VALUES ({row});")).collect();
    sandbox.sqlite_on(&file, &format!("CREATE TABLE session ({columns});{rows}")).text();
    file
}

/// The source of the database, and the ids that it lists.
fn in_database(found: &Value) -> (Value, Vec<&str>) {
    let is_of_it = |item: &&Value| item["source"] == "opencode_database";
    let sessions = found["sessions"].as_array().unwrap().iter().filter(is_of_it);
    let source = found["sources"].as_array().unwrap().iter().find(is_of_it).unwrap().clone();
    (source, sessions.map(|session| session["session_id"].as_str().unwrap()).collect())
}

const COLUMNS: &str = "id, directory, title, parent_id, time_archived, time_updated";

#[test]
fn sessions_that_only_the_database_knows_are_listed_as_not_loaded() {
    let sandbox = Sandbox::new();
    let here = sandbox.root().to_str().unwrap().to_owned();
    let row = |id: &str, directory: &str, rest: &str| format!("'{id}', '{directory}', 'a title', {rest}");
    let file = saved(
        &sandbox,
        COLUMNS,
        &[
            row("ses_loaded", &here, "NULL, NULL, 9"),
            row("ses_saved", &here, "NULL, NULL, 8"),
            row("ses_child", &here, "'ses_saved', NULL, 7"),
            row("ses_archived", &here, "NULL, 1795986522832, 6"),
            row("ses_gone", "/nonexistent-directory", "NULL, NULL, 5"),
        ],
    );
    let server = Server::with(vec![session("ses_loaded", &here)]);
    let fake = Fake::new(move |request| server.answer(request));
    let found = discover(&sandbox, &[fake.url()]).done();
    assert_eq!(at(&found, fake.url()).1, ["ses_loaded"]);
    let (source, ids) = in_database(&found);
    assert_eq!((source["status"].as_str(), &source["path"]), (Some("ok"), &json!(file)), "{source}");
    assert_eq!(ids, ["ses_saved"]);
    let listed = &found["sessions"].as_array().unwrap()[1];
    assert_eq!(listed["runtime_status"], "not_loaded");
    let command = listed["peer_add"].as_str().unwrap().replace("htalk ", "");
    sandbox.sh(&format!("htalk {command}")).done();

    // While a server has it open, most of it is in the -wal; nothing that lies there is touched.
    let mut owner = Shell::open(&sandbox, &file);
    let late = row("ses_late", &here, "NULL, NULL, 10");
    owner.tell(&format!("PRAGMA journal_mode = wal; INSERT INTO session VALUES ({late}), ('bad', 'x', 1, 1, 1, 1);"));
    assert!(file.with_extension("db-wal").exists());
    // A reader leaves its mark in the -shm.
    let sums = || sandbox.sh("cksum .local/share/opencode/*.db .local/share/opencode/*-wal").text().to_owned();
    let before = sums();
    let found = discover(&sandbox, &[fake.url()]).done();
    assert_eq!(sums(), before);
    let (source, ids) = in_database(&found);
    assert_eq!(ids, ["ses_late", "ses_saved"]);
    assert_eq!((&source["status"], &source["rejected"]), (&json!("partial"), &json!(1)));
    // Closed, it is read without side files, and none is left behind.
    owner.tell("PRAGMA journal_mode = delete; PRAGMA journal_mode = wal;");
    drop(owner);
    sandbox.sqlite_on(&file, "PRAGMA wal_checkpoint(truncate);").text();
    let before = sandbox.snapshot();
    assert_eq!(in_database(&discover(&sandbox, &[fake.url()]).done()).1, ["ses_late", "ses_saved"]);
    assert_eq!(sandbox.snapshot(), before);
}

#[test]
fn a_database_that_says_nothing_is_named_with_its_reason() {
    let sandbox = Sandbox::new();
    let here = sandbox.root().to_str().unwrap().to_owned();
    let told = |sandbox: &Sandbox| {
        let ran = discover(sandbox, &["http://127.0.0.1:1"]);
        let object = ran.json();
        let (source, ids) = in_database(&object);
        let text = |key: &str| source[key].as_str().unwrap_or_default().to_owned();
        (text("status"), text("error"), ids.len(), ran.code)
    };
    let refused = |error: &str| ("unavailable".to_owned(), error.to_owned(), 0, 2);
    assert_eq!(told(&sandbox), refused("opencode_state_not_found"));
    // An older layout has neither parents nor archives.
    let file = saved(&sandbox, "id, directory", &[format!("'ses_1', '{here}'")]);
    assert_eq!(told(&sandbox), ("ok".to_owned(), String::new(), 1, 0));
    fs::remove_file(&file).unwrap();
    saved(&sandbox, "id, place", &[]);
    assert_eq!(told(&sandbox), refused("opencode_state_layout_unknown"));
    fs::write(&file, "no database, but longer than the head of one is, for it is a text of some hundred bytes")
        .unwrap();
    assert_eq!(told(&sandbox), refused("opencode_state_unreadable"));
}

#[test]
fn named_servers_are_asked_and_not_the_usual_one_besides() {
    let sandbox = Sandbox::new();
    let urls = |ran: Ran| -> Vec<Value> {
        let sources = ran.json()["sources"].as_array().unwrap().clone();
        sources.into_iter().filter(|source| source.get("url").is_some()).map(|source| source["url"].clone()).collect()
    };
    assert_eq!(
        urls(discover(&sandbox, &["http://127.0.0.1:1/", "http://localhost:01"])),
        ["http://127.0.0.1:1", "http://localhost:1"]
    );
    assert_eq!(urls(discover(&sandbox, &[])), ["http://127.0.0.1:4096"]);
}

#[test]
fn nothing_installed_is_known_at_once() {
    let sandbox = Sandbox::new();
    let ran = at_once(|| discover(&sandbox, &["http://127.0.0.1:1", "http://[::1]:1"]));
    let (source, ids) = at(&ran.json(), "http://127.0.0.1:1");
    assert_eq!((&source["status"], &source["error"]), (&json!("unavailable"), &json!("opencode_server_unreachable")));
    assert!(ids.is_empty());
    discover(&sandbox, &["http://127.attacker.example"]).refused("opencode_url_must_be_loopback");
    discover(&sandbox, &["http://127.0.0.1/?x"]).refused("invalid_opencode_url");
}
