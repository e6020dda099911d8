//! What is no mailbox, or not one of this release, is refused with its one code and left exactly as it is.

use std::fs;
use std::os::unix::fs::symlink;

use crate::support::shell::Shell;
use crate::support::{Sandbox, run, schema_version};

const ID: &str = "11111111-2222-4333-8444-555555555555";

/// Every command that opens a mailbox.
const COMMANDS: [&[&str]; 13] = [
    &["peer", "add", "c", "--harness", "test", "--delivery", "pull"],
    &["peer", "list"],
    &["peer", "check", "a"],
    &["peer", "retire", "a"],
    &["peer", "restore", "a"],
    &["--as", "a", "send", "b", "--message", "x"],
    &["--as", "a", "reply", ID, "--message", "x"],
    &["--as", "a", "wait", ID, "--seconds", "0"],
    &["--as", "a", "show", ID],
    &["--as", "a", "ack", ID],
    &["--as", "a", "inbox"],
    &["--as", "a", "sent"],
    &["migrate"],
];

/// Every command is refused with this code, and the directory stays as it is: no byte, no time, no new file.
#[track_caller]
fn refused(sandbox: &Sandbox, code: &str, case: &str) {
    let before = sandbox.snapshot();
    for words in COMMANDS {
        let ran = sandbox.htalk(words);
        assert!(ran.out.contains(&format!("\"error\":\"{code}\"")), "{case}: {words:?}: {ran:?}");
        let answer = ran.refused(code);
        // What reads the mailbox would fail in the same way.
        let ways = ["peers", "sent", "inbox"].map(|way| answer["recovery"].get(way));
        assert!(ways == [None; 3] && answer["next_action"].is_string(), "{answer}");
        assert_eq!(sandbox.snapshot(), before, "{case}: {words:?}");
    }
}

#[test]
fn other_files() {
    let other: [(&str, &[u8]); 6] = [
        ("a text", b"Dear diary,\n"),
        ("one byte", b"x"),
        ("zeros", &[0; 4096]),
        ("blanks", b"\n\n"),
        ("a longer text", &[b'a'; 10_000]),
        ("almost the first words of a database", b"SQLite format 2\0"),
    ];
    for (case, bytes) in other {
        let sandbox = Sandbox::new();
        fs::write(sandbox.mailbox(), bytes).unwrap();
        refused(&sandbox, "not_a_mailbox", case);
    }
}

#[test]
fn what_is_no_file() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.mailbox()).unwrap();
    refused(&sandbox, "not_a_mailbox", "a directory");

    let sandbox = Sandbox::new();
    run(sandbox.command("mkfifo").arg(sandbox.mailbox()), b"").text();
    refused(&sandbox, "not_a_mailbox", "a FIFO that nobody writes");

    let sandbox = Sandbox::new();
    symlink("mail.sqlite3", sandbox.mailbox()).unwrap();
    refused(&sandbox, "database_unavailable", "a symlink to itself");

    let sandbox = Sandbox::new();
    fs::write(sandbox.root().join("file"), "").unwrap();
    symlink("file/mail.sqlite3", sandbox.mailbox()).unwrap();
    refused(&sandbox, "database_unavailable", "a file in place of its directory");
}

#[test]
fn other_databases() {
    for (case, script) in [
        ("tables of another program", "CREATE TABLE notes (text); INSERT INTO notes VALUES ('x');"),
        ("an own application_id", "PRAGMA application_id = 1; CREATE TABLE messages (id); CREATE TABLE peers (name);"),
        ("an own application_id and no table", "PRAGMA application_id = 0x47503130; PRAGMA user_version = 9;"),
        ("half of our tables", "PRAGMA user_version = 1; CREATE TABLE messages (id); CREATE TABLE people (name);"),
        (
            "tables of another program with names like ours",
            "CREATE TABLE messages (id, text); CREATE TABLE peers (addr);",
        ),
        ("views", "CREATE VIEW peers AS SELECT 1 AS name; CREATE VIEW messages AS SELECT 1 AS id;"),
        ("a version without tables", "PRAGMA user_version = 3; CREATE TABLE t (a); DROP TABLE t;"),
        ("a negative version", "PRAGMA user_version = -1; CREATE TABLE messages (id); CREATE TABLE peers (name);"),
        ("a write-ahead log", "PRAGMA journal_mode = wal; CREATE TABLE notes (text);"),
        (
            "an own page size and coding",
            "PRAGMA page_size = 512; PRAGMA encoding = 'UTF-16le'; CREATE TABLE notes (text);",
        ),
    ] {
        let sandbox = Sandbox::new();
        assert_eq!(sandbox.sqlite(script).err, "");
        refused(&sandbox, "not_a_mailbox", case);
    }
}

/// 0.1.1 and 0.2.0 made their tables one by one; one that died in between left no message and no version.
#[test]
fn the_leftovers_of_a_first_release_that_died() {
    let sandbox = Sandbox::new();
    sandbox.legacy("v1");
    sandbox.sqlite("DELETE FROM messages; DELETE FROM peers; DROP TABLE messages; PRAGMA user_version = 0;").text();
    refused(&sandbox, "not_a_mailbox", "peers alone");
}

#[test]
fn an_empty_file_becomes_a_mailbox_by_peer_add_or_migrate_alone() {
    for maker in [COMMANDS[0], &["migrate"]] {
        let sandbox = Sandbox::new();
        fs::write(sandbox.mailbox(), "").unwrap();
        let before = sandbox.snapshot();
        for words in COMMANDS {
            if !words.contains(&"add") && !words.contains(&"migrate") {
                sandbox.htalk(words).refused("not_a_mailbox");
                assert_eq!(sandbox.snapshot(), before, "{words:?}");
            }
        }
        sandbox.htalk(maker).done();
        sandbox.assert_sound();
        assert!(sandbox.backups().is_empty());
    }
}

#[test]
fn a_missing_mailbox_is_only_made_by_peer_add() {
    let sandbox = Sandbox::new();
    let before = sandbox.snapshot();
    for words in &COMMANDS[1..] {
        let answer = sandbox.htalk(words).refused("database_not_found");
        assert_eq!(answer["resolved_path"], sandbox.mailbox().to_str().unwrap());
        assert_eq!(sandbox.snapshot(), before, "{words:?}");
    }
}

#[test]
fn newer_versions() {
    for version in [schema_version() + 1, 999, i64::from(i32::MAX)] {
        let sandbox = Sandbox::with_peers(&["a", "b"]);
        sandbox.send("a", "b", "x");
        sandbox.sqlite(&format!("PRAGMA user_version = {version};")).text();
        refused(&sandbox, "unsupported_database_version", "a newer htalk");
        let words = sandbox.htalk(&["migrate"]).json()["detail"].as_str().unwrap().to_owned();
        assert!(
            words.contains(&version.to_string()) && words.contains(&schema_version().to_string()),
            "both versions: {words}"
        );
    }
    let sandbox = Sandbox::new();
    sandbox.legacy("v3");
    sandbox.sqlite("PRAGMA user_version = 4;").text();
    refused(&sandbox, "unsupported_database_version", "a newer harness-talk");
}

/// The numbers between harness-talk's and the first one of htalk.
#[test]
fn versions_of_the_development() {
    for version in 4..=11 {
        let sandbox = Sandbox::with_peers(&["a", "b"]);
        sandbox.send("a", "b", "x");
        sandbox.sqlite(&format!("PRAGMA user_version = {version};")).text();
        refused(&sandbox, "unsupported_database_version", "a development version");
        let told = sandbox.htalk(&["migrate"]).json();
        let words = format!("schema {version}, written by a development version of htalk before its first release");
        assert!(told["detail"].as_str().unwrap().contains(&words), "{told}");
        assert!(sandbox.backups().is_empty());
    }
}

/// A newer htalk leaves its side files behind as this one does, and the version may lie in them alone.
#[test]
fn a_newer_version_in_the_write_ahead_log() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let mut shell = Shell::open(&sandbox, &sandbox.mailbox());
    shell.tell("PRAGMA wal_autocheckpoint = 0; PRAGMA user_version = 99;");
    drop(shell);
    // Readers leave marks in the -shm, which is no content and is made anew from the log.
    let files = || ["", "-wal"].map(|ending| fs::read(sandbox.root().join(format!("mail.sqlite3{ending}"))).unwrap());
    let before = files();
    for words in COMMANDS {
        sandbox.htalk(words).refused("unsupported_database_version");
        assert!(files() == before, "{words:?}");
    }
    fs::remove_file(sandbox.root().join("mail.sqlite3-shm")).unwrap();
    sandbox.htalk(&["migrate"]).refused("unsupported_database_version");
    assert!(files() == before);
}

#[test]
fn cut_short() {
    for layout in ["", "v2-waits"] {
        let whole = Sandbox::with_peers(&["a", "b"]);
        match layout {
            "" => drop(whole.send("a", "b", "x")),
            layout => whole.legacy(layout),
        }
        // The shell brings everything into the one file.
        whole.sqlite("PRAGMA journal_mode = delete;").text();
        let bytes = fs::read(whole.mailbox()).unwrap();
        for length in [16, 50, 99, 100, 101, 512, 4095, 4096, 8192, bytes.len() / 2, bytes.len() - 4096] {
            let sandbox = Sandbox::new();
            fs::write(sandbox.mailbox(), &bytes[..length]).unwrap();
            refused(&sandbox, "database_corrupt", &format!("{layout}: {length} of {} bytes", bytes.len()));
        }
    }
}

#[test]
fn a_current_mailbox_without_its_tables() {
    let sandbox = Sandbox::new();
    let header = "PRAGMA application_id = 0x68746C6B; CREATE TABLE messages (id); CREATE TABLE peers (name);";
    sandbox.sqlite(&format!("{header} PRAGMA user_version = {};", schema_version())).text();
    let before = fs::read(sandbox.mailbox()).unwrap();
    let answer = sandbox.htalk(&["--as", "a", "inbox"]).json();
    assert_eq!(answer["error"], "invalid_database_schema", "{answer}");
    assert!(fs::read(sandbox.mailbox()).unwrap() == before);
}

#[test]
fn a_version_that_was_set_back_by_hand() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    sandbox.sqlite(&format!("PRAGMA user_version = {};", schema_version() - 1)).text();
    for _ in 0..2 {
        sandbox.htalk(&["--as", "a", "inbox"]).refused("invalid_database_schema");
    }
    assert!(sandbox.backups().is_empty());
}

#[test]
fn a_trigger_of_somebody_else() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    sandbox.sqlite("CREATE TRIGGER own AFTER INSERT ON acks BEGIN SELECT RAISE(ABORT, 'my own'); END;").text();
    let request = sandbox.send("a", "b", "x");
    let answer = sandbox.htalk(&["--as", "b", "ack", &request]);
    assert_eq!(answer.refused("invalid_database_schema")["detail"], "my own");
}
