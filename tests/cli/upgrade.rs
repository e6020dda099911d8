//! Mailboxes of earlier releases: the first command upgrades them, and every row comes along.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use serde_json::Value;

use crate::support::legacy::LAYOUTS;
use crate::support::shell::Shell;
use crate::support::{Sandbox, finish, ledger_script, migrations_script, run, schema_version};

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

/// The ids on one page of everything.
fn listed(sandbox: &Sandbox, actor: &str, verb: &str) -> Vec<Value> {
    let page = sandbox.htalk(&["--as", actor, verb, "--limit", "500", "--max-bytes", "10485760"]).done();
    assert_eq!(page["omitted"], 0);
    page["messages"].as_array().unwrap().clone()
}

#[test]
fn every_layout_keeps_every_row() {
    for (layout, schema) in LAYOUTS {
        let sandbox = Sandbox::new();
        sandbox.legacy(layout);
        let before = sandbox.old_facts(&sandbox.mailbox());
        let peers = sandbox.htalk(&["peer", "list", "--all"]).done();
        assert_eq!(sandbox.facts(), before, "{layout}");
        sandbox.assert_sound();

        let backups = sandbox.backups();
        let name = backups[0].file_name().unwrap().to_str().unwrap();
        let start = format!("schema-{schema}-before-{}-", schema_version());
        let uuid = name.strip_prefix(&start).and_then(|rest| rest.strip_suffix(".sqlite3"));
        assert!(backups.len() == 1 && uuid.is_some_and(|uuid| uuid::Uuid::try_parse(uuid).is_ok()), "{backups:?}");
        assert_eq!(sandbox.old_facts(&backups[0]), before, "{layout}");
        assert_eq!(
            sandbox.sqlite_on(&backups[0], "PRAGMA user_version; PRAGMA journal_mode;").text(),
            format!("{schema}\ndelete")
        );

        for peer in peers["peers"].as_array().unwrap() {
            let name = peer["name"].as_str().unwrap();
            assert_eq!(ids(&listed(&sandbox, name, "inbox")), old_ids(&sandbox, &backups[0], INBOX, name), "{layout}");
            assert_eq!(ids(&listed(&sandbox, name, "sent")), old_ids(&sandbox, &backups[0], SENT, name), "{layout}");
        }
        let sent = sandbox.htalk(&["--as", "builder", "send", "reviewer", "--message", "new", "--no-notify"]).done();
        assert_eq!(sent["seq"], 19, "the highest seq ever given was 18");
        sandbox.assert_sound();
    }
}

const INBOX: &str = "recipient = :name AND CASE
  WHEN in_reply_to IS NULL THEN NOT EXISTS (SELECT 1 FROM messages AS r WHERE r.in_reply_to = m.id)
  ELSE ack_at IS NULL END ORDER BY seq";
const SENT: &str = "sender = :name ORDER BY seq DESC";

fn ids(messages: &[Value]) -> String {
    messages.iter().map(|message| message["id"].as_str().unwrap()).collect::<Vec<_>>().join("\n")
}

fn old_ids(sandbox: &Sandbox, backup: &Path, which: &str, name: &str) -> String {
    let script = format!(".parameter set :name {name}\nSELECT id FROM messages AS m WHERE {which};");
    sandbox.sqlite_on(backup, &script).text().to_owned()
}

#[test]
fn upgraded_and_new_mailboxes_have_one_schema() {
    let schema = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name;
        PRAGMA user_version; PRAGMA application_id;";
    let new = Sandbox::with_peers(&["a"]).sqlite(schema);
    for (layout, _) in LAYOUTS {
        let sandbox = Sandbox::new();
        sandbox.legacy(layout);
        let ready = sandbox.htalk(&["migrate"]).done();
        assert_eq!((&ready["state"], &ready["schema_version"]), (&"ready".into(), &schema_version().into()));
        assert_eq!(ready["resolved_path"], sandbox.mailbox().to_str().unwrap());
        assert_eq!(sandbox.sqlite(schema).text(), new.text(), "{layout}");
    }
}

#[test]
fn bodies_and_details_of_any_text_can_be_read() {
    let sandbox = Sandbox::new();
    sandbox.legacy("v3");
    let show = |actor, id| sandbox.htalk(&["--as", actor, "show", id]).done();
    let with_nul = show("reviewer", "6d0c2f5e-0a5e-4f3b-8d34-1e6f0a7b2c0e");
    assert_eq!(with_nul["body"], "before\0after");
    assert_eq!(with_nul["notification_detail"], "receipt\0tail");
    assert_eq!(show("aide", "6d0c2f5e-0a5e-4f3b-8d34-1e6f0a7b2c0f")["body"], "first line\r\n\r\nsecond line\r\n");
    let without_claim = show("former", "6d0c2f5e-0a5b-4f3b-8d34-1e6f0a7b2c0b");
    assert_eq!(without_claim["submission"], "submitted");
    assert_eq!(without_claim["notification_started_at"], Value::Null);
    assert_eq!(without_claim["notification_finished_at"], 1760000011.5);
}

#[test]
fn what_an_upgrade_makes_is_private() {
    for umask in ["000", "077", "777"] {
        let sandbox = Sandbox::new();
        sandbox.legacy("v2-waits");
        let script = format!("umask {umask}; exec {} migrate", env!("CARGO_BIN_EXE_htalk"));
        run(sandbox.command("sh").args(["-c", &script]).env("HTALK_DB", sandbox.mailbox()), b"").done();
        assert_eq!(mode(&sandbox.root().join("mail.sqlite3.backups")), 0o700, "umask {umask}");
        assert_eq!(mode(&sandbox.backups()[0]), 0o600, "umask {umask}");
        assert_eq!(mode(&sandbox.mailbox()), 0o600, "umask {umask}");
    }
}

/// A program that died left its last commits in a write-ahead log.
fn leave_wal(sandbox: &Sandbox) {
    let mut shell = Shell::open(sandbox, &sandbox.mailbox());
    shell.tell("PRAGMA journal_mode = wal; PRAGMA wal_autocheckpoint = 0;");
    shell.tell("UPDATE messages SET ack_at = 1760000099.5 WHERE seq = 1; PRAGMA synchronous = full;");
    drop(shell);
    assert!(fs::metadata(sandbox.root().join("mail.sqlite3-wal")).unwrap().len() > 0);
}

#[test]
fn what_lies_in_a_write_ahead_log_comes_along() {
    let sandbox = Sandbox::new();
    sandbox.legacy("v3-from-1");
    leave_wal(&sandbox);
    sandbox.htalk(&["--as", "builder", "inbox"]).done();
    assert_eq!(sandbox.old_facts(&sandbox.backups()[0]), sandbox.facts());
    assert!(sandbox.facts().contains("1760000099.5"));
}

#[test]
fn a_write_that_was_cut_short_is_undone_first() {
    let sandbox = Sandbox::new();
    sandbox.large_legacy("v2-early", 2000);
    let before = sandbox.old_facts(&sandbox.mailbox());
    let whole = fs::read(sandbox.mailbox()).unwrap();
    let mut shell = Shell::open(&sandbox, &sandbox.mailbox());
    shell.tell("PRAGMA cache_size = 5; BEGIN; UPDATE messages SET body = 'half', ack_at = 1;");
    drop(shell);
    assert!(sandbox.root().join("mail.sqlite3-journal").exists());
    assert_ne!(fs::read(sandbox.mailbox()).unwrap(), whole, "the write has reached the file");
    sandbox.htalk(&["--as", "builder", "inbox"]).done();
    assert_eq!(sandbox.facts(), before);
}

#[test]
fn a_symlink_leads_to_the_one_mailbox() {
    let sandbox = Sandbox::new();
    sandbox.legacy("v1");
    let before = sandbox.old_facts(&sandbox.mailbox());
    let link = sandbox.root().join("link.sqlite3");
    symlink("mail.sqlite3", &link).unwrap();
    let ready = sandbox.htalk(&["--db", link.to_str().unwrap(), "migrate"]).done();
    assert_eq!(ready["resolved_path"], sandbox.mailbox().to_str().unwrap());
    assert_eq!(fs::read_link(&link).unwrap(), Path::new("mail.sqlite3"));
    assert_eq!((sandbox.backups().len(), sandbox.facts()), (1, before));
    let beside: Vec<_> = fs::read_dir(sandbox.root()).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert!(!beside.iter().any(|name| name.to_str().unwrap().starts_with("link.sqlite3-")), "{beside:?}");
}

#[test]
fn eight_processes_upgrade_once() {
    for (round, (layout, _)) in LAYOUTS.iter().enumerate() {
        let sandbox = Sandbox::new();
        sandbox.large_legacy(layout, 300);
        if round % 2 == 1 {
            leave_wal(&sandbox);
        }
        let verbs: [&[&str]; 4] =
            [&["migrate"], &["--as", "builder", "inbox"], &["peer", "list"], &["peer", "retire", "tester"]];
        let started: Vec<_> = (0..8).map(|index| sandbox.start(verbs[index % 4])).collect();
        for child in started {
            finish(child).done();
        }
        let backups = sandbox.backups();
        assert_eq!(backups.len(), 1, "{backups:?}");
        let restored = sandbox.htalk(&["peer", "restore", "tester"]).done();
        assert_eq!(restored["retired_at"], Value::Null);
        assert_eq!(sandbox.facts(), sandbox.old_facts(&backups[0]));
        sandbox.assert_sound();
    }
}

/// A mailbox that lacks the last migration, with the first parts of the ledger of handoffs.
fn mailbox_of_the_schema_before(parts: usize) -> Sandbox {
    let sandbox = Sandbox::new();
    let migrations = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("sql/migrations")).unwrap().count();
    let mailbox = migrations_script("sql/migrations", "refinery_schema_history", migrations - 1);
    let ledger = if parts > 0 { ledger_script(parts) } else { String::new() };
    let peer = "INSERT INTO peers (name, harness, delivery) VALUES ('a', 'test', 'pull');";
    sandbox.sqlite(&format!("PRAGMA legacy_alter_table = ON; BEGIN;{mailbox}{ledger}{peer}COMMIT;")).text();
    sandbox
}

#[test]
fn the_ledger_of_handoffs_comes_along() {
    let schema = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name;
        PRAGMA user_version; SELECT * FROM error_codes;";
    let history = "SELECT version, name, checksum FROM handoff_schema_history ORDER BY version;";
    let new = Sandbox::with_ledger(&["a"]);
    // One that lacks its last parts, and a whole one.
    for parts in [5, usize::MAX] {
        let sandbox = mailbox_of_the_schema_before(parts);
        sandbox.sqlite("INSERT INTO handoff_epochs DEFAULT VALUES;").text();
        let epochs = sandbox.sqlite("SELECT * FROM handoff_epochs;").text().to_owned();
        assert_eq!(sandbox.htalk(&["migrate"]).done()["schema_version"], schema_version());
        assert_eq!(sandbox.sqlite(schema).text(), new.sqlite(schema).text(), "{parts}");
        assert_eq!(sandbox.sqlite(history).text(), new.sqlite(history).text(), "{parts}");
        assert_eq!(sandbox.sqlite("SELECT * FROM handoff_epochs;").text(), epochs);
        let name = sandbox.backups()[0].file_name().unwrap().to_str().unwrap().to_owned();
        assert!(name.starts_with(&format!("schema-{}-before-", schema_version() - 1)), "{name}");
        sandbox.assert_sound();
    }
}

#[test]
fn no_upgrade_adds_the_ledger_of_handoffs() {
    let sandbox = mailbox_of_the_schema_before(0);
    sandbox.htalk(&["migrate"]).done();
    let schema = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name; PRAGMA user_version;";
    assert_eq!(sandbox.sqlite(schema).text(), Sandbox::with_peers(&["a"]).sqlite(schema).text());
}

#[test]
fn a_ledger_of_unknown_origin_stops_the_upgrade() {
    let sandbox = mailbox_of_the_schema_before(usize::MAX);
    sandbox.sqlite("UPDATE handoff_schema_history SET checksum = '7' WHERE version = 3;").text();
    let before = sandbox.sqlite(".dump").text().to_owned();
    sandbox.htalk(&["migrate"]).refused("invalid_database_schema");
    assert_eq!(sandbox.sqlite(".dump").text(), before);
    assert!(sandbox.backups().is_empty());
}
