//! Processes that are killed in the middle: what a command said is saved is there, and nothing is there by half.

use std::fs;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use crate::support::{Ran, Sandbox, has, kill, run, schema_version};

/// How long a command takes here and now, so that the moments of killing cover all of it on any machine.
fn duration(sandbox: &Sandbox, words: &[&str]) -> Duration {
    let begin = Instant::now();
    sandbox.htalk(words).done();
    begin.elapsed()
}

/// Ends a process after a part of the time that it would take.
fn kill_after(child: Child, whole: Duration, part: f64) -> Ran {
    // Not to wait for anything: to die at an arbitrary moment is what is tried.
    std::thread::sleep(whole.mul_f64(part));
    kill(child)
}

/// A command that dies at its `nth` call of `call`, whatever that call is for.
fn dying_at(sandbox: &Sandbox, call: &str, nth: u32, words: &[&str]) -> Command {
    let mut command = sandbox.command("strace");
    let inject = format!("inject={call}:signal=KILL:when={nth}");
    command.args(["-f", "-qq", "-o", "/dev/null", "-e", &format!("trace={call}"), "-e", &inject]);
    command.arg(env!("CARGO_BIN_EXE_htalk")).args(words).env("HTALK_DB", sandbox.mailbox());
    command
}

/// The calls with which a process changes files.
const CALLS: [&str; 8] = ["pwrite64", "fdatasync", "fsync", "ftruncate", "unlink", "rename", "fchmod", "mkdir"];

/// The mailbox is either the old one or the new one, complete; then the next command finishes the job.
#[track_caller]
fn either_old_or_new(sandbox: &Sandbox, facts: &str) -> bool {
    let is_new = match sandbox.sqlite("PRAGMA user_version;").text() {
        new if new == schema_version().to_string() => true,
        "2" => false,
        other => panic!("version {other}"),
    };
    if !is_new {
        assert_eq!(sandbox.old_facts(&sandbox.mailbox()), facts);
    }
    for backup in sandbox.backups() {
        if backup.extension().unwrap() == "sqlite3" {
            assert_eq!(sandbox.old_facts(&backup), facts, "under its final name a backup is complete");
        }
    }
    sandbox.htalk(&["--as", "builder", "inbox"]).done();
    assert_eq!(sandbox.facts(), facts);
    sandbox.assert_sound();
    is_new
}

/// A mailbox to upgrade, made of the bytes of one that was built before.
fn to_upgrade(bytes: &[u8]) -> Sandbox {
    let sandbox = Sandbox::new();
    fs::write(sandbox.mailbox(), bytes).unwrap();
    sandbox
}

#[test]
fn an_upgrade_killed_at_any_moment() {
    let source = Sandbox::new();
    source.large_legacy("v2-retired", 3000);
    let facts = source.old_facts(&source.mailbox());
    let bytes = fs::read(source.mailbox()).unwrap();
    let whole = duration(&to_upgrade(&bytes), &["migrate"]);
    for moment in 0..40 {
        let sandbox = to_upgrade(&bytes);
        kill_after(sandbox.start(&["migrate"]), whole, f64::from(moment) / 32.0);
        either_old_or_new(&sandbox, &facts);
    }
}

#[test]
fn an_upgrade_killed_at_every_change_of_a_file() {
    if !has("strace") {
        return;
    }
    let source = Sandbox::new();
    source.legacy("v2-waits");
    let facts = source.old_facts(&source.mailbox());
    let bytes = fs::read(source.mailbox()).unwrap();
    let (mut old, mut new) = (0, 0);
    for call in CALLS {
        for nth in 1.. {
            let sandbox = to_upgrade(&bytes);
            let ran = run(&mut dying_at(&sandbox, call, nth, &["migrate"]), b"");
            if ran.code == 0 {
                ran.done();
                break;
            }
            match either_old_or_new(&sandbox, &facts) {
                true => new += 1,
                false => old += 1,
            }
        }
    }
    assert!(old > 10 && new > 0, "{old} died before the commit, {new} after it");
}

/// A mailbox with a question to answer and mail to acknowledge, and the commands that change it.
fn exchange() -> (Sandbox, Vec<Vec<String>>) {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let asked = sandbox.send("a", "b", "one");
    let answered = sandbox.send("a", "b", "two");
    let answer = sandbox.reply("b", &answered, "yes");
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    let new = uuid::Uuid::new_v4().to_string();
    let commands = vec![
        words(&["--as", "a", "send", "b", "--message", "three", "--id", &new]),
        words(&["--as", "b", "reply", &asked, "--message", "no"]),
        words(&["--as", "a", "ack", &answer]),
    ];
    (sandbox, commands)
}

/// What a killed command left is whole, and repeating the command makes it be as if nothing had happened.
#[track_caller]
fn whole_and_repeatable(sandbox: &Sandbox, words: &[&str], killed: &Ran) {
    sandbox.assert_sound();
    // A complete line was printed or none at all.
    assert!(killed.out.is_empty() || killed.out.ends_with("}\n"), "{killed:?}");
    let saved = "SELECT (SELECT count(*) FROM messages), (SELECT count(*) FROM acks);";
    let before = sandbox.sqlite(saved).text().to_owned();
    let again = sandbox.htalk(words).done();
    if !killed.out.is_empty() {
        let printed: serde_json::Value = serde_json::from_str(&killed.out).unwrap();
        assert_eq!((&printed["id"], &printed["ack_at"]), (&again["id"], &again["ack_at"]));
        assert_eq!(sandbox.sqlite(saved).text(), before, "what was printed as saved was saved");
        assert_ne!(again["created"], true);
    }
    let after = sandbox.sqlite(saved).text().to_owned();
    sandbox.htalk(words).done();
    assert_eq!(sandbox.sqlite(saved).text(), after, "repeating adds nothing");
    sandbox.assert_sound();
}

#[test]
fn a_writer_killed_at_any_moment() {
    let (sandbox, commands) = exchange();
    let words: Vec<&str> = commands[0].iter().map(String::as_str).collect();
    let whole = duration(&sandbox, &words);
    for verb in 0..commands.len() {
        for moment in 0..20 {
            let (sandbox, commands) = exchange();
            let words: Vec<&str> = commands[verb].iter().map(String::as_str).collect();
            let killed = kill_after(sandbox.start(&words), whole, f64::from(moment) / 16.0);
            whole_and_repeatable(&sandbox, &words, &killed);
        }
    }
}

#[test]
fn a_writer_killed_at_every_change_of_a_file() {
    if !has("strace") {
        return;
    }
    for verb in 0..3 {
        for call in ["pwrite64", "fdatasync", "fsync", "write", "ftruncate"] {
            for nth in 1..100 {
                let (sandbox, commands) = exchange();
                let words: Vec<&str> = commands[verb].iter().map(String::as_str).collect();
                let killed = run(&mut dying_at(&sandbox, call, nth, &words), b"");
                if killed.code == 0 {
                    break;
                }
                whole_and_repeatable(&sandbox, &words, &killed);
            }
        }
    }
}

#[test]
fn many_writers_killed_together() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let mut printed = Vec::new();
    for round in 0..12 {
        let started: Vec<_> = (0..4).map(|_| sandbox.start(&["--as", "a", "send", "b", "--message", "x"])).collect();
        std::thread::sleep(Duration::from_millis(round * 3));
        printed.extend(started.into_iter().map(kill).filter(|ran| !ran.out.is_empty()));
    }
    for ran in &printed {
        let printed: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        sandbox.htalk(&["--as", "b", "show", printed["id"].as_str().unwrap()]).done();
    }
    let open = sandbox.htalk(&["--as", "b", "inbox"]).done()["total"].as_u64().unwrap();
    assert!(open >= printed.len() as u64);
    sandbox.assert_sound();
}

#[test]
fn a_first_registration_killed_at_every_change_of_a_file() {
    if !has("strace") {
        return;
    }
    let add = ["peer", "add", "a", "--harness", "test", "--delivery", "pull"];
    for call in CALLS {
        for nth in 1..300 {
            let sandbox = Sandbox::new();
            if run(&mut dying_at(&sandbox, call, nth, &add), b"").code == 0 {
                break;
            }
            sandbox.htalk(&add).done();
            assert_eq!(sandbox.htalk(&["peer", "list"]).done()["peers"].as_array().unwrap().len(), 1);
            sandbox.assert_sound();
        }
    }
}

#[test]
fn a_send_syncs_once_or_twice() {
    if !has("strace") {
        return;
    }
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    sandbox.send("a", "b", "The side files are there from now on.");
    let log = sandbox.root().join("calls");
    for _ in 0..3 {
        let mut command = sandbox.command("strace");
        command.args(["-f", "-qq", "-e", "trace=fsync,fdatasync", "-o"]).arg(&log).arg(env!("CARGO_BIN_EXE_htalk"));
        command.args(["--as", "a", "send", "b", "--message", "x"]).env("HTALK_DB", sandbox.mailbox());
        run(&mut command, b"").done();
        let calls = fs::read_to_string(&log).unwrap();
        let syncs = calls.lines().filter(|line| line.contains("sync(")).count();
        assert!((1..=2).contains(&syncs), "{calls}");
    }
}
