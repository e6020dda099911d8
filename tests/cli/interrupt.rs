//! SIGINT, SIGTERM and SIGHUP: what an interrupted command says, and that it leaves nothing behind.

use std::fs;
use std::io::Write;
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use crate::support::process::{Signal, signal, until};
use crate::support::shell::Shell;
use crate::support::{Ran, Sandbox, finish, keys};

const ALL: [(Signal, i32); 3] = [(Signal::SIGINT, 130), (Signal::SIGTERM, 143), (Signal::SIGHUP, 129)];
const ID: &str = "1f0c9d52-aaaa-4aaa-8aaa-000000000001";

/// Interrupts a command and checks what every interrupted one says.
fn interrupt(child: Child, with: Signal, code: i32) -> (Ran, Value) {
    signal(&child, with);
    let ran = finish(child);
    assert_eq!(ran.code, code, "{ran:?}");
    let object = ran.json();
    assert_eq!(keys(&object), ["state", "message_id", "persistence", "recovery", "next_action"]);
    assert_eq!(object["state"], "interrupted");
    assert!(object["next_action"].as_str().unwrap().contains("Do not resend"), "{object}");
    let mut expected = vec!["peers", "sent", "inbox"];
    if !object["message_id"].is_null() {
        expected.push("show");
    }
    assert_eq!(keys(&object["recovery"]), expected);
    (ran, object)
}

fn waits(sandbox: &Sandbox) -> (String, usize) {
    let files = fs::read_dir(sandbox.root()).unwrap().map(|file| file.unwrap().path());
    let bells = files.filter(|file| file.to_str().unwrap().contains("-wait-")).count();
    // The first to open a mailbox locks it for a moment.
    (sandbox.sqlite(".timeout 10000\nSELECT count(*) FROM waits;").text().to_owned(), bells)
}

#[test]
fn a_fifo_that_blocks_is_left_at_once() {
    for (with, code) in ALL {
        let sandbox = Sandbox::with_peers(&["a", "b"]);
        sandbox.sh("mkfifo fifo").text();
        // A FIFO that nobody has opened for writing yet: what is known of the command is that it has come as far as
        // reading the mailbox, which is the last thing before.
        let blocked = sandbox.start(&["--as", "a", "send", "b", "--message-file", "fifo"]);
        until("the open mailbox", || {
            let files = fs::read_dir(format!("/proc/{}/fd", blocked.id())).unwrap();
            files.filter_map(|file| fs::read_link(file.ok()?.path()).ok()).any(|file| file == sandbox.mailbox())
        });
        let (_, object) = interrupt(blocked, with, code);
        assert_eq!((&object["message_id"], &object["persistence"]), (&Value::Null, &json!("unknown")));

        // One whose writer keeps it open: the writer's open returns when the reader is there.
        let blocked = sandbox.start(&["--as", "a", "send", "b", "--message-file", "fifo"]);
        let mut writer = fs::OpenOptions::new().write(true).open(sandbox.root().join("fifo")).unwrap();
        writer.write_all(b"the beginning").unwrap();
        interrupt(blocked, with, code);
        drop(writer);
        assert_eq!(sandbox.sqlite("SELECT count(*) FROM messages;").text(), "0");
    }
}

#[test]
fn standard_input_that_blocks_is_left_at_once() {
    for (with, code) in ALL {
        let sandbox = Sandbox::with_peers(&["a", "b"]);
        let mut command = sandbox.htalk_command(&["--as", "a", "send", "b", "--message-file", "-"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut blocked = command.spawn().unwrap();
        // More than a pipe holds, so that a part has been read when all is written.
        let mut stdin = blocked.stdin.take().unwrap();
        stdin.write_all(&[b'x'; 70_000]).unwrap();
        let (_, object) = interrupt(blocked, with, code);
        assert_eq!(object["persistence"], "unknown");
        drop(stdin);
        assert_eq!(sandbox.sqlite("SELECT count(*) FROM messages;").text(), "0");
    }
}

#[test]
fn an_interrupted_wait_takes_its_registration_back() {
    for (with, code) in ALL {
        let sandbox = Sandbox::with_peers(&["a", "b"]);
        let request = sandbox.send("a", "b", "x");
        let waiting = sandbox.start(&["--as", "a", "wait", &request[..10]]);
        until("the registration", || waits(&sandbox) == ("1".to_owned(), 1));
        let (_, object) = interrupt(waiting, with, code);
        assert_eq!((&object["message_id"], &object["persistence"]), (&json!(request), &json!("saved")));
        assert_eq!(waits(&sandbox), ("0".to_owned(), 0));
        let shown = sandbox.sh(object["recovery"]["show"].as_str().unwrap()).done();
        assert_eq!(shown["id"], request);
    }
}

#[test]
fn an_interrupted_send_that_waits_says_that_it_is_saved() {
    for (with, code) in ALL {
        let sandbox = Sandbox::with_peers(&["a", "b"]);
        let waiting = sandbox.start(&["--as", "a", "send", "b", "--message", "x", "--id", ID, "--wait", "45"]);
        until("the registration", || waits(&sandbox) == ("1".to_owned(), 1));
        let (_, object) = interrupt(waiting, with, code);
        assert_eq!((&object["message_id"], &object["persistence"]), (&json!(ID), &json!("saved")));
        assert_eq!(waits(&sandbox), ("0".to_owned(), 0));
        assert_eq!(sandbox.sh(object["recovery"]["show"].as_str().unwrap()).done()["body"], "x");
        assert_eq!(sandbox.sh(object["recovery"]["sent"].as_str().unwrap()).done()["total"], 1);
    }
}

#[test]
fn a_wait_that_is_interrupted_during_a_lock_takes_its_registration_back_after_it() {
    for (with, code) in ALL {
        let sandbox = Sandbox::with_peers(&["a", "b"]);
        let request = sandbox.send("a", "b", "x");
        let waiting = sandbox.start(&["--as", "a", "wait", &request]);
        until("the registration", || waits(&sandbox) == ("1".to_owned(), 1));
        let mut lock = Shell::lock(&sandbox);
        signal(&waiting, with);
        // The bell goes down first; the registration has to wait for its turn.
        until("the bell is gone", || waits(&sandbox).1 == 0);
        assert_eq!(waits(&sandbox).0, "1");
        lock.tell("ROLLBACK;");
        assert_eq!(finish(waiting).code, code);
        assert_eq!(waits(&sandbox), ("0".to_owned(), 0));
    }
}

#[test]
fn a_send_that_waits_for_the_lock_ends_at_once_and_saves_nothing_later() {
    for (with, code) in ALL {
        for verb in ["send", "reply", "ack"] {
            let sandbox = Sandbox::with_peers(&["a", "b"]);
            let request = sandbox.send("a", "b", "x");
            let words = match verb {
                "send" => vec!["--as", "a", "send", "b", "--message", "y", "--id", ID],
                "reply" => vec!["--as", "b", "reply", &request, "--message", "y"],
                _ => vec!["--as", "b", "ack", &request],
            };
            let mut lock = Shell::lock(&sandbox);
            let waiting = sandbox.start(&words);
            // The queue is joined by those who found the mailbox locked.
            until("the queue", || sandbox.root().join("mail.sqlite3-queue").exists());
            let (_, object) = interrupt(waiting, with, code);
            assert_eq!(object["persistence"], "unknown");
            assert!(object["message_id"].is_string(), "{verb}");
            lock.tell("ROLLBACK;");
            assert_eq!(
                sandbox.sqlite("SELECT (SELECT count(*) FROM messages), (SELECT count(*) FROM acks);").text(),
                "1|0"
            );
            // What was interrupted can be done now.
            sandbox.htalk(&words).done();
        }
    }
}

#[test]
fn an_interrupted_watch_just_ends() {
    for (with, code) in ALL {
        let sandbox = Sandbox::with_peers(&["a"]);
        let mut watching = sandbox.start(&["--as", "a", "watch"]);
        let mut lines = std::io::BufRead::lines(std::io::BufReader::new(watching.stdout.take().unwrap()));
        assert!(lines.next().unwrap().unwrap().contains("ready"));
        signal(&watching, with);
        assert!(lines.next().is_none());
        let ran = finish(watching);
        assert_eq!((ran.code, ran.err.as_str()), (code, ""));
    }
}

#[test]
fn an_interrupt_without_an_actor_still_names_the_ways_on() {
    // Registering is all that writes without an actor.
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let _lock = Shell::lock(&sandbox);
    let waiting = sandbox.start(&["peer", "retire", "a"]);
    until("the queue", || sandbox.root().join("mail.sqlite3-queue").exists());
    let (_, object) = interrupt(waiting, Signal::SIGINT, 130);
    assert_eq!(object["message_id"], Value::Null);
    for command in ["peers", "sent", "inbox"] {
        assert!(object["recovery"][command].as_str().unwrap().starts_with("htalk --db "), "{object}");
    }
}
