//! Which sessions are listed.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::fake::*;
use super::world::*;
use crate::support::process::{CEILING, assert_within, at_once};

fn sources(answer: &Value) -> Vec<(String, String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let all = answer["sources"].as_array().unwrap().iter().filter(|source| source["harness"] == "codex");
    all.map(|source| (text(&source["source"]), text(&source["status"]), text(&source["error"]))).collect()
}

#[test]
fn discovery_lists_what_could_be_registered() {
    let world = World::with_peer(&[]);
    let row = |id: &str, source: &str, archived: u8, by: &str| {
        format!("'{id}','{source}','{}',{archived},'{by}'", world.at("ws").display())
    };
    let saved = "01a228ac-0000-7e62-8f5a-f369cc0e706b";
    let fresh = "01a228ac-1111-7e62-8f5a-f369cc0e706b";
    let ghost = "01a228ac-2222-7e62-8f5a-f369cc0e706b";
    world.state(
        "home/.codex",
        &[
            &world.row("vscode", 0, "user"),
            &row(saved, "cli", 0, "user"),
            &row("01a228ac-3333-7e62-8f5a-f369cc0e706b", "cli", 1, "user"),
            &row("01a228ac-4444-7e62-8f5a-f369cc0e706b", "exec", 0, "user"),
            &row("01a228ac-5555-7e62-8f5a-f369cc0e706b", "vscode", 0, "thread_title"),
            &format!("'01a228ac-6666-7e62-8f5a-f369cc0e706b','cli','{}',0,'user'", world.at("gone").display()),
        ],
    );
    let server = world.serve(move |facts, request| {
        let mut described = thread(facts, json!({"type": "idle"}));
        match (request["method"].as_str().unwrap(), request["params"]["threadId"].as_str().unwrap_or_default()) {
            ("thread/loaded/list", _) => {
                let more = request["params"]["cursor"].is_null();
                let page = if more { json!([THREAD, ghost]) } else { json!([fresh]) };
                return vec![Act::Result(
                    json!({"data": page, "nextCursor": if more { json!("next") } else { json!(null) }}),
                )];
            }
            ("thread/read", id) if id == ghost => {
                described["ephemeral"] = true.into();
                described["threadSource"] = "thread_title".into();
                described["id"] = id.into();
            }
            // A terminal without a prompt yet: loaded, and nowhere else.
            ("thread/read", id) if id == fresh => described["id"] = id.into(),
            _ => return well(facts, request),
        }
        vec![Act::Result(json!({"thread": described}))]
    });
    let answer = world.done(&["peer", "discover", "--harness", "codex"]);
    let found: Vec<(&str, &str, &str)> = answer["sessions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|session| ["session_id", "runtime_status", "source"].map(|key| session[key].as_str().unwrap()).into())
        .collect();
    assert_eq!(
        found,
        [
            (saved, "not_loaded", "state_database"),
            (fresh, "idle", "control_socket"),
            (THREAD, "idle", "control_socket")
        ]
    );
    let mut told = sources(&answer);
    told.sort();
    assert_eq!(
        told,
        [("control_socket", "ok", ""), ("state_database", "ok", "")].map(|(a, b, c)| (a.into(), b.into(), c.into()))
    );
    assert!(server.methods().iter().all(|method| !method.contains("queue") && !method.contains("resume")));
}

#[test]
fn a_list_that_does_not_end_is_partial() {
    let world = World::with_peer(&[]);
    let _server = world
        .serve(but("thread/loaded/list", |_, _| vec![Act::Result(json!({ "data": [THREAD], "nextCursor": "more" }))]));
    let told = sources(&world.done(&["peer", "discover", "--harness", "codex"]));
    assert!(told.contains(&("control_socket".into(), "partial".into(), "codex_list_incomplete".into())), "{told:?}");
}

#[test]
fn a_slow_source_hides_no_other() {
    let world = World::with_peer(&[]);
    world.known();
    let _slow = world.serve(but("thread/read", |_, _| vec![Act::Wait(CEILING)]));
    let named = Server::start(&world.at("named.sock"), world.facts(), well);
    let start = Instant::now();
    let answer = world.done(&["peer", "discover", "--harness", "codex", "--codex-socket", "ROOT/named.sock"]);
    assert_within(Duration::from_millis(4_500), start);
    let told = sources(&answer);
    assert!(told.contains(&("control_socket".into(), "partial".into(), "codex_app_server_unusable:timed_out".into())));
    assert!(told.contains(&("named_socket".into(), "ok".into(), String::new())), "{told:?}");
    assert!(named.methods().contains(&"thread/read".into()));
    let session = &answer["sessions"][0];
    assert_eq!(session["socket"].as_str(), world.at("named.sock").to_str(), "{answer}");
}

#[test]
fn without_codex_discovery_is_quick() {
    let world = World::new();
    fs::remove_dir_all(world.at("home/.codex")).unwrap();
    let answer = at_once(|| world.run(&["peer", "discover", "--harness", "codex"])).ended(2);
    assert_eq!(answer["sessions"].as_array().map(Vec::len), Some(0), "{answer}");
    let mut told = sources(&answer);
    told.sort();
    let blind = [("control_socket", "codex_app_server_not_running"), ("state_database", "codex_state_not_found")];
    assert_eq!(told, blind.map(|(source, error)| (source.into(), "unavailable".into(), error.into())), "{answer}");
    assert!(!world.at("home/.codex").exists() && !world.at("mail.sqlite3").exists());
}
