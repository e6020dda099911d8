//! Registering, listing, retiring and restoring peers.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::support::{Sandbox, keys};

const SESSION: &str = "0199f1a2-b3c4-4d5e-8f60-718293a4b5c6";
const KEYS: [&str; 9] =
    ["name", "harness", "delivery", "session_id", "workspace", "home", "socket", "url", "retired_at"];

/// Runs `peer add` with words that hold no blanks.
fn add(sandbox: &Sandbox, words: &str) -> crate::support::Ran {
    let words: Vec<&str> = ["peer", "add"].into_iter().chain(words.split(' ')).collect();
    sandbox.htalk(&words)
}

#[test]
fn each_kind_of_peer_is_recorded_with_its_address() {
    let sandbox = Sandbox::new();
    let root = sandbox.root().to_str().unwrap().to_owned();
    fs::create_dir(sandbox.root().join("work")).unwrap();
    symlink("work", sandbox.root().join("link")).unwrap();
    symlink("nothing", sandbox.root().join("work/current.sock")).unwrap();
    let upper = SESSION.to_uppercase();
    let cases = [
        ("p --harness any_tool-2 --delivery pull".to_owned(), json!({"harness": "any_tool-2", "delivery": "pull"})),
        ("q --harness codex --delivery pull".to_owned(), json!({"harness": "codex", "session_id": null})),
        (
            format!("c --harness codex --session {upper} --workspace link --home link --socket link/current.sock"),
            json!({"delivery": "native", "session_id": SESSION, "workspace": format!("{root}/work"),
                "home": format!("{root}/work"), "socket": format!("{root}/work/current.sock"), "url": null}),
        ),
        (
            format!("d --harness claude --session {{{SESSION}}} --workspace ."),
            json!({"harness": "claude", "session_id": SESSION, "workspace": root, "home": null, "socket": null}),
        ),
        (
            format!("o --harness opencode --session ses_0aB.-9 --workspace {root}/work/../link"),
            json!({"session_id": "ses_0aB.-9", "workspace": format!("{root}/work"), "url": "http://127.0.0.1:4096"}),
        ),
        (
            "o2 --harness opencode --session ses_2 --workspace work --url http://localhost:9/".to_owned(),
            json!({"url": "http://localhost:9"}),
        ),
        (
            "c2 --harness codex --session 0199f1a2b3c44d5e8f60718293a4b5c7 --workspace ~/link --socket gone/s"
                .to_owned(),
            json!({"session_id": "0199f1a2-b3c4-4d5e-8f60-718293a4b5c7", "workspace": format!("{root}/work"),
                "socket": format!("{root}/gone/s")}),
        ),
        (
            "c3 --harness codex --session urn:uuid:0199F1A2-b3c4-4d5e-8f60-718293a4b5c8 --workspace work".to_owned(),
            json!({"session_id": "0199f1a2-b3c4-4d5e-8f60-718293a4b5c8"}),
        ),
        (format!("{} --harness x --delivery pull", "9".repeat(64)), json!({"name": "9".repeat(64)})),
    ];
    for (words, expected) in &cases {
        let peer = add(&sandbox, words).done();
        // The first one is told where it is.
        assert_eq!(keys(&peer)[..9], KEYS, "{words}");
        let more: &[&str] = if *words == cases[0].0 { &["resolved_path", "next_action"] } else { &[] };
        assert_eq!(keys(&peer)[9..], *more, "{words}");
        for (key, value) in expected.as_object().unwrap() {
            assert_eq!(&peer[key], value, "{words}: {key}");
        }
        // An identical registration answers the same.
        assert_eq!(add(&sandbox, words).done(), peer, "{words}");
    }
    let listed = sandbox.htalk(&["peer", "list"]).done();
    let names: Vec<&Value> = listed["peers"].as_array().unwrap().iter().map(|peer| &peer["name"]).collect();
    assert_eq!(names.len(), cases.len());
    assert!(names.is_sorted_by_key(|name| name.as_str()), "{names:?}");
}

#[test]
fn a_wrong_address_is_refused_with_its_own_code() {
    let pull = "--harness test --delivery pull";
    let codex = format!("--harness codex --session {SESSION} --workspace .");
    let claude = format!("--harness claude --session {SESSION} --workspace .");
    let opencode = "--harness opencode --session ses_1 --workspace .";
    let long = "a".repeat(65);
    let long_session = format!("ses{}", "a".repeat(254));
    let cases = [
        (format!("A {pull}"), "invalid_peer_name"),
        (format!("a.b {pull}"), "invalid_peer_name"),
        (format!("_a {pull}"), "invalid_peer_name"),
        (format!("é {pull}"), "invalid_peer_name"),
        (format!("{long} {pull}"), "invalid_peer_name"),
        ("a --harness Test --delivery pull".to_owned(), "invalid_harness_id"),
        ("a --harness t.t --delivery pull".to_owned(), "invalid_harness_id"),
        (format!("a --harness {long} --delivery pull"), "invalid_harness_id"),
        ("a --harness test".to_owned(), "unsupported_harness"),
        ("a --harness Codex".to_owned(), "unsupported_harness"),
        ("a --harness test --delivery odd".to_owned(), "unsupported_delivery"),
        (format!("a {codex} --delivery PULL"), "unsupported_delivery"),
        (format!("a {pull} --session {SESSION}"), "pull_peer_has_no_native_address"),
        (format!("a {pull} --workspace ."), "pull_peer_has_no_native_address"),
        (format!("a {pull} --home ."), "pull_peer_has_no_native_address"),
        (format!("a {pull} --socket s"), "pull_peer_has_no_native_address"),
        (format!("a {pull} --url http://localhost"), "pull_peer_has_no_native_address"),
        ("a --harness opencode --delivery pull --url nonsense".to_owned(), "pull_peer_has_no_native_address"),
        ("a --harness codex --session x --workspace .".to_owned(), "invalid_uuid"),
        (format!("a --harness claude --session {SESSION}0 --workspace ."), "invalid_uuid"),
        ("a --harness opencode --session ses --workspace .".to_owned(), "invalid_opencode_session_id"),
        ("a --harness opencode --session SES_1 --workspace .".to_owned(), "invalid_opencode_session_id"),
        (format!("a --harness opencode --session {SESSION} --workspace ."), "invalid_opencode_session_id"),
        (format!("a --harness opencode --session {long_session} --workspace ."), "invalid_opencode_session_id"),
        (format!("a --harness codex --session {SESSION} --workspace gone"), "workspace_must_be_a_directory"),
        (format!("a --harness codex --session {SESSION} --workspace file"), "workspace_must_be_a_directory"),
        (format!("a {codex} --url http://localhost"), "url_is_only_for_opencode"),
        (format!("a {claude} --socket s"), "claude_socket_is_discovered_from_live_identity"),
        (format!("a {opencode} --socket s"), "opencode_uses_a_server_url_not_a_socket"),
        (format!("a {opencode} --home ."), "home_is_only_for_codex_and_claude"),
    ];
    let sandbox = Sandbox::new();
    fs::write(sandbox.root().join("file"), "").unwrap();
    for (words, code) in &cases {
        let refused = add(&sandbox, words).refused(code);
        assert_eq!(keys(&refused["recovery"]).len(), 0, "{words}: there is no mailbox to look into");
        assert!(!sandbox.mailbox().exists(), "{words} left a mailbox behind");
    }
    sandbox.htalk(&["peer", "add", "a b", "--harness", "test", "--delivery", "pull"]).refused("invalid_peer_name");
    sandbox.htalk(&["peer", "add", "", "--harness", "test", "--delivery", "pull"]).refused("invalid_peer_name");
    // In a mailbox that is there the answers are the same, and nothing is registered.
    add(&sandbox, "first --harness test --delivery pull").done();
    for (words, code) in &cases {
        assert_eq!(keys(&add(&sandbox, words).refused(code)["recovery"]), ["peers"], "{words}");
    }
    assert_eq!(sandbox.htalk(&["peer", "list"]).done()["peers"].as_array().unwrap().len(), 1);
}

#[test]
fn a_native_peer_without_its_address_is_wrong_usage() {
    let sandbox = Sandbox::new();
    for (words, missing) in [
        ("a --harness codex --workspace .".to_owned(), "--session"),
        ("a --harness opencode --workspace . --delivery native".to_owned(), "--session"),
        (format!("a --harness codex --session {SESSION}"), "--workspace"),
        ("a --harness claude".to_owned(), "--session <ID> and --workspace <PATH>"),
    ] {
        let ran = add(&sandbox, &words);
        assert!((ran.code, &*ran.out) == (2, "") && ran.err.contains(missing), "{words}: {ran:?}");
        assert!(!sandbox.mailbox().exists(), "{words} left a mailbox behind");
    }
}

/// What earlier releases stored: sockets resolved, URLs as they were typed.
#[test]
fn an_identical_registration_is_known_in_any_spelling() {
    let sandbox = Sandbox::with_peers(&["p"]);
    let root = sandbox.root().to_str().unwrap().to_owned();
    for directory in ["work", "run", "home"] {
        fs::create_dir(sandbox.root().join(directory)).unwrap();
    }
    symlink("work", sandbox.root().join("link")).unwrap();
    fs::write(sandbox.root().join("run/7.sock"), "").unwrap();
    symlink("run/7.sock", sandbox.root().join("current.sock")).unwrap();
    symlink("run/../gone/7.sock", sandbox.root().join("dangling.sock")).unwrap();
    let session = |digit: u8| SESSION.replace("0199f1a2", &format!("0199f1a{digit}"));
    let mut cases = Vec::new();
    for (digit, socket, link) in [(1, "run/7.sock", "current.sock"), (2, "run/../gone/7.sock", "dangling.sock")] {
        let row = format!("'c{digit}', 'codex', '{}', '{root}/work', NULL, '{root}/{socket}', NULL", session(digit));
        let same = format!("--session {} --workspace link --socket {link}", session(digit));
        let other = format!("--session {} --workspace link --socket other.sock", session(digit));
        cases.push((format!("c{digit}"), row, format!("--harness codex {same}"), format!("--harness codex {other}")));
    }
    let row = format!("'h', 'claude', '{}', '{root}/link', '{root}/./home', NULL, NULL", session(3));
    let address = format!("--harness claude --session {} --workspace work", session(3).to_uppercase());
    cases.push(("h".to_owned(), row, format!("{address} --home home"), format!("{address} --home work")));
    for (digit, stored, given, other) in [
        (1, "'http://LocalHost:04098'", "http://localhost:4098", "http://localhost:4099"),
        (2, "'HTTP://localhost:4098/'", "http://LOCALHOST:004098", "https://localhost:4098"),
        (3, "'http://[0:0:0:0:0:0:0:1]:9/oc/'", "http://[::1]:9/oc", "http://[::1]:9/OC"),
        (4, "NULL", "http://127.0.0.1:4096", "http://127.0.0.1:4097"),
    ] {
        let row = format!("'o{digit}', 'opencode', 'ses_{digit}', '{root}/work', NULL, NULL, {stored}");
        let address = format!("--harness opencode --session ses_{digit} --workspace link --url");
        cases.push((format!("o{digit}"), row, format!("{address} {given}"), format!("{address} {other}")));
    }
    for (name, row, same, other) in cases {
        let columns = "name, harness, session_id, workspace, home, socket, url";
        sandbox.sqlite(&format!("INSERT INTO peers ({columns}) VALUES ({row});")).text();
        let stored = sandbox.sqlite(&format!("SELECT * FROM peers WHERE name = '{name}';")).text().to_owned();
        let peer = add(&sandbox, &format!("{name} {same}")).done();
        assert_eq!(peer["name"], *name, "{peer}");
        assert_eq!(keys(&peer), KEYS);
        let conflict = add(&sandbox, &format!("{name} {other}")).refused("peer_already_has_a_different_address");
        assert_eq!(conflict["registered_peer"], *name);
        add(&sandbox, &format!("x {same}")).refused("session_already_has_a_peer_name");
        let after = sandbox.sqlite(&format!("SELECT * FROM peers WHERE name = '{name}';"));
        assert_eq!(after.text(), stored, "nothing was changed");
    }
}

#[test]
fn global_options_stand_anywhere_and_the_last_one_counts() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let id = sandbox.send("a", "b", "hello");
    let elsewhere = sandbox.root().join("other.sqlite3");
    let (here, other) = (sandbox.mailbox(), elsewhere.to_str().unwrap());
    let here = here.to_str().unwrap();
    for words in [
        &["inbox", "--as", "b"][..],
        &["--as", "a", "inbox", "--as", "b"],
        &["--as", "a", "--as", "b", "inbox"],
        &["inbox", "--as", "a", "--as=b"],
        &["--db", other, "--as", "b", "inbox", "--db", here],
        &["inbox", "--db", other, "--as", "b", "--db", here],
    ] {
        let found = sandbox.htalk(words).done();
        assert_eq!((&found["total"], &found["messages"][0]["id"]), (&json!(1), &json!(id)), "{words:?}");
        let show = found["messages"][0]["recovery"]["show"].as_str().unwrap();
        assert!(show.contains(&format!("--db {here} --as b ")), "{show}");
    }
    for words in [
        &["peer", "--db", here, "list", "--db", other][..],
        &["peer", "--db", here, "--db", other, "list"],
        &["--db", here, "peer", "--db", other, "list"],
    ] {
        let refused = sandbox.htalk(words).refused("database_not_found");
        assert_eq!(refused["resolved_path"], other, "{words:?}");
    }
    let wrong = sandbox.htalk(&["inbox", "--as"]);
    assert!((wrong.code, &*wrong.out) == (2, ""), "{wrong:?}");
}

#[test]
fn a_conflicting_registration_names_the_one_that_is_there() {
    let sandbox = Sandbox::new();
    let codex = format!("--harness codex --session {SESSION} --workspace .");
    add(&sandbox, &format!("a {codex}")).done();
    let other = add(&sandbox, "a --harness test --delivery pull").refused("peer_already_has_a_different_address");
    assert_eq!((&other["registered_peer"], &other["registered_session_id"]), (&json!("a"), &json!(SESSION)));
    let again = add(&sandbox, &format!("b {codex}")).refused("session_already_has_a_peer_name");
    assert_eq!((&again["registered_peer"], &again["registered_session_id"]), (&json!("a"), &json!(SESSION)));
    add(&sandbox, &format!("a {codex} --socket s")).refused("peer_already_has_a_different_address");
    // The same id of another client is another session.
    add(&sandbox, &format!("b --harness claude --session {SESSION} --workspace .")).done();
    add(&sandbox, "p --harness test --delivery pull").done();
    let pull = add(&sandbox, "p --harness other --delivery pull").refused("peer_already_has_a_different_address");
    assert_eq!(pull["registered_session_id"], Value::Null);
}

#[test]
fn a_retired_peer_takes_part_in_no_new_request_but_finishes_the_old_ones() {
    let sandbox = Sandbox::with_peers(&["a", "b", "c"]);
    let asked = sandbox.send("a", "b", "asked before");
    let other = sandbox.send("b", "a", "asked by b");
    let retired = sandbox.htalk(&["peer", "retire", "b"]).done();
    assert_eq!(keys(&retired), KEYS);
    assert!(retired["retired_at"].is_f64());
    assert_eq!(sandbox.htalk(&["peer", "retire", "b"]).done(), retired, "repeating keeps the first time");
    sandbox.htalk(&["--as", "a", "send", "b", "--message", "x"]).refused("peer_retired");
    sandbox.htalk(&["--as", "b", "send", "a", "--message", "x"]).refused("peer_retired");
    let retry = sandbox.htalk(&["--as", "a", "send", "b", "--id", &asked, "--message", "asked before"]).done();
    assert_eq!(retry["created"], false);
    assert_eq!(sandbox.htalk(&["--as", "b", "inbox"]).done()["total"], 1);
    sandbox.htalk(&["--as", "b", "ack", &asked]).done();
    sandbox.reply("b", &asked, "still answered");
    sandbox.reply("a", &other, "as is this");
    assert_eq!(sandbox.htalk(&["--as", "b", "wait", &other]).done()["reply"]["body"], "as is this");
    let names = |words: &[&str]| {
        let listed = sandbox.htalk(words).done();
        let names = listed["peers"].as_array().unwrap().iter().map(|peer| peer["name"].as_str().unwrap().to_owned());
        (names.collect::<Vec<_>>().join(" "), listed.get("retired_hidden").cloned())
    };
    assert_eq!(names(&["peer", "list"]), ("a c".to_owned(), Some(json!(1))));
    assert_eq!(names(&["peer", "list", "--all"]), ("a b c".to_owned(), None));
    let again = add(&sandbox, "b --harness test --delivery pull").done();
    assert_eq!(again, retired, "an identical registration does not restore");
    let restored = sandbox.htalk(&["peer", "restore", "b"]).done();
    assert_eq!(restored["retired_at"], Value::Null);
    assert_eq!(sandbox.htalk(&["peer", "restore", "b"]).done(), restored);
    sandbox.send("a", "b", "a new one");
    assert_eq!(names(&["peer", "list"]), ("a b c".to_owned(), Some(json!(0))));
}

#[test]
fn a_pull_peer_is_checked_without_a_client() {
    let sandbox = Sandbox::with_peers(&["a"]);
    let checked = sandbox.htalk(&["peer", "check", "a"]).done();
    for (key, value) in [("harness", json!("test")), ("status", json!("pull_only")), ("session_id", Value::Null)] {
        assert_eq!(checked[key], value);
    }
    assert!(checked.get("workspace").is_some() && checked.get("retired_at").is_some());
}

#[test]
fn a_name_that_is_not_registered_is_unknown_and_close_ones_are_offered() {
    let sandbox = Sandbox::with_peers(&["b", "reviewer", "zeta"]);
    for (name, nearest) in [
        ("bb", json!(["b"])),
        ("B", json!(["b"])),
        ("b ", json!(["b"])),
        ("reviwer", json!(["reviewer"])),
        ("Reviewer", json!(["reviewer"])),
        ("review", json!(["reviewer"])),
        ("q", json!([])),
        ("", json!([])),
        ("a/b", json!([])),
    ] {
        let refused = sandbox.htalk(&["--as", "zeta", "send", name, "--message", "x"]).refused("unknown_peer");
        assert_eq!(refused["nearest"], nearest, "{name:?}");
        for words in [&["peer", "check", name][..], &["peer", "retire", name], &["peer", "restore", name]] {
            assert_eq!(sandbox.htalk(words).refused("unknown_peer")["nearest"], nearest, "{words:?}");
        }
        let actor = sandbox.htalk(&["--as", name, "inbox"]).refused("unknown_peer");
        assert_eq!(keys(&actor["recovery"]), ["peers"], "the actor is not known");
    }
    assert_eq!(sandbox.htalk(&["--as", "zeta", "sent"]).done()["total"], 0, "nothing was saved");
}
