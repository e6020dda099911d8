//! A watch or wait whose files are changed under it sees what comes, or ends with an error. It is never deaf.

use std::fs;
use std::process::{Child, Stdio};

use serde_json::Value;

use super::watch::Watch;
use crate::support::process::{Signal, until};
use crate::support::shell::Shell;
use crate::support::{Sandbox, finish, has};

/// A running wait of `a` that has registered.
fn waiting(sandbox: &Sandbox, request: &str) -> Child {
    let child = sandbox.start(&["--as", "a", "wait", request, "--seconds", "45"]);
    let is_registered = || sandbox.sqlite("SELECT count(*) FROM waits;").out.trim() == "1";
    until("the registration", is_registered);
    child
}

fn side(sandbox: &Sandbox, ending: &str) -> std::path::PathBuf {
    sandbox.root().join(format!("mail.sqlite3{ending}"))
}

#[test]
fn side_files_that_are_removed() {
    for gone in [&["-wal", "-shm"][..], &["-shm"], &["-wal"]] {
        let sandbox = Sandbox::with_peers(&["a", "b"]);
        let request = sandbox.send("a", "b", "before");
        let mut watch = Watch::start(&sandbox);
        assert_eq!(watch.ids(1), [request.as_str()]);
        let wait = waiting(&sandbox, &request);
        sandbox.sqlite("PRAGMA wal_checkpoint(truncate);").text();
        for ending in gone {
            fs::remove_file(side(&sandbox, ending)).unwrap();
        }
        let later = sandbox.send("a", "b", "behind");
        assert_eq!(watch.ids(1), [later], "{gone:?}");
        sandbox.reply("b", &request, "answered");
        assert_eq!(finish(wait).done()["reply"]["body"], "answered", "{gone:?}");
        let last = sandbox.send("a", "b", "and on");
        assert_eq!(watch.ids(1), [last], "{gone:?}");
        assert_eq!(watch.end(Signal::SIGTERM), (143, vec![]));
        sandbox.assert_sound();
    }
}

/// Between two looks the files are away and others are there again.
#[test]
fn side_files_that_are_replaced() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let mut watch = Watch::start(&sandbox);
    sandbox.sqlite("PRAGMA wal_checkpoint(truncate);").text();
    for round in 0..5 {
        for ending in ["-wal", "-shm"] {
            fs::remove_file(side(&sandbox, ending)).unwrap();
        }
        let id = sandbox.send("a", "b", &format!("{round}"));
        assert_eq!(watch.ids(1), [id]);
        sandbox.sqlite("PRAGMA wal_checkpoint(truncate);").text();
    }
    assert_eq!(watch.end(Signal::SIGTERM), (143, vec![]));
    sandbox.assert_sound();
}

/// Row by row: no id twice in a run, though numbers are given anew.
#[test]
fn a_restore_in_place_by_the_shell_takes_numbers_back() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let settled = sandbox.send("a", "b", "settled later");
    let kept = sandbox.send("a", "b", "kept");
    sandbox.sqlite(".backup copy").text();
    sandbox.reply("b", &settled, "done");
    let lost: Vec<String> = ["1", "2", "3"].map(|body| sandbox.send("a", "b", body)).into();
    let mut watch = Watch::start(&sandbox);
    assert_eq!(watch.ids(4), [&[kept][..], &lost].concat());
    sandbox.sqlite(".restore copy").text();
    // What was settled is open again, and was not told yet.
    assert_eq!(watch.ids(1), [settled]);
    let anew: Vec<String> = ["4", "5", "6", "7"].map(|body| sandbox.send("a", "b", body)).into();
    assert_eq!(watch.ids(4), anew);
    assert_eq!(watch.end(Signal::SIGTERM), (143, vec![]));
}

/// The look comes only when the numbers are back where they were.
#[test]
fn a_restore_that_is_written_over_before_the_next_look() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    sandbox.sqlite(".backup copy").text();
    let first = sandbox.send("a", "b", "taken back");
    let mut watch = Watch::start(&sandbox);
    assert_eq!(watch.ids(1), [first]);
    crate::support::process::signal(&watch.child, Signal::SIGSTOP);
    sandbox.sqlite(".restore copy").text();
    let anew = [sandbox.send("a", "b", "the same number"), sandbox.send("a", "b", "the next")];
    crate::support::process::signal(&watch.child, Signal::SIGCONT);
    assert_eq!(watch.ids(2), anew);
    assert_eq!(watch.end(Signal::SIGTERM), (143, vec![]));
}

#[test]
fn a_wait_whose_request_is_taken_back_ends_with_an_error() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    sandbox.sqlite(".backup copy").text();
    let request = sandbox.send("a", "b", "taken back");
    let wait = waiting(&sandbox, &request);
    sandbox.sqlite(".restore copy").text();
    let refused = finish(wait).refused("unknown_request");
    assert!(refused["detail"].as_str().unwrap().contains("restored"), "{refused}");
}

#[test]
fn a_watch_whose_peer_is_taken_back_ends_with_an_error() {
    let sandbox = Sandbox::with_peers(&["a"]);
    sandbox.sqlite(".backup copy").text();
    sandbox.htalk(&["peer", "add", "b", "--harness", "test", "--delivery", "pull"]).done();
    let mut watch = Watch::start(&sandbox);
    sandbox.sqlite(".restore copy").text();
    assert_eq!(watch.next()["error"], "unknown_peer");
    assert_eq!(finish(watch.child).code, 2);
}

/// A sandbox that may only read opens the mailbox when nobody has it open, and then others begin to write.
#[test]
fn a_read_only_view_that_becomes_live() {
    if !has("bwrap") {
        return;
    }
    for mode in ["wal", "delete"] {
        let sandbox = Sandbox::with_peers(&["a", "b"]);
        let old = sandbox.send("a", "b", "old");
        sandbox.sqlite(&format!("PRAGMA journal_mode = {mode};")).text();
        assert!(!side(&sandbox, "-wal").exists());
        let mut command = sandbox.command("bwrap");
        command.args(["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--", env!("CARGO_BIN_EXE_htalk")]);
        command.args(["--as", "b", "watch"]).env("HTALK_DB", sandbox.mailbox()).stdout(Stdio::piped());
        let mut watch = Watch::of(command.spawn().unwrap());
        assert_eq!(watch.ids(1), [old]);
        for body in ["1", "2"] {
            let id = sandbox.send("a", "b", body);
            assert_eq!(watch.ids(1), [id], "{mode}");
        }
        let mut shell = Shell::open(&sandbox, &sandbox.mailbox());
        let id = "00000000-0000-4000-8000-000000000001";
        shell.tell(&format!("INSERT INTO messages (id, sender, recipient, body) VALUES ('{id}', 'a', 'b', 'x');"));
        assert_eq!(watch.ids(1), [id], "{mode}");
        drop(watch.child.kill());
        drop(watch.child.wait());
    }
}

/// What a damaged mailbox has to say is an error.
#[test]
fn a_mailbox_that_is_damaged_under_a_watch() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    sandbox.sqlite("PRAGMA journal_mode = delete;").text();
    let mut watch = Watch::start(&sandbox);
    let length = fs::metadata(sandbox.mailbox()).unwrap().len();
    fs::File::options().write(true).open(sandbox.mailbox()).unwrap().set_len(length / 2).unwrap();
    let told: Value = watch.next();
    assert_eq!(told["error"], "database_corrupt");
    assert_eq!(finish(watch.child).code, 2);
}
