//! A backup is put back under whoever has the mailbox open, and what was there is kept. A wrong way is never silent.

use std::fs;
use std::path::PathBuf;

use super::watch::Watch;
use crate::support::process::Signal;
use crate::support::shell::Shell;
use crate::support::{Sandbox, keys};

/// A mailbox with three messages, a backup of it, and three messages more.
fn mailbox() -> Sandbox {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    for body in ["1", "2", "3"] {
        sandbox.send("a", "b", body);
    }
    sandbox.htalk(&["backup", "copy"]).done();
    for body in ["4", "5", "6"] {
        sandbox.send("a", "b", body);
    }
    sandbox
}

fn total(sandbox: &Sandbox) -> i64 {
    sandbox.htalk(&["--as", "b", "inbox"]).done()["total"].as_i64().unwrap()
}

fn kept(sandbox: &Sandbox) -> Vec<PathBuf> {
    let directory = sandbox.root().join("mail.sqlite3.backups");
    fs::read_dir(directory).into_iter().flatten().map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn a_backup_is_put_back_and_taken_back() {
    let sandbox = mailbox();
    let before = fs::read(sandbox.root().join("copy")).unwrap();
    let ran = sandbox.htalk(&["restore", "copy"]).done();
    assert_eq!(
        keys(&ran),
        [
            "state",
            "path",
            "messages",
            "schema_version",
            "resolved_path",
            "kept",
            "kept_is_sound",
            "recovery",
            "next_action"
        ]
    );
    assert_eq!((&ran["state"], &ran["messages"], &ran["kept_is_sound"]), (&"restored".into(), &3.into(), &true.into()));
    assert_eq!(total(&sandbox), 3);
    assert!(fs::read(sandbox.root().join("copy")).unwrap() == before, "the backup is only read");
    let [kept] = &kept(&sandbox)[..] else { panic!("one copy is kept") };
    assert_eq!(ran["kept"], kept.to_str().unwrap());
    let name = kept.file_name().unwrap().to_str().unwrap();
    assert!(name.starts_with("before-restore-") && name.ends_with(".sqlite3"), "{name}");
    sandbox.assert_sound();
    sandbox.send("a", "b", "goes on");
    assert_eq!(sandbox.sh(ran["recovery"]["undo"].as_str().unwrap()).done()["messages"], 6);
    assert_eq!(total(&sandbox), 6);
    sandbox.assert_sound();
}

#[test]
fn who_has_the_mailbox_open_goes_on() {
    for mode in ["wal", "delete"] {
        let sandbox = mailbox();
        sandbox.sqlite(&format!("PRAGMA journal_mode = {mode};")).text();
        let mut watch = Watch::start(&sandbox);
        watch.ids(6);
        let mut shell = Shell::open(&sandbox, &sandbox.mailbox());
        shell.tell("SELECT count(*) FROM messages;");
        sandbox.htalk(&["restore", "copy"]).done();
        let id = sandbox.send("a", "b", "new");
        assert_eq!(watch.ids(1), [id], "{mode}");
        shell.tell("INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', 'x');");
        watch.ids(1);
        assert_eq!(watch.end(Signal::SIGTERM), (143, vec![]));
        drop(shell);
        assert_eq!(total(&sandbox), 5);
        sandbox.assert_sound();
    }
}

#[test]
fn a_missing_or_empty_mailbox_is_made() {
    let sandbox = mailbox();
    for make in ["rm mail.sqlite3*", ": >mail.sqlite3; rm -f mail.sqlite3-*"] {
        sandbox.sh(make).text();
        let ran = sandbox.htalk(&["restore", "copy"]).done();
        assert_eq!((&ran["kept"], &ran["messages"]), (&serde_json::Value::Null, &3.into()));
        assert_eq!(total(&sandbox), 3);
        sandbox.assert_sound();
    }
    let elsewhere = sandbox.root().join("new/place/mail.sqlite3");
    let mut command = sandbox.htalk_command(&["restore", "copy"]);
    crate::support::run(command.env("HTALK_DB", &elsewhere), b"").done();
    let modes = sandbox.sh("umask 0; stat -c %a new new/place new/place/mail.sqlite3").text().to_owned();
    assert_eq!(modes, "700\n700\n600");
}

#[test]
fn a_damaged_mailbox_is_mended() {
    let harm: [(&str, &str); 5] = [
        ("cut short", "truncate -s 50000 mail.sqlite3"),
        ("cut short, with its log", "truncate -s 50000 mail.sqlite3"),
        ("pages of noise", "head -c 40000 /dev/urandom | dd of=mail.sqlite3 bs=4096 seek=2 conv=notrunc status=none"),
        (
            "the rest of the first page",
            "head -c 3996 /dev/zero | dd of=mail.sqlite3 bs=1 seek=100 conv=notrunc status=none",
        ),
        ("no header", "printf 'no database at all' | dd of=mail.sqlite3 conv=notrunc status=none"),
    ];
    for (what, script) in harm {
        let sandbox = mailbox();
        if !what.contains("log") {
            sandbox.sqlite("PRAGMA wal_checkpoint(truncate); PRAGMA journal_mode = delete;").text();
        }
        sandbox.sh(script).text();
        let bytes = fs::read(sandbox.mailbox()).unwrap();
        let ran = sandbox.htalk(&["restore", "copy"]).done();
        assert_eq!(ran["kept_is_sound"], false, "{what}: {ran}");
        assert!(ran["recovery"].get("undo").is_none());
        assert_eq!(total(&sandbox), 3, "{what}");
        sandbox.assert_sound();
        if what == "no header" {
            assert!(fs::read(ran["kept"].as_str().unwrap()).unwrap() == bytes, "{what}");
        }
    }
}

/// Only a file that nobody has open is replaced.
#[test]
fn a_file_without_header_that_is_open_stays() {
    let sandbox = mailbox();
    let watch = Watch::start(&sandbox);
    sandbox.sh("printf 'no database at all' | dd of=mail.sqlite3 conv=notrunc status=none").text();
    let before = fs::read(sandbox.mailbox()).unwrap();
    let refused = sandbox.htalk(&["restore", "copy"]).refused("database_busy");
    assert!(refused["detail"].as_str().unwrap().contains("end every watch"), "{refused}");
    assert!(fs::read(sandbox.mailbox()).unwrap() == before && kept(&sandbox).is_empty());
    watch.end(Signal::SIGTERM);
    sandbox.htalk(&["restore", "copy"]).done();
    assert_eq!(total(&sandbox), 3);
}

#[test]
fn what_is_no_backup_is_refused() {
    let sandbox = mailbox();
    let copy = sandbox.root().join("copy");
    fs::write(sandbox.root().join("text"), "Dear diary").unwrap();
    fs::write(sandbox.root().join("empty"), "").unwrap();
    fs::create_dir(sandbox.root().join("mail.sqlite3.d")).unwrap();
    sandbox.sqlite_on(&sandbox.root().join("other"), "CREATE TABLE notes (text);").text();
    for (name, script) in [("newer", "PRAGMA user_version = 999;"), ("unmarked", "PRAGMA user_version = 0;")] {
        fs::copy(&copy, sandbox.root().join(name)).unwrap();
        sandbox.sqlite_on(&sandbox.root().join(name), script).text();
    }
    fs::write(sandbox.root().join("short"), &fs::read(&copy).unwrap()[..60_000]).unwrap();
    let before = sandbox.htalk(&["--as", "b", "inbox"]).done();
    for name in ["text", "empty", "other", "newer", "unmarked", "short", "missing", "mail.sqlite3.d", "mail.sqlite3"] {
        let refused = sandbox.htalk(&["restore", name]).refused("backup_is_unusable");
        assert!(refused["detail"].as_str().unwrap().contains(name), "{name}: {refused}");
        assert!(kept(&sandbox).is_empty(), "{name}");
    }
    assert_eq!(sandbox.htalk(&["--as", "b", "inbox"]).done(), before);
}

#[test]
fn another_file_is_not_written_over() {
    let sandbox = mailbox();
    sandbox.sh("rm mail.sqlite3*; sqlite3 mail.sqlite3 'CREATE TABLE notes (text); PRAGMA application_id = 7;'").text();
    sandbox.htalk(&["restore", "copy"]).refused("not_a_mailbox");
    sandbox.sh("rm mail.sqlite3; sqlite3 mail.sqlite3 'CREATE TABLE notes (text);'").text();
    sandbox.htalk(&["restore", "copy"]).refused("not_a_mailbox");
    sandbox.sh("rm mail.sqlite3; mkdir mail.sqlite3").text();
    sandbox.htalk(&["restore", "copy"]).refused("not_a_mailbox");
}

#[test]
fn a_backup_of_an_earlier_release_is_brought_up() {
    let old = Sandbox::new();
    old.legacy("v3");
    let messages = old.sqlite("SELECT count(*) FROM messages;").text().to_owned();
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let bytes = fs::read(old.mailbox()).unwrap();
    let ran = sandbox.htalk(&["restore", old.mailbox().to_str().unwrap()]).done();
    assert_eq!(ran["messages"].to_string(), messages);
    assert!(fs::read(old.mailbox()).unwrap() == bytes);
    sandbox.htalk(&["peer", "list"]).done();
    assert_eq!(kept(&sandbox).len(), 1);
}

/// Neither is the old log applied to the copy in silence, nor does a command write into what comes of that.
#[test]
fn a_copy_by_hand_is_not_silent() {
    let copies =
        ["htalk backup copy", "sqlite3 mail.sqlite3 '.backup copy'", "sqlite3 mail.sqlite3 \"VACUUM INTO 'copy'\""];
    for (copy, puts) in
        copies.iter().flat_map(|copy| ["cp copy mail.sqlite3", "mv copy mail.sqlite3"].map(|puts| (copy, puts)))
    {
        for more in [3, 60] {
            let sandbox = Sandbox::with_peers(&["a", "b"]);
            sandbox.send("a", "b", "before");
            assert_eq!(sandbox.sh(copy).code, 0);
            for _ in 0..more {
                sandbox.send("a", "b", "behind");
            }
            sandbox.sh("cp copy spare").text();
            sandbox.sh(puts).text();
            for words in [&["--as", "b", "inbox"][..], &["--as", "a", "send", "b", "--message", "x"], &["migrate"]] {
                let refused = sandbox.htalk(words).refused("mailbox_was_overwritten");
                assert!(refused["next_action"].as_str().unwrap().contains("htalk restore"), "{refused}");
            }
            sandbox.htalk(&["restore", "spare"]).done();
            assert_eq!(total(&sandbox), 1, "{copy}, {puts}");
            sandbox.assert_sound();
        }
    }
}

/// Logs that were copied into the mailbox, wholly or in part, by whomever, are its own.
#[test]
fn a_log_that_was_copied_is_no_contradiction() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let mut reader = Shell::open(&sandbox, &sandbox.mailbox());
    for round in 0..60 {
        sandbox.send("a", "b", &"x".repeat(1 + round * 100));
        match round % 6 {
            1 => reader.tell("PRAGMA wal_checkpoint(passive);"),
            2 => reader.tell("BEGIN; SELECT count(*) FROM messages;"),
            3 => drop(sandbox.sqlite("PRAGMA wal_checkpoint(passive); CREATE TABLE IF NOT EXISTS own (a);")),
            4 => reader.tell("COMMIT;"),
            5 => fs::remove_file(sandbox.root().join("mail.sqlite3-shm")).unwrap_or_default(),
            _ => {}
        }
        if round % 6 == 5 {
            reader = Shell::open(&sandbox, &sandbox.mailbox());
        }
    }
    drop(reader);
    assert_eq!(total(&sandbox), 60);
    sandbox.assert_sound();
}

/// What `.dump` writes has everything but two marks.
#[test]
fn a_mailbox_rebuilt_from_a_dump_says_what_is_missing() {
    let sandbox = mailbox();
    sandbox.sh("sqlite3 mail.sqlite3 .dump >dump.sql; rm mail.sqlite3*; sqlite3 mail.sqlite3 <dump.sql").text();
    for marks in [
        "",
        "PRAGMA application_id = 0; PRAGMA user_version = 28;",
        "PRAGMA application_id = 1752460395; PRAGMA user_version = 0;",
    ] {
        sandbox.sqlite(&marks.replace("28", &crate::support::schema_version().to_string())).text();
        let refused = sandbox.htalk(&["--as", "b", "inbox"]).refused("mailbox_lacks_its_marks");
        let detail = refused["detail"].as_str().unwrap();
        let command = &detail[detail.find("sqlite3 '").unwrap()..];
        sandbox.sh(command).text();
        assert_eq!(total(&sandbox), 6);
    }
    sandbox.send("a", "b", "goes on");
    sandbox.sqlite("PRAGMA user_version = 0; DROP VIEW recovery_v;").text();
    sandbox.htalk(&["--as", "b", "inbox"]).refused("not_a_mailbox");
}
