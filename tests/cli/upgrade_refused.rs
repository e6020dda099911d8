//! An upgrade that fails leaves the old mailbox as it was, byte for byte.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt;

use crate::support::Sandbox;
use crate::support::namespace::Namespace;

/// Runs the first command on a broken mailbox twice: refused with one of these codes, and nothing of it has changed.
#[track_caller]
fn refused(sandbox: &Sandbox, codes: &[&str]) {
    let before = fs::read(sandbox.mailbox()).unwrap();
    for words in [&["migrate"][..], &["--as", "builder", "inbox"]] {
        let answer = sandbox.htalk(words).json();
        assert!(codes.contains(&answer["error"].as_str().unwrap()), "{answer}");
        assert!(answer["detail"].is_string(), "{answer}");
        assert!(fs::read(sandbox.mailbox()).unwrap() == before, "the file changed: {answer}");
        for ending in ["-journal", "-wal", "-shm"] {
            assert!(!sandbox.root().join(format!("mail.sqlite3{ending}")).exists(), "{ending}");
        }
    }
    assert!(sandbox.backups().is_empty(), "a copy for each try would fill the disk");
}

#[test]
fn rows_that_name_nothing() {
    for change in [
        "INSERT INTO messages (id, sender, recipient, body, created_at, submission)
           VALUES ('12345678-0000-4000-8000-000000000000', 'builder', 'nobody', 'x', 1.5, 'not_submitted');",
        "UPDATE messages SET in_reply_to = '12345678-0000-4000-8000-000000000000' WHERE seq = 1;",
        "DELETE FROM peers WHERE name = 'tester';",
        "UPDATE waits SET message_id = '12345678-0000-4000-8000-000000000000';",
        "INSERT INTO retired_peers VALUES ('nobody', 1.5);",
    ] {
        let sandbox = Sandbox::new();
        sandbox.legacy("v3");
        sandbox.sqlite(change).text();
        refused(&sandbox, &["database_foreign_key_violation"]);
    }
}

#[test]
fn a_missing_column() {
    for (table, column) in [("messages", "notification_detail"), ("messages", "created_at"), ("peers", "socket")] {
        let sandbox = Sandbox::new();
        sandbox.legacy("v2-waits");
        sandbox.sqlite(&format!("ALTER TABLE {table} DROP COLUMN {column};")).text();
        refused(&sandbox, &["invalid_database_schema"]);
        let answer = sandbox.htalk(&["migrate"]).json();
        assert!(answer["detail"].as_str().unwrap().contains(column), "{answer}");
    }
}

#[test]
fn a_damaged_page() {
    let pages = 60;
    for page in 1..pages {
        let sandbox = Sandbox::new();
        sandbox.large_legacy("v1", 400);
        assert!(fs::metadata(sandbox.mailbox()).unwrap().len() > pages * 4096);
        let file = OpenOptions::new().write(true).open(sandbox.mailbox()).unwrap();
        // The head of the page: on the first page behind the header of the file, which tells what the file is.
        let place = if page == 1 { 100 } else { (page - 1) * 4096 };
        file.write_all_at(&[0xEE; 40], place).unwrap();
        refused(&sandbox, &["database_corrupt", "database_integrity_check_failed"]);
    }
}

#[test]
fn an_index_that_disagrees_with_its_table() {
    let sandbox = Sandbox::new();
    sandbox.legacy("v1");
    // Every page can be read, but the index of ids lacks what the table has.
    let script = "PRAGMA writable_schema = on;
        CREATE TABLE other (id TEXT UNIQUE NOT NULL);
        UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_other_1')
        WHERE name = 'sqlite_autoindex_messages_1';";
    sandbox.sqlite(script).text();
    refused(&sandbox, &["database_integrity_check_failed", "database_corrupt"]);
}

#[test]
fn no_place_for_a_backup() {
    let sandbox = Sandbox::new();
    sandbox.legacy("v3");
    fs::write(sandbox.root().join("mail.sqlite3.backups"), "in the way").unwrap();
    refused(&sandbox, &["database_backup_failed"]);
}

#[test]
fn a_directory_that_can_not_be_written() {
    let sandbox = Sandbox::new();
    sandbox.legacy("v2-retired");
    fs::create_dir(sandbox.root().join("mail.sqlite3.backups")).unwrap();
    let before = sandbox.snapshot();
    if let Some(backups) = Namespace::read_only_part(&sandbox, "mail.sqlite3.backups") {
        backups.htalk(&["--as", "builder", "inbox"]).refused("database_backup_failed");
        assert_eq!(sandbox.snapshot().lines().count(), before.lines().count());
        assert!(sandbox.backups().is_empty());
    }
    let before = sandbox.snapshot();
    if let Some(all) = Namespace::read_only(&sandbox) {
        for words in [&["migrate"][..], &["--as", "builder", "inbox"], &["peer", "list"]] {
            let answer = all.htalk(words).refused("mailbox_not_writable");
            assert!(answer["detail"].as_str().unwrap().contains("Read-only file system"), "{answer}");
        }
        assert_eq!(sandbox.snapshot(), before);
    }
    // Nothing was spoilt: with the place to write it is upgraded.
    sandbox.htalk(&["migrate"]).done();
    assert_eq!(sandbox.facts(), sandbox.old_facts(&sandbox.backups()[0]));
}

#[test]
fn a_full_disk_at_every_step() {
    let source = Sandbox::new();
    source.large_legacy("v3", 100);
    let sandbox = Sandbox::new();
    let Some(disk) = Namespace::disk(&sandbox, 2000) else { return };
    let hash = || disk.sh("sha256sum < \"$1/mail.sqlite3\"");
    let mut finished = 0;
    // The backup needs about 90 KB, the change itself and its journal more.
    for free in (0..900).step_by(36) {
        disk.sh(&format!("cp {} \"$1/mail.sqlite3\"", source.mailbox().display()));
        let before = hash();
        disk.fill(free);
        let ran = disk.htalk(&["migrate"]);
        if ran.code == 0 {
            finished += 1;
        } else {
            let answer = ran.json();
            assert!(
                ["database_full", "database_backup_failed"].contains(&answer["error"].as_str().unwrap()),
                "{answer}"
            );
            assert_eq!(hash(), before, "{free} KB free: {answer}");
            assert_eq!(disk.sh("find \"$1\" -name '*-journal' -o -name '*.partial'"), "");
            disk.sh("rm \"$1/filler\"");
            disk.htalk(&["migrate"]).done();
        }
        assert_eq!(disk.sqlite("SELECT count(*) FROM message_v; PRAGMA integrity_check;").text(), "114\nok");
        disk.sh("rm -rf \"$1\"/*");
    }
    assert!((1..25).contains(&finished), "{finished}");
}
