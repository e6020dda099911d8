//! Many processes at once, and a mailbox that another program keeps locked.

use std::thread;
use std::time::{Duration, Instant};

use crate::support::shell::Shell;
use crate::support::{Sandbox, finish, run};

#[test]
fn sixteen_first_registrations_at_once() {
    for _ in 0..40 {
        let sandbox = Sandbox::new();
        let mailbox = sandbox.root().join("some/new/place/mail.sqlite3");
        let started: Vec<_> = (0..16)
            .map(|index| {
                let name = format!("p{index}");
                sandbox.start(&[
                    "--db",
                    mailbox.to_str().unwrap(),
                    "peer",
                    "add",
                    &name,
                    "--harness",
                    "test",
                    "--delivery",
                    "pull",
                ])
            })
            .collect();
        for child in started {
            finish(child).done();
        }
        let listed = sandbox.htalk(&["--db", mailbox.to_str().unwrap(), "peer", "list"]).done();
        assert_eq!(listed["peers"].as_array().unwrap().len(), 16);
    }
}

#[test]
fn one_registration_by_many() {
    let sandbox = Sandbox::new();
    let add = ["peer", "add", "a", "--harness", "test", "--delivery", "pull"];
    let started: Vec<_> = (0..8).map(|_| sandbox.start(&add)).collect();
    for child in started {
        assert_eq!(finish(child).done()["name"], "a");
    }
}

#[test]
fn ten_processes_send_while_another_holds_the_lock() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let seen = sandbox.send("a", "b", "before");
    let mut holder = Shell::lock(&sandbox);
    let begin = Instant::now();
    thread::scope(|scope| {
        let senders: Vec<_> = (0..10)
            .map(|_| {
                scope.spawn(|| {
                    for _ in 0..50 {
                        sandbox.htalk(&["--as", "a", "send", "b", "--message", "x"]).done();
                    }
                })
            })
            .collect();
        let mut reads = 0;
        while begin.elapsed() < Duration::from_secs(3) {
            assert_eq!(sandbox.htalk(&["--as", "b", "inbox"]).done()["total"], 1, "nobody else writes");
            assert_eq!(sandbox.htalk(&["--as", "b", "show", &seen]).done()["body"], "before");
            reads += 1;
        }
        assert!(reads > 0);
        holder.tell("COMMIT;");
        for sender in senders {
            sender.join().unwrap();
        }
    });
    assert_eq!(sandbox.htalk(&["--as", "b", "inbox"]).done()["total"], 501);
    sandbox.assert_sound();
}

#[test]
fn one_answer_and_one_acknowledgment_among_many() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let request = sandbox.send("a", "b", "x");
    let replies: Vec<_> = (0..8)
        .map(|index| sandbox.start(&["--as", "b", "reply", &request, "--message", &format!("answer {}", index % 4)]))
        .collect();
    let (done, refused): (Vec<_>, Vec<_>) = replies.into_iter().map(finish).partition(|ran| ran.code == 0);
    assert_eq!(done.len(), 2, "one was saved, the same again is no conflict");
    assert_eq!(done.iter().filter(|ran| ran.json()["created"] == true).count(), 1);
    for ran in refused {
        ran.refused("reply_conflict_existing_answer_preserved");
    }
    let answer = done[0].json()["id"].as_str().unwrap().to_owned();
    let acks: Vec<_> = (0..8).map(|_| sandbox.start(&["--as", "a", "ack", &answer])).collect();
    let times: Vec<_> = acks.into_iter().map(|child| finish(child).done()["ack_at"].clone()).collect();
    assert!(times.iter().all(|time| *time == times[0]), "{times:?}");
}

#[test]
fn one_message_under_one_id() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let id = uuid::Uuid::new_v4().to_string();
    let sends: Vec<_> =
        (0..8).map(|_| sandbox.start(&["--as", "a", "send", "b", "--message", "x", "--id", &id])).collect();
    let created = sends.into_iter().map(|child| finish(child).done()["created"] == true);
    assert_eq!(created.filter(|created| *created).count(), 1);
}

/// A lock that outlasts every patience: each writer gives up after about ten seconds, and says that it may be repeated.
#[test]
fn a_lock_that_is_not_given_back() {
    let current = Sandbox::with_peers(&["a", "b"]);
    let id = current.send("a", "b", "x");
    let old = Sandbox::new();
    old.legacy("v2-early");
    let before = old.old_facts(&old.mailbox());
    let rollback = Sandbox::with_peers(&["a", "b"]);
    rollback.sqlite("PRAGMA journal_mode = delete;").text();
    let locks = [&current, &old, &rollback].map(Shell::lock);
    let begin = Instant::now();
    let writers: Vec<_> = [
        (&current, &["--as", "a", "send", "b", "--message", "y"][..]),
        (&current, &["--as", "b", "reply", &id, "--message", "y"]),
        (&current, &["--as", "b", "ack", &id]),
        (&current, &["peer", "add", "c", "--harness", "test", "--delivery", "pull"]),
        (&current, &["peer", "retire", "b"]),
        (&rollback, &["--as", "a", "send", "b", "--message", "y"]),
        (&old, &["migrate"]),
        (&old, &["--as", "builder", "inbox"]),
    ]
    .into_iter()
    .map(|(sandbox, words)| sandbox.start(words))
    .collect();
    current.htalk(&["--as", "b", "inbox"]).done();
    current.htalk(&["--as", "b", "show", &id]).done();
    current.htalk(&["--as", "a", "sent"]).done();
    for child in writers {
        let answer = finish(child).refused("database_busy");
        let elapsed = begin.elapsed();
        assert!(elapsed > Duration::from_secs(9) && elapsed < Duration::from_secs(100), "{elapsed:?}");
        let next = answer["next_action"].as_str().unwrap();
        assert!(next.contains("safe") && next.contains("--id"), "{next}");
    }
    drop(locks);
    assert_eq!(current.htalk(&["--as", "a", "sent"]).done()["total"], 1, "nothing was saved");
    assert!(old.backups().is_empty());
    assert_eq!(old.old_facts(&old.mailbox()), before);
}

/// One mailbox, whatever the working directory and the way to it.
#[test]
fn ways_to_one_mailbox() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let deep = sandbox.root().join("work/deep");
    std::fs::create_dir_all(&deep).unwrap();
    std::os::unix::fs::symlink(sandbox.root(), sandbox.root().join("work/way")).unwrap();
    std::os::unix::fs::symlink("../mail.sqlite3", sandbox.root().join("work/mail")).unwrap();
    let resolved = sandbox.mailbox();
    for way in
        ["../../mail.sqlite3", "../way/mail.sqlite3", "../mail", "~/mail.sqlite3", "../way/work/way/mail.sqlite3"]
    {
        let mut command = sandbox.htalk_command(&["--as", "a", "send", "b", "--message", way]);
        let sent = run(command.env("HTALK_DB", way).current_dir(&deep), b"").done();
        let show = sent["recovery"]["show"].as_str().unwrap();
        assert!(show.contains(resolved.to_str().unwrap()), "{way}: {show}");
    }
    assert_eq!(sandbox.htalk(&["--as", "b", "inbox"]).done()["total"], 5);
}
