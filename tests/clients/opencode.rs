//! The OpenCode adapter through the built binary, against a fake server.

mod discovery;
mod fake;
mod notice;

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use self::fake::{Answer, Fake, Make, Server, session};
use crate::support::{Ran, Sandbox, run, skip};

/// The beginning of an answer that takes 50 s at 20 bytes a second.
const LONG: &[u8; 1000] = &{
    let mut bytes = [b'x'; 1000];
    bytes.split_at_mut(20).0.copy_from_slice(b"HTTP/1.1 200 OK\r\nX: ");
    bytes
};

const ID: &str = "ses_dd73e9f30ffe1RSyAjLlBEbH0T";

/// A mailbox with a pull peer `me` and an OpenCode peer `oc` at this URL.
fn mailbox(url: &str) -> Sandbox {
    let sandbox = Sandbox::with_peers(&["me"]);
    register(&sandbox, url, sandbox.root().to_str().unwrap());
    sandbox
}

fn register(sandbox: &Sandbox, url: &str, workspace: &str) {
    let words = ["--harness", "opencode", "--session", ID, "--workspace", workspace, "--url", url];
    sandbox.htalk(&[&["peer", "add", "oc"], &words[..]].concat()).done();
}

/// A server with the one session of `oc`, changed by `change`, and its mailbox.
fn setting(change: impl FnOnce(&mut Server)) -> (Sandbox, Fake) {
    let sandbox = Sandbox::with_peers(&["me"]);
    let workspace = sandbox.root().to_str().unwrap().to_owned();
    let mut server = Server::with(vec![session(ID, &workspace)]);
    change(&mut server);
    let fake = Fake::new(move |request| server.answer(request));
    register(&sandbox, fake.url(), &workspace);
    (sandbox, fake)
}

/// A server whose answers are replaced where `other` gives one, and its mailbox.
fn bent(other: impl Fn(&fake::Request) -> Option<Answer> + Send + Sync + 'static) -> (Sandbox, Fake) {
    let sandbox = Sandbox::with_peers(&["me"]);
    let workspace = sandbox.root().to_str().unwrap().to_owned();
    let server = Server::with(vec![session(ID, &workspace)]);
    let fake = Fake::new(move |request| other(request).unwrap_or_else(|| server.answer(request)));
    register(&sandbox, fake.url(), &workspace);
    (sandbox, fake)
}

fn check(sandbox: &Sandbox) -> Ran {
    sandbox.htalk(&["peer", "check", "oc"])
}

#[test]
fn a_check_returns_what_was_seen_and_what_cannot_be() {
    let (sandbox, fake) = setting(|_| ());
    let found = check(&sandbox).done();
    assert_eq!(found["url"], fake.url());
    assert_eq!(found["server_version"], "1.18.33");
    assert_eq!(found["runtime_status"], "idle");
    assert_eq!(found["transport"], "opencode_prompt_async");
    assert_eq!(found["authenticated"], false);
    assert!(found["not_known"].as_str().unwrap().contains("TUI"));
    assert!(fake.seen().iter().all(|request| request.method == "GET"));
}

#[test]
fn a_check_tells_the_run_state_that_the_sessions_own_directory_has() {
    for (entry, state) in [
        (json!({"type": "busy"}), "busy"),
        (json!({"type": "retry", "attempt": 1, "message": "canned failure", "next": 1795980162582_u64}), "retry"),
        (json!({"type": "idle"}), "idle"),
        (json!({"type": "dreaming"}), "unknown"),
        (json!(7), "unknown"),
    ] {
        let (sandbox, _fake) = setting(|server| server.statuses = json!({"ses_other": {"type": "busy"}, ID: entry}));
        assert_eq!(check(&sandbox).done()["runtime_status"], state);
    }
    // The server may spell the directory in another way than the registration: its own spelling is asked for.
    let sandbox = Sandbox::with_peers(&["me"]);
    let link = sandbox.root().join("ä link");
    std::os::unix::fs::symlink(sandbox.root(), &link).unwrap();
    let server = Server::with(vec![session(ID, link.to_str().unwrap())]);
    let fake = Fake::new(move |request| server.answer(request));
    register(&sandbox, fake.url(), sandbox.root().to_str().unwrap());
    check(&sandbox).done();
    let asked = fake.seen().into_iter().find(|request| request.path() == "/session/status").unwrap();
    assert!(asked.query("directory").unwrap().ends_with("%2F%C3%A4%20link"), "{asked:?}");
}

#[test]
fn a_check_refuses_everything_but_the_exact_recipient() {
    let change = |pointer: &'static str, value: Value| {
        move |server: &mut Server| {
            let object = &mut server.sessions[0];
            match pointer.split_once('.') {
                Some((outer, inner)) => object[outer][inner] = value,
                None => object[pointer] = value,
            }
        }
    };
    let code = |change: Box<dyn FnOnce(&mut Server)>, code: &str| {
        let (sandbox, fake) = setting(change);
        check(&sandbox).refused(code);
        sandbox.htalk(&["--as", "me", "send", "oc", "--message", "hello"]);
        assert!(fake.prompts().is_empty(), "{code}");
    };
    code(Box::new(change("time.archived", json!(1795986522832_u64))), "recipient_session_archived");
    code(Box::new(change("parentID", json!("ses_parent"))), "opencode_child_session");
    code(Box::new(change("directory", json!("/"))), "recipient_identity_changed");
    code(Box::new(change("directory", json!("relative"))), "opencode_invalid_answer");
    code(Box::new(change("directory", Value::Null)), "opencode_invalid_answer");
    code(Box::new(|server| server.sessions.clear()), "recipient_not_in_opencode_server");
    code(Box::new(|server| server.statuses = json!([])), "opencode_invalid_answer");
    code(Box::new(|server| server.credentials = Some("c29tZW9uZTplbHNl")), "opencode_unauthorized");
    // It lies: another session under the id that was asked for.
    let (sandbox, fake) = bent(|request| {
        let other = session("ses_another", "/");
        (request.path() == format!("/session/{ID}")).then_some(Answer::Json(200, other))
    });
    check(&sandbox).refused("recipient_identity_changed");
    assert!(fake.prompts().is_empty());
}

#[test]
fn null_marks_are_no_marks() {
    let (sandbox, _fake) = setting(|server| {
        server.sessions[0]["parentID"] = Value::Null;
        server.sessions[0]["time"]["archived"] = Value::Null;
    });
    check(&sandbox).done();
}

#[test]
fn a_check_survives_a_broken_server() {
    let cases: [(&str, Make); 14] = [
        ("opencode_server_error:500", || Answer::Json(500, json!({"name": "UnknownError"}))),
        ("opencode_request_refused:403", || Answer::Empty(403)),
        ("opencode_unexpected_answer:204", || Answer::Empty(204)),
        ("opencode_unexpected_answer:302", || Answer::Raw(b"HTTP/1.1 302 x\r\nLocation: /other\r\n\r\n".to_vec())),
        ("opencode_invalid_answer", || Answer::Raw(b"HTTP/1.1 200 OK\r\n\r\n<!doctype html>".to_vec())),
        ("opencode_invalid_answer", || Answer::Raw(b"SSH-2.0-OpenSSH_9.6\r\n".to_vec())),
        ("opencode_invalid_answer", || Answer::Json(200, json!({"id": ID}))),
        ("opencode_invalid_answer", || {
            Answer::Raw(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{\"id\":\xff\"}".to_vec())
        }),
        ("opencode_connection_closed", || Answer::HalfClose),
        ("opencode_connection_closed", || Answer::Raw(b"HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\n{".to_vec())),
        ("opencode_answer_too_large", || Answer::Endless(b"HTTP/1.1 200 OK\r\n\r\n".to_vec())),
        ("opencode_answer_too_large", || Answer::Endless(b"HTTP/1.1 200 OK\r\nX-Long: ".to_vec())),
        ("opencode_timed_out", || Answer::Stall(Vec::new())),
        ("opencode_timed_out", || Answer::Drip(LONG.to_vec())),
    ];
    std::thread::scope(|threads| {
        for (code, answer) in cases {
            threads.spawn(move || {
                let (sandbox, _fake) = bent(move |request| (request.path() == format!("/session/{ID}")).then(answer));
                let start = Instant::now();
                check(&sandbox).refused(code);
                assert!(start.elapsed() < Duration::from_secs(8), "{code}: {:?}", start.elapsed());
            });
        }
    });
}

#[test]
fn nobody_listening_is_known_at_once() {
    let sandbox = mailbox("http://127.0.0.1:1");
    let start = Instant::now();
    check(&sandbox).refused("recipient_unavailable");
    assert!(start.elapsed() < Duration::from_secs(1));
}

#[test]
fn credentials_come_from_the_environment_and_are_never_shown() {
    // alice:open sesame
    let (sandbox, fake) = setting(|server| server.credentials = Some("YWxpY2U6b3BlbiBzZXNhbWU="));
    let with = |user: &str, password: &str, words: &[&str]| {
        let mut command = sandbox.htalk_command(words);
        command.env("OPENCODE_SERVER_USERNAME", user).env("OPENCODE_SERVER_PASSWORD", password);
        let ran = run(&mut command, b"");
        assert!(!format!("{ran:?}").contains("sesame"), "{ran:?}");
        ran
    };
    assert_eq!(with("alice", "open sesame", &["peer", "check", "oc"]).done()["authenticated"], true);
    let sent = with("alice", "open sesame", &["--as", "me", "send", "oc", "--message", "hello"]).done();
    assert_eq!(sent["submission"], "submitted");
    with("alice", "closed", &["peer", "check", "oc"]).refused("opencode_unauthorized");
    with("", "open sesame", &["peer", "check", "oc"]).refused("opencode_unauthorized");
    check(&sandbox).refused("opencode_unauthorized");
    let refused = sandbox.htalk(&["--as", "me", "send", "oc", "--message", "hello"]);
    assert_eq!((refused.code, refused.json()["submission"].as_str()), (2, Some("not_submitted")));
    assert_eq!(refused.json()["notification_detail"], "opencode_unauthorized");
    assert_eq!(fake.prompts().len(), 1);
    let stored = std::fs::read(sandbox.mailbox()).unwrap();
    assert!(!stored.windows(6).any(|bytes| bytes == b"sesame"));

    // The name that the server has by default; one that asks for no credentials proves nothing about them.
    let (sandbox, fake) = setting(|_| ());
    let mut command = sandbox.htalk_command(&["peer", "check", "oc"]);
    assert_eq!(run(command.env("OPENCODE_SERVER_PASSWORD", "x"), b"").done()["authenticated"], false);
    assert!(fake.seen().iter().any(|request| request.header("authorization") == Some("Basic b3BlbmNvZGU6eA==")));
}

#[test]
fn only_the_named_server_is_spoken_to() {
    let stranger = Fake::new(|_| Answer::Empty(200));
    let target = format!("{}/session/{ID}", stranger.url());
    let (sandbox, _fake) = bent(move |request| {
        let answer = format!("HTTP/1.1 307 x\r\nLocation: {target}\r\nContent-Length: 0\r\n\r\n");
        request.path().starts_with("/session").then(|| Answer::Raw(answer.into_bytes()))
    });
    check(&sandbox).refused("opencode_unexpected_answer:307");
    let (sandbox, _fake) = setting(|_| ());
    let mut command = sandbox.htalk_command(&["peer", "check", "oc"]);
    for name in ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "HTTPS_PROXY"] {
        command.env(name, stranger.url());
    }
    run(&mut command, b"").done();
    assert!(stranger.seen().is_empty());
}

#[test]
fn a_url_is_checked_before_it_is_stored_and_before_it_is_used() {
    let sandbox = Sandbox::with_peers(&["me"]);
    let workspace = sandbox.root().to_str().unwrap().to_owned();
    let add = |url: &str| {
        let words = ["--harness", "opencode", "--session", ID, "--workspace", &workspace, "--url", url];
        sandbox.htalk(&[&["peer", "add", "oc"], &words[..]].concat())
    };
    add("http://127.attacker.example").refused("opencode_url_must_be_loopback");
    add("http://2130706433:4096").refused("opencode_url_must_be_loopback");
    add("http://127.0.0.1:4096/api").refused("invalid_opencode_url");
    add("ftp://127.0.0.1").refused("invalid_opencode_url");
    assert_eq!(add("HTTP://LOCALHOST:1/").done()["url"], "http://localhost:1");
    // Another program wrote this one.
    let insert = "INSERT INTO peers(name, harness, delivery, session_id, workspace, url) \
        VALUES ('x', 'opencode', 'native', 'ses_x', '/', 'http://192.0.2.1:4096')";
    sandbox.sqlite(insert).text();
    sandbox.htalk(&["peer", "check", "x"]).refused("opencode_url_must_be_loopback");
}

#[test]
fn a_port_of_another_user_is_not_spoken_to() {
    if !nix::unistd::geteuid().is_root() {
        return skip("only root can start a program as another user");
    }
    let listen = "use IO::Socket::INET; $| = 1; \
        my $s = IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1') or die; print $s->sockport, \"\\n\"; \
        my $c = $s->accept; print \"spoken to\\n\" if sysread $c, my $b, 1;";
    let mut stranger = Command::new("perl");
    stranger.args(["-e", listen]).uid(65_534).stdout(Stdio::piped()).stdin(Stdio::null()).current_dir("/");
    let mut stranger = stranger.spawn().unwrap();
    let mut said = BufReader::new(stranger.stdout.take().unwrap()).lines();
    let sandbox = mailbox(&format!("http://127.0.0.1:{}", said.next().unwrap().unwrap()));
    let told = check(&sandbox);
    stranger.kill().unwrap();
    stranger.wait().unwrap();
    told.refused("opencode_server_of_another_user");
    assert!(said.next().is_none(), "the stranger was spoken to");
}
