//! Which sessions are listed, and that looking for them starts nothing.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::fake::{Answer, Fake, Make, Server, session};
use super::setting::LONG;
use crate::support::process::{assert_within, at_once};
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
        assert_eq!((&source["status"], &source["rejected"], &source["error"]), (&json!("ok"), &json!(1), &Value::Null));
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
fn nothing_installed_is_known_at_once() {
    let sandbox = Sandbox::new();
    let ran = at_once(|| discover(&sandbox, &["http://127.0.0.1:1", "http://[::1]:1"]));
    let (source, ids) = at(&ran.json(), "http://127.0.0.1:1");
    assert_eq!((&source["status"], &source["error"]), (&json!("unavailable"), &json!("opencode_server_unreachable")));
    assert!(ids.is_empty());
    discover(&sandbox, &["http://127.attacker.example"]).refused("opencode_url_must_be_loopback");
    discover(&sandbox, &["http://127.0.0.1/?x"]).refused("invalid_opencode_url");
}
