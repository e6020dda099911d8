//! The Codex adapter through the built binary, against a fake of Codex 0.171.0.

/// The fake, and a world to run it in.
pub mod fake;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::symlink;
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use fake::*;
use serde_json::{Value, json};

// --- by the socket

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
        let (answer, exit) = world.run(&["peer", "check", "b"]);
        assert_eq!((answer["error"].as_str(), exit), (Some(code), 2), "{answer}");
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
        // A server that goes on talking of other things gains no time.
        (0..200).flat_map(|_| [Act::Text(chatter.clone()), Act::Wait(Duration::from_millis(100))]).collect()
    }));
    let start = Instant::now();
    world.send().is("submission_unknown", "codex_app_server_unconfirmed_receipt:timed_out");
    assert!(start.elapsed() < Duration::from_secs(11), "{:?}", start.elapsed());
}

#[test]
fn a_server_that_is_none_gets_nothing() {
    // Before the write each of these is a refusal, and no second way is tried.
    type Listener = fn(UnixStream);
    let listen: Vec<(Listener, &str)> = vec![
        (|_| {}, "closed"),
        (|stream| _ = BufReader::new(stream).lines().take(3).count(), "closed"),
        (|_| std::thread::sleep(Duration::from_secs(8)), "timed_out"),
        (|mut stream| _ = stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"), "malformed_answer"),
        (
            |mut stream| {
                for _ in 0..100 {
                    std::thread::sleep(Duration::from_millis(100));
                    _ = stream.write_all(b"H");
                }
            },
            "",
        ),
    ];
    for (behave, reason) in listen {
        let world = World::with_peer(&[]);
        world.known();
        world.codex(&format!("echo 'Queued message {QUEUED} for thread {THREAD}.'"));
        let link = world.at("home").join(CONTROL);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        let listener = UnixListener::bind(&link).unwrap();
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
        assert!(start.elapsed() < Duration::from_secs(6), "{:?}", start.elapsed());
        assert_eq!(world.calls(), "");
    }
}

#[test]
fn a_registered_socket_is_the_only_way() {
    let world = World::with_peer(&["--socket", "ROOT/named.sock"]);
    world.known();
    world.codex(&format!("echo 'Queued message {QUEUED} for thread {THREAD}.'"));
    let usual = world.serve(well);
    world.send().is("not_submitted", "recipient_socket_unavailable");
    fs::write(world.at("named.sock"), "").unwrap();
    world.send().is("not_submitted", "recipient_socket_unavailable");
    fs::remove_file(world.at("named.sock")).unwrap();
    drop(UnixListener::bind(world.at("named.sock")).unwrap());
    world.send().is("not_submitted", "recipient_socket_unavailable");
    fs::remove_file(world.at("named.sock")).unwrap();
    assert_eq!((world.calls().as_str(), usual.methods().len()), ("", 0));
    let named = Server::start(&world.at("named.sock"), world.facts(), well);
    world.send().is("submitted", &format!("codex_app_server_queued:{QUEUED}"));
    assert_eq!(named.methods().len(), 4);
    assert_eq!(usual.methods().len(), 0);
}

// --- by the command

#[test]
fn the_command_takes_the_notice_where_nobody_listens() {
    let world = World::with_peer(&[]);
    world.known();
    world.codex(&format!("echo 'Queued message {QUEUED} for thread {THREAD}.'; echo 'WARNING: odd' >&2"));
    let notice = world.send_with(&[("OPENCODE_SERVER_PASSWORD", "hush")]);
    notice.is("submitted", &format!("codex_cli_queued:{QUEUED}"));
    notice.has_status("not_loaded");
    let calls = world.calls();
    assert!(calls.starts_with(&format!("[queue]\n[--thread]\n[{THREAD}]\n[--message=htalk: ")), "{calls}");
    assert!(calls.contains(&notice.id) && !calls.contains("SECRET-BODY") && !calls.contains("hush"), "{calls}");
    assert!(calls.ends_with(&format!("home= sqlite= pwd={} token=\n", world.at("ws").display())), "{calls}");
    let check = world.done(&["peer", "check", "b"]);
    assert_eq!(check["transport"], "codex_cli_queue", "{check}");
    assert!(check["metadata_source"].as_str().unwrap().ends_with("/state_5.sqlite"), "{check}");
    assert_eq!(world.calls(), calls, "a check runs nothing");
    // A socket that a killed server left behind is nobody, too.
    let link = world.at("home").join(CONTROL);
    fs::create_dir_all(link.parent().unwrap()).unwrap();
    drop(UnixListener::bind(world.at("gone.sock")).unwrap());
    symlink(world.at("gone.sock"), &link).unwrap();
    assert_eq!(world.send().submission, "submitted");
    fs::remove_file(world.at("gone.sock")).unwrap();
    assert_eq!(world.send().submission, "submitted");
}

#[test]
fn a_held_lock_tells_a_loaded_thread() {
    let world = World::with_peer(&[]);
    world.known();
    world.codex(&format!("echo 'Queued message {QUEUED} for thread {THREAD}.'"));
    let lock = world.at("home/.codex/thread-writer-locks").join(format!("{THREAD}.lock"));
    fs::write(&lock, "").unwrap();
    {
        let _holder = Holder::of(&lock);
        world.send().has_status("unknown");
    }
    // The lock that a killed client left.
    world.send().has_status("not_loaded");
    fs::remove_dir_all(lock.parent().unwrap()).unwrap();
    world.send().has_status("unknown");
}

#[test]
fn the_commands_words_decide() {
    let failed = "Error: failed to queue session message: thread/queue/add failed:";
    for (exit, stdout, stderr, submission, code) in [
        (
            1,
            "",
            format!(
                "{failed} failed to read thread: invalid thread-store request: no rollout found for thread id {THREAD} \
                 (code -32603)"
            ),
            "not_submitted",
            "recipient_not_in_codex_state",
        ),
        (
            1,
            "",
            format!(
                "WARNING: proceeding\n{failed} session {THREAD} is archived. Run `codex unarchive {THREAD}` to \
                 unarchive it first. (code -32600)"
            ),
            "not_submitted",
            "recipient_session_archived",
        ),
        (
            1,
            "",
            format!("{failed} ephemeral thread does not support queued submissions: {THREAD} (code -32600)"),
            "not_submitted",
            "recipient_session_ephemeral",
        ),
        (1, "", "Error: No active session found matching 'x'.".into(), "not_submitted", "recipient_not_in_codex_state"),
        (
            1,
            "",
            "Error: failed to start embedded app server: Read-only file system (os error 30)".into(),
            "not_submitted",
            "codex_sandbox_read_only_home",
        ),
        (
            1,
            "",
            "Error: failed to start embedded app server: No space left on device (os error 28)".into(),
            "not_submitted",
            "codex_app_server_not_started",
        ),
        (
            1,
            "",
            "Error: cannot queue through an embedded app server while a local app-server daemon is running; \
             remove configuration overrides or use --remote"
                .into(),
            "not_submitted",
            "codex_configuration_overrides_refused",
        ),
        (1, "", format!("{failed} no (code -32600)"), "not_submitted", "codex_app_server_refused:-32600"),
        (
            2,
            "",
            "error: a value is required for '--message <TEXT>' but none was supplied".into(),
            "not_submitted",
            "codex_bad_usage",
        ),
        (2, "", "error: unrecognized subcommand 'queue'".into(), "not_submitted", "codex_queue_unsupported"),
        (2, "", "error: unexpected argument '--thread' found".into(), "not_submitted", "codex_queue_unsupported"),
        (2, "", "boom".into(), "submission_unknown", "codex_cli_unconfirmed_receipt:exit_2"),
        (
            1,
            "",
            format!("{failed} database is locked (code -32603)"),
            "submission_unknown",
            "codex_cli_unconfirmed_receipt:exit_1",
        ),
        (1, "", "Error: connection lost".into(), "submission_unknown", "codex_cli_unconfirmed_receipt:exit_1"),
        (
            1,
            "RECEIPT",
            "Error: No active session found matching 'x'.".into(),
            "submission_unknown",
            "codex_cli_unconfirmed_receipt:exit_1",
        ),
        (101, "", "panicked".into(), "submission_unknown", "codex_cli_unconfirmed_receipt:exit_101"),
        (0, "", String::new(), "submission_unknown", "codex_cli_unconfirmed_receipt:malformed_answer"),
        (0, "queued", String::new(), "submission_unknown", "codex_cli_unconfirmed_receipt:malformed_answer"),
        (0, "OTHER", String::new(), "submission_unknown", "codex_cli_unconfirmed_receipt:other_thread"),
    ] {
        let world = World::with_peer(&[]);
        world.known();
        let stdout = stdout
            .replace("RECEIPT", &format!("Queued message {QUEUED} for thread {THREAD}."))
            .replace("OTHER", &format!("Queued message {QUEUED} for thread {QUEUED}."));
        fs::write(world.at("out"), stdout).unwrap();
        fs::write(world.at("err"), stderr + "\n").unwrap();
        world.codex(&format!("cat {0}/out; cat {0}/err >&2; exit {exit}", world.root.display()));
        world.send().is(submission, code);
    }
}

#[test]
fn a_command_that_hangs_is_ended_with_all_it_started() {
    let world = World::with_peer(&[]);
    world.known();
    let root = world.root.display();
    // One child in the group, one that left it and its parent.
    world.codex(&format!(
        "sleep 60 & echo $! >>{root}/pids\nsetsid sh -c 'sleep 60 & echo $! >>{root}/pids' &\nsleep 0.5\nexec sleep 60"
    ));
    let start = Instant::now();
    world.send().is("submission_unknown", "codex_cli_unconfirmed_receipt:timed_out");
    assert!(start.elapsed() < Duration::from_secs(13), "{:?}", start.elapsed());
    let pids = fs::read_to_string(world.at("pids")).unwrap();
    assert_eq!(pids.lines().count(), 2);
    assert!(pids.lines().all(|pid| !is_alive(pid)), "{pids}");
}

#[test]
fn a_command_that_floods_or_dies_leaves_doubt() {
    for (body, reason) in [("exec yes", "answer_too_large"), ("yes >&2", "answer_too_large"), ("kill -9 $$", "killed")]
    {
        let world = World::with_peer(&[]);
        world.known();
        world.codex(body);
        world.send().is("submission_unknown", &format!("codex_cli_unconfirmed_receipt:{reason}"));
    }
}

#[test]
fn an_interrupt_ends_the_command_and_leaves_the_claim() {
    let world = World::with_peer(&[]);
    world.known();
    world.codex(&format!("echo $$ >{}/pid; exec sleep 60", world.root.display()));
    let child = world
        .command(&["--as", "a", "send", "b", "--message", "x"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let pid = await_text(&world.at("pid"));
    Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), answer["persistence"].as_str()), (Some(143), Some("saved")), "{answer}");
    assert!(!is_alive(&pid));
    let shown = world.done(&["--as", "a", "show", answer["message_id"].as_str().unwrap()]);
    assert_eq!(shown["submission"], "submission_unknown", "{shown}");
}

#[test]
fn without_codex_nothing_is_submitted() {
    let world = World::with_peer(&[]);
    world.send().is("not_submitted", "recipient_not_in_codex_state");
    world.known();
    let mut command = world.command(&["--as", "a", "send", "b", "--message", "x"]);
    command.env("PATH", world.at("bin"));
    let (answer, exit) = finish(command);
    assert_eq!((answer["notification_detail"].as_str(), exit), (Some("adapter_unavailable"), 2), "{answer}");
    // A `codex` that the workspace brings is none.
    fs::copy("/bin/true", world.at("ws/codex")).unwrap();
    let mut command = world.command(&["--as", "a", "send", "b", "--message", "x"]);
    command.env("PATH", ".:").current_dir(world.at("ws"));
    assert_eq!(finish(command).0["notification_detail"], "adapter_unavailable");
}

#[test]
fn nothing_says_where_codex_keeps_its_things() {
    let world = World::with_peer(&[]);
    let mut command = world.command(&["peer", "check", "b"]);
    command.env_remove("HOME").env_remove("CODEX_HOME");
    assert_eq!(finish(command).0["error"], "codex_home_unknown");
}

// --- the state database

#[test]
fn the_state_database_says_who_is_a_recipient() {
    let ws = |world: &World, source: &str, archived: u8, by: &str| world.row(source, archived, by);
    for (source, archived, by, code) in [
        ("cli", 1, "user", "recipient_session_archived"),
        ("exec", 0, "user", "codex_session_not_started_by_a_person"),
        ("{\"subagent\":\"review\"}", 0, "user", "codex_session_not_started_by_a_person"),
        ("{\"custom\":\"bot\"}", 0, "user", "codex_session_not_started_by_a_person"),
        ("vscode", 0, "thread_title", "codex_session_not_started_by_a_person"),
    ] {
        let world = World::with_peer(&[]);
        world.codex("exit 9");
        world.state("home/.codex", &[&ws(&world, source, archived, by)]);
        world.send().is("not_submitted", code);
        assert_eq!(world.calls(), "");
    }
    let receipt = format!("echo 'Queued message {QUEUED} for thread {THREAD}.'");
    for source in ["cli", "vscode", "{\"custom\":\"atlas\"}", "{\"custom\":\"chatgpt\"}"] {
        let world = World::with_peer(&[]);
        world.codex(&receipt);
        world.state("home/.codex", &[&ws(&world, source, 0, "user")]);
        assert_eq!(world.send().submission, "submitted", "{source}");
    }
    let world = World::with_peer(&[]);
    world.codex(&receipt);
    symlink(world.at("ws"), world.at("link")).unwrap();
    world.state("home/.codex", &[&format!("'{THREAD}','cli','{}',0,NULL", world.at("link").display())]);
    assert_eq!(world.send().submission, "submitted", "through a symlink, and nobody says who started it");
    let world = World::with_peer(&[]);
    world.state("home/.codex", &[&format!("'{THREAD}','cli','{}',0,'user'", world.at("other").display())]);
    world.send().is("not_submitted", "recipient_identity_changed");
    let world = World::with_peer(&[]);
    world.state("home/.codex", &[]);
    world.send().is("not_submitted", "recipient_not_in_codex_state");
}

#[test]
fn other_layouts_are_read_as_far_as_they_go() {
    let receipt = format!("echo 'Queued message {QUEUED} for thread {THREAD}.'");
    let make = |columns: &str, values: &str, name: &str| {
        let world = World::with_peer(&[]);
        world.codex(&receipt);
        let values = values.replace("WS", world.at("ws").to_str().unwrap()).replace("ID", THREAD);
        sqlite(
            &world.at("home/.codex").join(name),
            &format!("CREATE TABLE threads({columns}); INSERT INTO threads VALUES({values});"),
        );
        world
    };
    let older =
        make("id TEXT PRIMARY KEY, cwd TEXT, source TEXT, archived INTEGER", "'ID','WS','cli',0", "state_3.sqlite");
    assert_eq!(older.send().submission, "submitted");
    let newer = make("id, source, cwd, archived, ephemeral, x", "'ID','cli','WS',0,1,7", "state_12.sqlite");
    newer.send().is("not_submitted", "recipient_session_ephemeral");
    make("id, cwd, source", "'ID','WS','cli'", "state_5.sqlite")
        .send()
        .is("not_submitted", "codex_state_layout_unknown");
    let world = World::with_peer(&[]);
    world.known();
    sqlite(&world.at("home/.codex/state_10.sqlite"), "CREATE TABLE other(x);");
    world.send().is("not_submitted", "codex_state_layout_unknown");
    let world = World::with_peer(&[]);
    fs::write(world.at("home/.codex/state_5.sqlite"), "no database at all, but long enough to be looked at").unwrap();
    world.send().is("not_submitted", "codex_state_unreadable");
    fs::remove_file(world.at("home/.codex/state_5.sqlite")).unwrap();
    Command::new("mkfifo").arg(world.at("home/.codex/state_5.sqlite")).status().unwrap();
    world.send().is("not_submitted", "codex_state_unreadable");
}

#[test]
fn reading_leaves_no_trace() {
    let world = World::with_peer(&[]);
    let path = world.state("home/.codex", &[&world.row("cli", 0, "user")]);
    sqlite(&path, "PRAGMA journal_mode=WAL; UPDATE threads SET title='x';");
    let before = fs::read(&path).unwrap();
    world.codex(&format!("echo 'Queued message {QUEUED} for thread {THREAD}.'"));
    world.done(&["peer", "check", "b"]);
    world.run(&["peer", "discover"]);
    let mut names: Vec<_> =
        fs::read_dir(world.at("home/.codex")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["state_5.sqlite", "thread-writer-locks"]);
    assert_eq!(fs::read(&path).unwrap(), before);
    // And what lies in a live write-ahead log is seen.
    let mut writer = Command::new("sqlite3").arg(&path).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    writer.stdin.as_mut().unwrap().write_all(b"UPDATE threads SET archived=1; SELECT 'done';\n").unwrap();
    BufReader::new(writer.stdout.as_mut().unwrap()).read_line(&mut String::new()).unwrap();
    world.send().is("not_submitted", "recipient_session_archived");
    drop(writer.stdin.take());
    writer.wait().unwrap();
}

#[test]
fn the_database_is_looked_for_where_codex_keeps_it() {
    let receipt = format!("echo 'Queued message {QUEUED} for thread {THREAD}.'");
    // `sqlite_home` beats the variable and is relative to the configuration directory.
    let world = World::with_peer(&[]);
    world.codex(&receipt);
    fs::create_dir_all(world.at("home/.codex/db")).unwrap();
    fs::write(world.at("home/.codex/config.toml"), "sqlite_home = \"db\"\n").unwrap();
    world.state("home/.codex/db", &[&world.row("cli", 0, "user")]);
    let other = world.at("other").display().to_string();
    assert_eq!(world.send_with(&[("CODEX_SQLITE_HOME", &other)]).submission, "submitted");
    fs::write(world.at("home/.codex/config.toml"), "sqlite_home = \"~/.codex/db\"\n").unwrap();
    assert_eq!(world.send().submission, "submitted");
    fs::write(world.at("home/.codex/config.toml"), "key = \"hush\nnot TOML").unwrap();
    world.send().is("not_submitted", "codex_config_unreadable");
    let (answer, _) = world.run(&["peer", "check", "b"]);
    assert!(!answer.to_string().contains("hush"), "{answer}");

    // The variable: trimmed, and relative to the session's directory; the command gets what was found.
    let world = World::with_peer(&[]);
    world.codex(&receipt);
    fs::create_dir_all(world.at("ws/db")).unwrap();
    world.state("ws/db", &[&world.row("cli", 0, "user")]);
    assert_eq!(world.send_with(&[("CODEX_SQLITE_HOME", " db ")]).submission, "submitted");
    assert!(world.calls().contains(&format!("sqlite={} ", world.at("ws/db").display())), "{}", world.calls());

    // A configuration directory that was named for the peer comes before the caller's variables.
    let world = World::new();
    fs::create_dir_all(world.at("mine")).unwrap();
    world.add_peer(&["--home", "ROOT/mine"]);
    world.codex(&receipt);
    world.state("mine", &[&world.row("cli", 0, "user")]);
    world.state("other", &[&world.row("cli", 1, "user")]);
    let other = world.at("other").display().to_string();
    assert_eq!(world.send_with(&[("CODEX_SQLITE_HOME", &other), ("CODEX_HOME", &other)]).submission, "submitted");
    let calls = world.calls();
    assert!(calls.contains(&format!("home={} sqlite= ", world.at("mine").display())), "{calls}");

    // Else the caller's.
    let world = World::with_peer(&[]);
    world.codex(&receipt);
    world.state("other", &[&world.row("cli", 0, "user")]);
    let other = world.at("other").display().to_string();
    assert_eq!(world.send_with(&[("CODEX_HOME", &other)]).submission, "submitted");
    assert!(world.calls().contains(&format!("home={other} ")), "{}", world.calls());
}

// --- withdrawal

#[test]
fn an_acknowledged_notice_is_taken_back_by_the_socket() {
    let world = World::with_peer(&[]);
    let server = world.serve(well);
    let notice = world.send();
    let cleanup = world.ack(&notice.id);
    assert_eq!(
        (cleanup["status"].as_str(), cleanup["queue_id"].as_str()),
        (Some("removed"), Some(QUEUED)),
        "{cleanup}"
    );
    let asked = server.request("thread/queue/delete")["params"].clone();
    assert_eq!(asked, json!({"threadId": THREAD, "queuedSubmissionId": QUEUED}));

    let deleted = |answer: Act| {
        let answer = Mutex::new(Some(answer));
        let world = World::with_peer(&[]);
        let _server =
            world.serve(but("thread/queue/delete", move |_, _| answer.lock().unwrap().take().into_iter().collect()));
        let id = world.send().id;
        world.ack(&id)
    };
    assert_eq!(deleted(Act::Result(json!({"deleted": false})))["status"], "absent");
    let doubt = deleted(Act::Hang);
    assert_eq!(
        (&doubt["status"], &doubt["detail"]),
        (&json!("unknown"), &json!("codex_withdrawal_unconfirmed:closed"))
    );
    let refused = deleted(Act::Error(-32600, format!("session {THREAD} is archived. Run …")));
    assert_eq!((&refused["status"], &refused["detail"]), (&json!("unknown"), &json!("recipient_session_archived")));
}

#[test]
fn without_a_server_a_withdrawal_starts_its_own() {
    let world = World::with_peer(&[]);
    world.known();
    // `codex app-server --stdio` ends when its input does; this one would stay for a while.
    world.codex(&format!(
        "if [ \"$1\" = queue ]; then echo 'Queued message {QUEUED} for thread {THREAD}.'; exit; fi\n\
         echo $$ >{0}/pid\n\
         while read -r line; do case $line in\n\
         *'\"initialize\"'*) echo '{{\"id\":1,\"result\":{{\"userAgent\":\"rig/0.171.0\"}}}}' ;;\n\
         *thread/queue/delete*) echo '{{\"method\":\"x\"}}'; echo '{{\"id\":2,\"result\":{{\"deleted\":true}}}}' ;;\n\
         esac; done; exec sleep 30",
        world.root.display()
    ));
    let notice = world.send();
    let start = Instant::now();
    let cleanup = world.ack(&notice.id);
    assert_eq!(cleanup["status"], "removed", "{cleanup}");
    assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
    assert!(world.calls().contains("[app-server]\n[--stdio]\n"), "{}", world.calls());
    assert!(!is_alive(&await_text(&world.at("pid"))));

    world.codex("exit 1");
    let other = world.run(&["--as", "a", "send", "b", "--message", "x"]).0;
    assert_eq!(other["submission"], "submission_unknown");
    let world = World::with_peer(&[]);
    world.known();
    world.codex(&format!("[ $1 = queue ] && echo 'Queued message {QUEUED} for thread {THREAD}.'"));
    let notice = world.send();
    let cleanup = world.ack(&notice.id);
    assert_eq!(
        (&cleanup["status"], &cleanup["detail"]),
        (&json!("unavailable"), &json!("codex_app_server_not_started"))
    );
    fs::remove_file(world.at("bin/codex")).unwrap();
    let cleanup = world.ack(&notice.id);
    assert_eq!((&cleanup["status"], &cleanup["detail"]), (&json!("unavailable"), &json!("adapter_unavailable")));
}

// --- discovery

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
    let _slow = world.serve(but("thread/read", |_, _| vec![Act::Wait(Duration::from_secs(20))]));
    let named = Server::start(&world.at("named.sock"), world.facts(), well);
    let start = Instant::now();
    let answer = world.done(&["peer", "discover", "--harness", "codex", "--codex-socket", "ROOT/named.sock"]);
    assert!(start.elapsed() < Duration::from_secs(15), "{:?}", start.elapsed());
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
    let start = Instant::now();
    let (answer, exit) = world.run(&["peer", "discover", "--harness", "codex"]);
    assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
    assert_eq!((exit, answer["sessions"].as_array().map(Vec::len)), (2, Some(0)), "{answer}");
    let mut told = sources(&answer);
    told.sort();
    let blind = [("control_socket", "codex_app_server_not_running"), ("state_database", "codex_state_not_found")];
    assert_eq!(told, blind.map(|(source, error)| (source.into(), "unavailable".into(), error.into())), "{answer}");
    assert!(!world.at("home/.codex").exists() && !world.at("mail.sqlite3").exists());
}
