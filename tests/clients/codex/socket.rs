//! A notice by the socket of an app server.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::fake::*;
use super::world::*;
use crate::support::process::{CEILING, assert_within, deserted_socket};
use crate::support::{has, run};

#[test]
fn an_app_server_takes_the_notice_in_one_conversation() {
    let world = World::with_peer(&[]);
    world.codex("exit 9");
    let server = world.serve(well);
    let notice = world.send();
    notice.is("submitted", &format!("codex_app_server_queued:{QUEUED}"));
    notice.has_status("idle");
    assert_eq!(server.methods(), ["initialize", "initialized", "thread/read", "thread/queue/add"]);
    assert_eq!(server.request("initialize")["params"]["capabilities"], json!({"experimentalApi": true}));
    let added = server.request("thread/queue/add");
    let text = added["params"]["input"][0]["text"].as_str().unwrap();
    assert!(text.contains(&notice.id) && !text.contains("SECRET-BODY"), "{text}");
    assert_eq!(world.calls(), "");
    let check = world.done(&["peer", "check", "b"]);
    assert_eq!(check["transport"], "codex_app_server", "{check}");
    assert_eq!(check["runtime_status"], "idle", "{check}");
    assert!(check["socket"].as_str().unwrap().ends_with(CONTROL), "{check}");
}

#[test]
fn the_status_seen_is_told() {
    for (status, told) in [
        (json!({"type": "active", "activeFlags": []}), "active"),
        (json!({"type": "active", "activeFlags": ["waitingOnApproval"]}), "active"),
        (json!({"type": "notLoaded"}), "not_loaded"),
        (json!({"type": "systemError"}), "unknown"),
        (json!({"type": "somethingNew"}), "unknown"),
    ] {
        let world = World::with_peer(&[]);
        let _server = world.serve(with_thread(json!({"status": status})));
        let notice = world.send();
        notice.is("submitted", &format!("codex_app_server_queued:{QUEUED}"));
        notice.has_status(told);
    }
}

#[test]
fn a_thread_of_another_process_is_not_called_unloaded() {
    let world = World::with_peer(&[]);
    let _server = world.serve(with_thread(json!({"status": {"type": "notLoaded"}, "source": "cli"})));
    let lock = world.at("home/.codex/thread-writer-locks").join(format!("{THREAD}.lock"));
    fs::write(&lock, "").unwrap();
    world.send().has_status("not_loaded");
    let _holder = Holder::of(&lock);
    world.send().has_status("unknown");
}

#[test]
fn only_the_registered_session_of_a_person_is_written_to() {
    for (change, code) in [
        (json!({"id": QUEUED}), "recipient_identity_changed"),
        (json!({"cwd": "/"}), "recipient_identity_changed"),
        (json!({"ephemeral": true, "path": null, "threadSource": "thread_title"}), "recipient_session_ephemeral"),
        (json!({"path": "/h/.codex/archived_sessions/rollout.jsonl"}), "recipient_session_archived"),
        (json!({"source": "exec"}), "codex_session_not_started_by_a_person"),
        (json!({"source": {"subAgent": "review"}}), "codex_session_not_started_by_a_person"),
        (json!({"source": {"custom": "bot"}}), "codex_session_not_started_by_a_person"),
        (json!({"threadSource": "thread_title"}), "codex_session_not_started_by_a_person"),
        (json!({"attachedToThreadId": QUEUED}), "codex_session_not_started_by_a_person"),
    ] {
        let world = World::with_peer(&[]);
        let server = world.serve(with_thread(change));
        world.send().is("not_submitted", code);
        world.run(&["peer", "check", "b"]).refused(code);
        assert!(!server.methods().contains(&"thread/queue/add".into()));
    }
    for change in [json!({"source": "cli"}), json!({"source": {"custom": "atlas"}}), json!({"threadSource": null})] {
        let world = World::with_peer(&[]);
        let _server = world.serve(with_thread(change));
        assert_eq!(world.send().submission, "submitted");
    }
}

#[test]
fn what_the_server_refuses_was_not_submitted() {
    let unknown =
        format!("failed to read thread: invalid thread-store request: no rollout found for thread id {THREAD}");
    let archived = format!("session {THREAD} is archived. Run `codex unarchive {THREAD}` to unarchive it first.");
    for (method, code, message, told) in [
        ("thread/read", -32600, format!("thread not loaded: {THREAD}"), "recipient_not_in_codex_state"),
        ("thread/read", -32603, "disk on fire".into(), "codex_app_server_refused:-32603"),
        ("thread/queue/add", -32603, unknown, "recipient_not_in_codex_state"),
        ("thread/queue/add", -32600, archived, "recipient_session_archived"),
        (
            "thread/queue/add",
            -32600,
            format!("ephemeral thread does not support queued submissions: {THREAD}"),
            "recipient_session_ephemeral",
        ),
        (
            "thread/queue/add",
            -32600,
            "thread/queue/add requires experimentalApi capability".into(),
            "codex_queue_unsupported",
        ),
        (
            "thread/queue/add",
            -32600,
            "Invalid request: unknown variant `thread/queue/add`".into(),
            "codex_queue_unsupported",
        ),
        ("thread/queue/add", -32600, "something else".into(), "codex_app_server_refused:-32600"),
        ("initialize", -32600, "no".into(), "codex_app_server_refused:-32600"),
    ] {
        let world = World::with_peer(&[]);
        world.codex("exit 9");
        let _server = world.serve(but(method, move |_, _| vec![Act::Error(code, message.clone())]));
        world.send().is("not_submitted", told);
        assert_eq!(world.calls(), "", "no second way is tried");
    }
}

#[test]
fn doubt_after_the_write_stays_doubt() {
    let lie = |change: fn(&mut Value)| {
        move |_: &Facts, request: &Value| {
            let mut told = receipt(&request["params"]);
            change(&mut told["queuedSubmission"]);
            vec![Act::Result(told)]
        }
    };
    let cases: Vec<(Behaviour, &str)> = vec![
        (Box::new(|_, _| vec![Act::Hang]), "closed"),
        (Box::new(|_, _| vec![Act::Text("{\"id\":".into())]), "malformed_answer"),
        (Box::new(|_, _| vec![Act::Text("[]".into())]), "malformed_answer"),
        (Box::new(|_, _| vec![Act::Raw(vec![0xff; 64])]), "malformed_answer"),
        (Box::new(|_, _| vec![Act::Text("x".repeat(5 << 20))]), "answer_too_large"),
        (Box::new(|_, _| vec![Act::Error(-32603, "database is locked".into())]), "error_-32603"),
        (Box::new(|_, _| vec![Act::Result(json!({}))]), "malformed_answer"),
        (Box::new(lie(|told| told["clientUserMessageId"] = QUEUED.into())), "other_message"),
        (Box::new(lie(|told| told["input"][0]["text"] = "another".into())), "other_message"),
        (Box::new(lie(|told| told["input"] = json!([]))), "other_message"),
        (Box::new(lie(|told| told["threadId"] = QUEUED.into())), "other_message"),
        (Box::new(lie(|told| told["id"] = "1".into())), "malformed_answer"),
    ];
    for (act, reason) in cases {
        let world = World::with_peer(&[]);
        let server = world.serve(but("thread/queue/add", act));
        let notice = world.send();
        notice.is("submission_unknown", &format!("codex_app_server_unconfirmed_receipt:{reason}"));
        notice.has_status("idle");
        assert_eq!(server.methods().iter().filter(|method| *method == "thread/queue/add").count(), 1);
        assert_eq!(world.ack(&notice.id)["status"], "skipped");
    }
}

#[test]
fn an_answer_that_never_comes_is_not_waited_for() {
    let world = World::with_peer(&[]);
    let chatter = json!({"method": "thread/status/changed", "params": {}}).to_string();
    let _server = world.serve(but("thread/queue/add", move |_, _| {
        // A server that goes on talking of other things, for longer than any ceiling, gains no time.
        (0..1200).flat_map(|_| [Act::Text(chatter.clone()), Act::Wait(Duration::from_millis(100))]).collect()
    }));
    let start = Instant::now();
    world.send().is("submission_unknown", "codex_app_server_unconfirmed_receipt:timed_out");
    assert_within(Duration::from_secs(8), start);
}

#[test]
fn a_server_that_is_none_gets_nothing() {
    // Before the write each of these is a refusal, and no second way is tried.
    type Listener = fn(UnixStream);
    let listen: Vec<(Listener, &str)> = vec![
        (|_| {}, "closed"),
        (|stream| _ = BufReader::new(stream).lines().take(3).count(), "closed"),
        // Both outlast the ceiling of the time limit.
        (|_| std::thread::sleep(CEILING), "timed_out"),
        (|mut stream| _ = stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"), "malformed_answer"),
        (
            |mut stream| {
                for _ in 0..600 {
                    std::thread::sleep(Duration::from_millis(100));
                    _ = stream.write_all(b"H");
                }
            },
            "",
        ),
    ];
    for (behave, reason) in listen {
        let world = World::with_queue();
        let listener = UnixListener::bind(world.control()).unwrap();
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                // Takes the request first: a client that still writes would see another end.
                let mut request = [0; 64];
                _ = stream.read(&mut request);
                std::thread::spawn(move || behave(stream));
            }
        });
        let start = Instant::now();
        let notice = world.send();
        assert_eq!(notice.submission, "not_submitted", "{notice:?}");
        assert!(notice.detail.starts_with(&format!("codex_app_server_unusable:{reason}")), "{notice:?}");
        assert_within(Duration::from_secs(4), start);
        assert_eq!(world.calls(), "");
    }
}

#[test]
fn a_socket_that_is_closed_to_the_caller_is_told_by_where_the_caller_runs() {
    // Root has to give up the right to reach everything.
    let words = ["setpriv", "--bounding-set=-all"];
    let is_root = nix::unistd::geteuid().is_root();
    if is_root && !has(words[0]) {
        return;
    }
    let world = World::with_queue();
    let server = world.serve(well);
    fs::set_permissions(world.at("real.sock"), fs::Permissions::from_mode(0o000)).unwrap();
    for (session, code) in [("", "recipient_socket_unavailable"), (QUEUED, "codex_sandbox_blocks_socket")] {
        let mut command = world.command(&[]);
        if is_root {
            command = world.program(words[0]);
            command.args(&words[1..]).arg(env!("CARGO_BIN_EXE_htalk"));
        }
        command.env("CODEX_THREAD_ID", session).args(["--as", "a", "send", "b", "--message", "x"]);
        let told = run(&mut command, b"").ended(2);
        assert_eq!(told["notification_detail"], code, "{told}");
        assert_eq!((world.calls(), server.methods().len()), (String::new(), 0));
    }
}

#[test]
fn a_registered_socket_is_the_only_way() {
    let world = World::with_peer(&["--socket", "ROOT/named.sock"]);
    world.known();
    world.queues();
    let usual = world.serve(well);
    world.send().is("not_submitted", "recipient_socket_unavailable");
    fs::write(world.at("named.sock"), "").unwrap();
    world.send().is("not_submitted", "recipient_socket_unavailable");
    fs::remove_file(world.at("named.sock")).unwrap();
    deserted_socket(&world.at("named.sock"));
    world.send().is("not_submitted", "recipient_socket_unavailable");
    fs::remove_file(world.at("named.sock")).unwrap();
    assert_eq!((world.calls().as_str(), usual.methods().len()), ("", 0));
    let named = Server::start(&world.at("named.sock"), world.facts(), well);
    world.send().is("submitted", &format!("codex_app_server_queued:{QUEUED}"));
    assert_eq!(named.methods().len(), 4);
    assert_eq!(usual.methods().len(), 0);
}
