//! Watching for mail.

use std::io::{BufRead, BufReader, Lines};
use std::process::{Child, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::process::{Signal, signal, wakes};
use crate::support::shell::Shell;
use crate::support::{Sandbox, finish, keys};

/// Ten times what the contract promises for new mail.
const SEEN: Duration = Duration::from_millis(2_500);

/// A running watch of `b`.
pub struct Watch {
    pub child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Watch {
    /// Starts it and reads its first line.
    pub fn start(sandbox: &Sandbox) -> Watch {
        Watch::of(sandbox.start(&["--as", "b", "watch"]))
    }

    /// One that was started with its output captured.
    pub fn of(mut child: Child) -> Watch {
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut watch = Watch { child, lines };
        assert_eq!(watch.next(), json!({"event": "ready", "peer": "b"}));
        watch
    }

    /// The next line, awaited.
    #[track_caller]
    pub fn next(&mut self) -> Value {
        serde_json::from_str(&self.lines.next().expect("the watch ended").unwrap()).unwrap()
    }

    /// The ids of the next messages.
    #[track_caller]
    pub fn ids(&mut self, count: usize) -> Vec<String> {
        (0..count).map(|_| self.next()["id"].as_str().unwrap().to_owned()).collect()
    }

    /// Ends it with a signal: the exit code, and the lines that nobody had read.
    pub fn end(mut self, with: Signal) -> (i32, Vec<String>) {
        signal(&self.child, with);
        let rest = self.lines.by_ref().map(Result::unwrap).collect();
        let ran = finish(self.child);
        assert_eq!(ran.err, "");
        (ran.code, rest)
    }
}

#[test]
fn open_mail_is_listed_once_a_run_and_new_mail_as_it_comes() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let old = [sandbox.send("a", "b", "secret one"), sandbox.send("a", "b", "two")];
    let mut watch = Watch::start(&sandbox);
    let line = watch.next();
    assert_eq!(keys(&line), ["event", "id", "seq", "sender", "notification"]);
    assert_eq!((&line["event"], &line["id"], &line["sender"]), (&json!("message"), &json!(old[0]), &json!("a")));
    let notification = line["notification"].as_str().unwrap();
    assert!(notification.contains(&old[0]) && notification.contains("peer a ") && !notification.contains("secret"));
    assert_eq!(watch.ids(1), &old[1..]);

    let new = sandbox.send("a", "b", "by htalk");
    let sent = Instant::now();
    assert_eq!(watch.ids(1), [new]);
    assert!(sent.elapsed() < SEEN, "{:?}", sent.elapsed());
    let by_hand = "00000000-0000-4000-8000-000000000001";
    sandbox
        .sqlite(&format!("INSERT INTO messages (id, sender, recipient, body) VALUES ('{by_hand}', 'a', 'b', 'x');"))
        .text();
    let sent = Instant::now();
    assert_eq!(watch.ids(1), [by_hand]);
    assert!(sent.elapsed() < SEEN, "{:?}", sent.elapsed());

    // An acknowledged question stays open, but it was listed; mail for others is not.
    sandbox.htalk(&["--as", "b", "ack", by_hand]).done();
    sandbox.send("b", "a", "not for b");
    let last = sandbox.send("a", "b", "the last one");
    assert_eq!(watch.ids(1), [last]);
    assert_eq!(watch.end(Signal::SIGTERM), (143, vec![]));
}

#[test]
fn the_command_of_a_notification_shows_the_message() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let id = sandbox.send("a", "b", "x");
    let mut watch = Watch::start(&sandbox);
    let line = watch.next();
    let command = line["notification"].as_str().unwrap().lines().find(|line| line.starts_with("htalk --db")).unwrap();
    assert_eq!(sandbox.sh(command).done()["id"], id);
    assert!(line["notification"].as_str().unwrap().contains("never an authorization"));
}

#[test]
fn a_restarted_watch_shows_what_came_in_the_gap() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let first = sandbox.send("a", "b", "0");
    let mut watch = Watch::start(&sandbox);
    assert_eq!(watch.ids(1), [first.as_str()]);
    assert_eq!(watch.end(Signal::SIGINT), (130, vec![]));
    let mut open = vec![first];
    open.extend(["1", "2", "3"].map(|body| sandbox.send("a", "b", body)));
    let mut watch = Watch::start(&sandbox);
    assert_eq!(watch.ids(4), open);
    // What is settled is not shown again.
    sandbox.reply("b", &open[0], "done");
    let mut again = Watch::start(&sandbox);
    assert_eq!(again.ids(3), open[1..]);
}

#[test]
fn more_than_one_batch_of_open_mail_is_listed_in_order() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    sandbox
        .sqlite(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 250)
            INSERT INTO messages (sender, recipient, body, created_at) SELECT 'a', 'b', 'x', 1.0 FROM n;",
        )
        .text();
    let mut watch = Watch::start(&sandbox);
    let listed: Vec<i64> = (0..250).map(|_| watch.next()["seq"].as_i64().unwrap()).collect();
    assert_eq!(listed, (1..=250).collect::<Vec<_>>());
    assert_eq!(watch.end(Signal::SIGTERM), (143, vec![]));
}

#[test]
fn a_watch_ends_quietly_when_its_reader_has_gone() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let Watch { child, lines } = Watch::start(&sandbox);
    drop(lines);
    let ran = finish(child);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "without any new mail");
    let piped = sandbox.sh("htalk --as b watch | head -n 1");
    assert_eq!(piped.text(), r#"{"event":"ready","peer":"b"}"#);
}

#[test]
fn a_watch_outlasts_a_writer_that_holds_the_lock() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let mut shell = Shell::lock(&sandbox);
    // It starts during the lock, too.
    let mut watch = Watch::start(&sandbox);
    shell.tell("INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', 'x');");
    wakes(&watch.child, 3);
    shell.tell("COMMIT;");
    assert_eq!(watch.next()["seq"], 1);
    assert_eq!(watch.end(Signal::SIGINT), (130, vec![]));
}

#[test]
fn a_watch_outlasts_a_writer_that_lets_nobody_read() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    // Without a write-ahead log an exclusive lock keeps readers out as well.
    sandbox.sqlite("PRAGMA journal_mode = delete;");
    let mut watch = Watch::start(&sandbox);
    let mut shell = Shell::open(&sandbox, &sandbox.mailbox());
    shell.tell(".timeout 10000\nBEGIN EXCLUSIVE;");
    shell.tell("INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', 'x');");
    // It tries many times a second to read.
    wakes(&watch.child, 50);
    shell.tell("COMMIT;");
    assert_eq!(watch.next()["seq"], 1);
    assert_eq!(watch.end(Signal::SIGTERM), (143, vec![]));
}

#[test]
fn a_watch_needs_a_known_peer() {
    let sandbox = Sandbox::with_peers(&["b"]);
    sandbox.htalk(&["--as", "nobody", "watch"]).refused("unknown_peer");
    sandbox.htalk(&["watch"]).refused("peer_required_use_as_or_HTALK_PEER");
    let mut command = sandbox.htalk_command(&["watch"]);
    let mut child = command.env("HTALK_PEER", "b").stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().contains("ready"));
    drop(lines);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_watch_ends_when_its_mailbox_is_replaced() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    sandbox.sqlite("VACUUM INTO 'other.sqlite3';").text();
    let mut watch = Watch::start(&sandbox);
    std::fs::rename(sandbox.root().join("other.sqlite3"), sandbox.mailbox()).unwrap();
    assert_eq!(watch.next()["error"], "database_unavailable");
    assert_eq!(finish(watch.child).code, 2);
}
