//! A copy of the whole mailbox: consistent, private, verified, and never over another file.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use crate::support::namespace::Namespace;
use crate::support::{Sandbox, finish, keys, schema_version};

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn a_copy_is_whole_and_private() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    for body in ["1", "2", "3"] {
        sandbox.send("a", "b", body);
    }
    let copy = sandbox.root().join("copy of it");
    let ran = sandbox.sh("umask 000; exec htalk backup 'copy of it'").done();
    assert_eq!(keys(&ran), ["state", "path", "messages", "schema_version", "resolved_path", "recovery", "next_action"]);
    assert_eq!((&ran["state"], &ran["messages"]), (&"saved".into(), &3.into()));
    assert_eq!((&ran["path"], &ran["schema_version"]), (&path(&copy).into(), &schema_version().into()));
    assert_eq!(fs::metadata(&copy).unwrap().permissions().mode() & 0o777, 0o600);
    let told = sandbox.sqlite_on(&copy, "PRAGMA journal_mode; PRAGMA integrity_check; SELECT count(*) FROM messages;");
    assert_eq!(told.text(), "delete\nok\n3");
    // Nothing lies beside it, and its restore command works as it stands.
    let names = sandbox.sh("ls").text().to_owned();
    assert_eq!(names, "copy of it\nmail.sqlite3\nmail.sqlite3-shm\nmail.sqlite3-wal");
    sandbox.send("a", "b", "4");
    assert_eq!(sandbox.sh(ran["recovery"]["restore"].as_str().unwrap()).done()["messages"], 3);
}

#[test]
fn nothing_is_overwritten() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    fs::write(sandbox.root().join("file"), "mine").unwrap();
    symlink("gone", sandbox.root().join("dangling")).unwrap();
    fs::create_dir(sandbox.root().join("directory")).unwrap();
    // Readers leave marks in the -shm.
    let contents = || sandbox.sh("ls -l file dangling; ls; cat file mail.sqlite3 mail.sqlite3-wal | sha256sum").out;
    let before = contents();
    for name in ["file", "dangling", "directory", "mail.sqlite3"] {
        sandbox.htalk(&["backup", name]).refused("file_already_exists");
    }
    sandbox.htalk(&["backup", "no/such/place"]).refused("database_backup_failed");
    assert_eq!(contents(), before);
}

#[test]
fn a_copy_is_of_one_moment_while_others_write() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let writers: Vec<_> = (0..3)
        .map(|_| {
            let script = r#"for i in $(seq 30); do "$0" --as a send b --message x >/dev/null || exit 1; done"#;
            let mut command = sandbox.command("sh");
            command.args(["-c", script, env!("CARGO_BIN_EXE_htalk")]).env("HTALK_DB", sandbox.mailbox());
            command.spawn().unwrap()
        })
        .collect();
    let mut last = 0;
    for index in 0..10 {
        let ran = sandbox.htalk(&["backup", &format!("copy{index}")]).done();
        let count = ran["messages"].as_i64().unwrap();
        assert!(count >= last);
        last = count;
        let script = "PRAGMA integrity_check; SELECT count(*) - (SELECT count(*) FROM open_mail) FROM messages;";
        assert_eq!(sandbox.sqlite_on(&sandbox.root().join(format!("copy{index}")), script).text(), "ok\n0");
    }
    for writer in writers {
        assert_eq!(finish(writer).code, 0);
    }
}

#[test]
fn a_mailbox_that_can_only_be_read_is_copied() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    sandbox.send("a", "b", "x");
    let elsewhere = Sandbox::new();
    let Some(place) = Namespace::read_only(&sandbox) else { return };
    let copy = elsewhere.root().join("copy");
    assert_eq!(place.htalk(&["backup", path(&copy)]).done()["messages"], 1);
    place.htalk(&["backup", path(&sandbox.root().join("here"))]).refused("database_backup_failed");
}

#[test]
fn a_damaged_mailbox_makes_no_backup() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    sandbox
        .sqlite(
            "PRAGMA journal_mode = delete; PRAGMA writable_schema = on;
        UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'acks')
        WHERE name = 'wait_returns';",
        )
        .text();
    sandbox.htalk(&["backup", "copy"]).refused("database_integrity_check_failed");
    assert_eq!(fs::read_dir(sandbox.root()).unwrap().count(), 1);
}

/// What a killed backup or upgrade left is cleared by the next one, and what somebody works on stays.
#[test]
fn leftovers_are_cleared() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let long_ago = |name: &str| {
        let file = sandbox.root().join(name);
        fs::write(&file, "left").unwrap();
        let file = fs::File::options().write(true).open(file).unwrap();
        file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
        file
    };
    fs::create_dir(sandbox.root().join("mail.sqlite3.backups")).unwrap();
    drop(long_ago("copy.1.partial"));
    drop(long_ago("copy.1.partial-journal"));
    drop(long_ago("mail.sqlite3.backups/restore-1.partial"));
    let worked_on = nix::fcntl::Flock::lock(long_ago("copy.2.partial"), nix::fcntl::FlockArg::LockExclusive).unwrap();
    sandbox.htalk(&["backup", "copy"]).done();
    sandbox.htalk(&["restore", "copy"]).done();
    assert!(sandbox.root().join("copy.2.partial").exists());
    drop(worked_on);
    assert_eq!(sandbox.sh("ls *partial* */*partial* 2>/dev/null || true").text(), "copy.2.partial");
    fs::set_permissions(sandbox.root().join("copy"), Permissions::from_mode(0o600)).unwrap();
}
