//! The demonstration.

use std::fs;

use crate::support::process::{Signal, closed_pipe, signal, until};
use crate::support::{Sandbox, finish, run};

/// A sandbox whose temporary directory is empty, and the command in it.
fn demo() -> (Sandbox, std::process::Command) {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.root().join("tmp dir")).unwrap();
    let mut command = sandbox.htalk_command(&["demo"]);
    command.env("TMPDIR", sandbox.root().join("tmp dir"));
    (sandbox, command)
}

fn left(sandbox: &Sandbox) -> usize {
    fs::read_dir(sandbox.root().join("tmp dir")).unwrap().count()
}

#[test]
fn it_shows_a_whole_exchange_and_leaves_nothing_behind() {
    let (sandbox, mut command) = demo();
    // Neither another mailbox nor another caller gets in its way.
    command.env("HTALK_PEER", "nobody").env("HTALK_DB", "/nowhere").env("CODEX_THREAD_ID", "x").env("LC_ALL", "C");
    let ran = run(&mut command, b"");
    let text = ran.text();
    for verb in ["peer add", "send", "inbox", "ack", "reply", "wait"] {
        assert!(text.lines().any(|line| line.starts_with("$ htalk --db ") && line.contains(verb)), "{verb}: {text}");
    }
    for line in text.lines().filter(|line| line.starts_with('{')) {
        let result: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_ne!(result["state"], "error");
    }
    assert_eq!(left(&sandbox), 0);
    assert!(!sandbox.mailbox().exists());
}

#[test]
fn what_it_shows_can_be_typed() {
    let (sandbox, mut command) = demo();
    let shown = run(&mut command, b"");
    // Everything but the results and the remarks, in the same mailbox made anew.
    let mut typed = String::from("set -e\n");
    for line in shown.text().lines().filter(|line| !line.starts_with(['{', '#']) && !line.starts_with("Everything")) {
        typed += line.strip_prefix("$ ").unwrap_or(line);
        typed += "\n";
    }
    let directory = typed.split('\'').nth(1).unwrap().strip_suffix("/mail.sqlite3").unwrap().to_owned();
    fs::create_dir(&directory).unwrap();
    // The id of the request is another one each time, so only what comes before it can be repeated.
    let until_request = typed.split(" ack ").next().unwrap().rsplit_once('\n').unwrap().0;
    let ran = sandbox.sh(until_request);
    assert!(ran.code == 0 && ran.err.is_empty(), "{until_request}\n{ran:?}");
}

#[test]
fn it_removes_its_mailbox_when_it_is_interrupted_or_nobody_reads_it() {
    for (with, code) in [(Signal::SIGINT, 130), (Signal::SIGTERM, 143)] {
        let (sandbox, mut command) = demo();
        let child = command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap();
        until("its mailbox", || left(&sandbox) == 1);
        signal(&child, with);
        let ran = finish(child);
        assert!(ran.code == code || ran.code == 0 && ran.out.contains("removed"), "{ran:?}");
        assert_eq!(ran.err, "");
        assert_eq!(left(&sandbox), 0);
    }
    let (sandbox, mut command) = demo();
    let ran = finish(command.stdout(closed_pipe()).stderr(std::process::Stdio::piped()).spawn().unwrap());
    assert_eq!(ran.err, "");
    assert_eq!(left(&sandbox), 0);
}
