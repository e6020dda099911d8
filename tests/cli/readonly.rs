//! A mailbox that can't be written from here can still be read, up to its newest commit, and reading changes nothing.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::support::namespace::Namespace;
use crate::support::shell::Shell;
use crate::support::{Ran, Sandbox, has, run};

/// In which of its forms the mailbox is found.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Form {
    /// As htalk leaves it, with a `-wal` and a `-shm`.
    SideFiles,
    /// As the last shell leaves it.
    Alone,
    /// With a `-wal` alone, in which the newest commits lie.
    WalAlone,
    /// With a rollback journal in place of a write-ahead log.
    Rollback,
}

const FORMS: [Form; 4] = [Form::SideFiles, Form::Alone, Form::WalAlone, Form::Rollback];

fn side(sandbox: &Sandbox, ending: &str) -> PathBuf {
    sandbox.root().join(format!("mail.sqlite3{ending}"))
}

/// A mailbox in this form, and the id of its newest message.
fn mailbox(form: Form) -> (Sandbox, String) {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    sandbox.send("a", "b", "first");
    let id = sandbox.send("a", "b", "newest");
    match form {
        Form::SideFiles => {}
        Form::Alone => drop(sandbox.sqlite("SELECT count(*) FROM messages;").text().len()),
        Form::WalAlone => fs::remove_file(side(&sandbox, "-shm")).unwrap(),
        Form::Rollback => assert_eq!(sandbox.sqlite("PRAGMA journal_mode = delete;").text(), "delete"),
    }
    let found = ["-wal", "-shm"].map(|ending| side(&sandbox, ending).exists());
    assert_eq!(found, [form == Form::SideFiles || form == Form::WalAlone, form == Form::SideFiles], "{form:?}");
    (sandbox, id)
}

/// Runs htalk in the place, with an own directory for temporary files, which is empty again after.
#[track_caller]
fn run_there(place: &Namespace, words: &[&str]) -> Ran {
    let scratch = Sandbox::new();
    let mut command = place.command(env!("CARGO_BIN_EXE_htalk"));
    let ran = run(command.args(words).env("TMPDIR", scratch.root()), b"");
    assert_eq!(fs::read_dir(scratch.root()).unwrap().count(), 0, "{words:?} left a temporary copy");
    ran
}

fn bodies(page: &Value) -> Vec<&str> {
    page["messages"].as_array().unwrap().iter().map(|message| message["body"].as_str().unwrap()).collect()
}

#[test]
fn everything_can_be_read() {
    for form in FORMS {
        let (sandbox, id) = mailbox(form);
        let Some(place) = Namespace::read_only(&sandbox) else { return };
        let before = sandbox.snapshot();
        let read = |words: &[&str]| run_there(&place, words).done();
        assert_eq!(bodies(&read(&["--as", "b", "inbox"])), ["first", "newest"], "{form:?}");
        assert_eq!(bodies(&read(&["--as", "a", "sent"])), ["newest", "first"], "{form:?}");
        assert_eq!(read(&["--as", "b", "show", &id])["body"], "newest");
        assert_eq!(read(&["--as", "b", "show", &id[..8]])["id"], id.as_str());
        assert_eq!(read(&["peer", "list"])["peers"].as_array().unwrap().len(), 2);
        assert_eq!(read(&["peer", "check", "a"])["status"], "pull_only");
        run_there(&place, &["--as", "b", "show", "11111111-1111-4111-8111-111111111111"]).refused("unknown_message");
        assert_eq!(sandbox.snapshot(), before, "{form:?}");
    }
}

#[test]
fn what_is_written_meanwhile_is_seen() {
    for form in FORMS {
        let (sandbox, _) = mailbox(form);
        let Some(place) = Namespace::read_only(&sandbox) else { return };
        assert_eq!(run_there(&place, &["--as", "b", "inbox"]).done()["total"], 2);
        sandbox.sqlite("INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', 'by a shell');").text();
        assert_eq!(run_there(&place, &["--as", "b", "inbox"]).done()["total"], 3, "{form:?}");
        let request = sandbox.send("a", "b", "by htalk");
        assert_eq!(run_there(&place, &["--as", "b", "inbox"]).done()["total"], 4, "{form:?}");
        sandbox.reply("b", &request, "answered");
        assert_eq!(run_there(&place, &["--as", "a", "show", &request]).done()["reply"]["body"], "answered", "{form:?}");
    }
}

#[test]
fn reading_goes_on_while_another_writes() {
    for form in [Form::SideFiles, Form::WalAlone] {
        let (sandbox, _) = mailbox(form);
        let Some(place) = Namespace::read_only(&sandbox) else { return };
        let mut holder = Shell::lock(&sandbox);
        holder.tell("INSERT INTO messages (sender, recipient, body) VALUES ('a', 'b', 'not committed');");
        assert_eq!(run_there(&place, &["--as", "b", "inbox"]).done()["total"], 2, "{form:?}");
        holder.tell("COMMIT;");
        assert_eq!(run_there(&place, &["--as", "b", "inbox"]).done()["total"], 3, "{form:?}");
    }
}

/// Every command that writes.
fn writing(id: &str) -> [Vec<&str>; 6] {
    [
        vec!["--as", "a", "send", "b", "--message", "x"],
        vec!["--as", "b", "reply", id, "--message", "x"],
        vec!["--as", "b", "ack", id],
        vec!["--as", "a", "wait", id, "--seconds", "1"],
        vec!["peer", "add", "c", "--harness", "test", "--delivery", "pull"],
        vec!["peer", "retire", "a"],
    ]
}

#[test]
fn a_refusal_to_write_says_why_and_the_way_out() {
    for form in FORMS {
        let (sandbox, id) = mailbox(form);
        let Some(place) = Namespace::read_only(&sandbox) else { return };
        let before = sandbox.snapshot();
        for words in writing(&id) {
            let answer = run_there(&place, &words).refused("mailbox_not_writable");
            let detail = answer["detail"].as_str().unwrap();
            assert!(detail.contains("Read-only file system") && !detail.contains("writable_roots"), "{detail}");
            let mut command = place.command(env!("CARGO_BIN_EXE_htalk"));
            let inside = run(command.args(&words).env("CODEX_THREAD_ID", uuid::Uuid::new_v4().to_string()), b"");
            let answer = inside.refused("mailbox_not_writable");
            let line = format!("writable_roots = [\"{}\"]", sandbox.root().display());
            assert!(answer["detail"].as_str().unwrap().contains(&line), "{words:?} {answer}");
            assert_eq!(sandbox.snapshot(), before, "{form:?} {words:?}");
        }
    }
}

#[test]
fn a_first_registration_says_it_too() {
    let sandbox = Sandbox::new();
    let Some(place) = Namespace::read_only(&sandbox) else { return };
    for mailbox in [sandbox.mailbox(), sandbox.root().join("new/mail.sqlite3")] {
        let mut command = place.command(env!("CARGO_BIN_EXE_htalk"));
        command.args(["peer", "add", "a", "--harness", "test", "--delivery", "pull"]).env("HTALK_DB", &mailbox);
        let answer = run(command.env("CODEX_THREAD_ID", "01a228b7-58fc-7e62-8f5a-f369cc0e706b"), b"");
        let answer = answer.refused("mailbox_not_writable");
        let detail = answer["detail"].as_str().unwrap();
        let root = mailbox.parent().unwrap().display().to_string();
        assert!(detail.contains("Read-only file system"), "{detail}");
        assert!(detail.contains(&format!("writable_roots = [\"{root}\"]")), "{detail}");
    }
}

#[test]
fn a_read_only_file_in_a_writable_directory() {
    for form in FORMS {
        let (sandbox, id) = mailbox(form);
        let Some(place) = Namespace::read_only_part(&sandbox, "mail.sqlite3") else { return };
        let before = fs::read(sandbox.mailbox()).unwrap();
        assert_eq!(bodies(&run_there(&place, &["--as", "b", "inbox"]).done()), ["first", "newest"], "{form:?}");
        assert_eq!(run_there(&place, &["--as", "b", "show", &id]).done()["body"], "newest");
        for words in writing(&id) {
            run_there(&place, &words).refused("mailbox_not_writable");
        }
        assert!(fs::read(sandbox.mailbox()).unwrap() == before);
        drop(place);
        sandbox.send("a", "b", "writable again");
        assert_eq!(sandbox.htalk(&["--as", "b", "inbox"]).done()["total"], 3, "{form:?}");
        sandbox.assert_sound();
    }
}

/// As a client's sandbox may have it: the whole system read-only.
#[test]
fn inside_bubblewrap() {
    if !has("bwrap") {
        return;
    }
    for form in FORMS {
        let (sandbox, _) = mailbox(form);
        let before = sandbox.snapshot();
        let inside = |words: &[&str]| {
            let mut command = sandbox.command("bwrap");
            command.args([
                "--ro-bind",
                "/",
                "/",
                "--dev",
                "/dev",
                "--proc",
                "/proc",
                "--",
                env!("CARGO_BIN_EXE_htalk"),
            ]);
            run(command.args(words).env("HTALK_DB", sandbox.mailbox()), b"")
        };
        assert_eq!(inside(&["--as", "b", "inbox"]).done()["total"], 2, "{form:?}");
        let answer = inside(&["--as", "a", "send", "b", "--message", "x"]).refused("mailbox_not_writable");
        assert!(answer["detail"].as_str().unwrap().contains("Read-only file system"), "{answer}");
        assert_eq!(sandbox.snapshot(), before, "{form:?}");
    }
}
