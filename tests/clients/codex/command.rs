//! A notice by the command `codex queue`, where no server listens.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::fake::*;
use super::world::*;
use crate::support::process::{Signal, assert_within, awaited, deserted_socket, is_alive, signal};
use crate::support::{finish, run};

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
    deserted_socket(&world.at("gone.sock"));
    symlink(world.at("gone.sock"), world.control()).unwrap();
    assert_eq!(world.send().submission, "submitted");
    fs::remove_file(world.at("gone.sock")).unwrap();
    assert_eq!(world.send().submission, "submitted");
}

#[test]
fn a_held_lock_tells_a_loaded_thread() {
    let world = World::with_queue();
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
        world.codex(&format!("cat {0}/out; cat {0}/err >&2; exit {exit}", world.root().display()));
        world.send().is(submission, code);
    }
}

#[test]
fn a_command_that_hangs_is_ended_with_all_it_started() {
    let world = World::with_peer(&[]);
    world.known();
    let root = world.root().display();
    // One child in the group, one that left it and its parent. All of them outlast the ceiling of the time limit.
    world.codex(&format!(
        "sleep 600 & echo $! >>{root}/pids\nsetsid sh -c 'sleep 600 & echo $! >>{root}/pids' &\nexec sleep 600"
    ));
    let start = Instant::now();
    world.send().is("submission_unknown", "codex_cli_unconfirmed_receipt:timed_out");
    assert_within(Duration::from_secs(10), start);
    let pids = fs::read_to_string(world.at("pids")).unwrap();
    assert_eq!(pids.lines().count(), 2);
    assert!(pids.lines().all(|pid| !is_alive(pid.parse().unwrap())), "{pids}");
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
    world.codex(&format!("echo $$ >{}/pid; exec sleep 600", world.root().display()));
    let mut command = world.command(&["--as", "a", "send", "b", "--message", "x"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let pid = awaited(&world.at("pid"));
    signal(&child, Signal::SIGTERM);
    let answer = finish(child).ended(143);
    assert_eq!(answer["persistence"], "saved", "{answer}");
    assert!(!is_alive(pid));
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
    assert_eq!(run(&mut command, b"").ended(2)["notification_detail"], "adapter_unavailable");
    // A `codex` that the workspace brings is none.
    fs::copy("/bin/true", world.at("ws/codex")).unwrap();
    let mut command = world.command(&["--as", "a", "send", "b", "--message", "x"]);
    command.env("PATH", ".:").current_dir(world.at("ws"));
    assert_eq!(run(&mut command, b"").ended(2)["notification_detail"], "adapter_unavailable");
}

#[test]
fn nothing_says_where_codex_keeps_its_things() {
    let world = World::with_peer(&[]);
    let mut command = world.command(&["peer", "check", "b"]);
    command.env_remove("HOME").env_remove("CODEX_HOME");
    run(&mut command, b"").refused("codex_home_unknown");
}
