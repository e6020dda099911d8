//! Mounts on which a write-ahead log can't work, and files to which two ways lead.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::watch::Watch;
use crate::support::process::{Signal, until};
use crate::support::{Ran, Sandbox, has, run};

/// A second view of the directory of a sandbox, through a file system that maps no files into shared memory.
struct Unshared<'a> {
    sandbox: &'a Sandbox,
    view: Sandbox,
}

impl<'a> Unshared<'a> {
    /// None where bindfs is missing or not permitted; that is said.
    fn of(sandbox: &'a Sandbox) -> Option<Unshared<'a>> {
        if !has("bindfs") {
            return None;
        }
        let view = Sandbox::new();
        let mut command = sandbox.command("bindfs");
        // Nothing is remembered of what is changed behind its back.
        command.args(["--no-allow-other", "-o", "direct_io,attr_timeout=0,entry_timeout=0,negative_timeout=0"]);
        run(command.arg(sandbox.root()).arg(view.root()), b"").text();
        Some(Unshared { sandbox, view })
    }

    fn mailbox(&self) -> PathBuf {
        self.view.mailbox()
    }

    fn command(&self, words: &[&str]) -> Command {
        self.view.htalk_command(words)
    }

    fn htalk(&self, words: &[&str]) -> Ran {
        run(&mut self.command(words), b"")
    }
}

impl Drop for Unshared<'_> {
    fn drop(&mut self) {
        let mut command = self.sandbox.command("fusermount");
        run(command.args(["-u", "-z"]).arg(self.view.root()), b"").text();
    }
}

const ADD: [&str; 6] = ["--harness", "test", "--delivery", "pull", "peer", "add"];

/// The names in the directory of a sandbox.
fn names(sandbox: &Sandbox) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(sandbox.root()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Whether the file says that it has a write-ahead log.
fn is_wal(sandbox: &Sandbox) -> bool {
    fs::read(sandbox.mailbox()).unwrap()[18] == 2
}

#[test]
fn a_rollback_journal_stays_where_memory_is_not_shared() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    sandbox.sqlite("PRAGMA journal_mode = delete;").text();
    let Some(view) = Unshared::of(&sandbox) else { return };
    assert_eq!(view.htalk(&["--as", "b", "inbox"]).done()["total"], 0);
    let id = view.htalk(&["--as", "a", "send", "b", "--message", "x"]).done()["id"].as_str().unwrap().to_owned();
    assert_eq!(view.htalk(&["--as", "b", "inbox"]).done()["total"], 1);
    view.htalk(&["--as", "b", "reply", &id, "--message", "y"]).done();
    assert_eq!(view.htalk(&["--as", "a", "wait", &id]).done()["reply"]["body"], "y");
    assert!(!is_wal(&sandbox));
    assert_eq!(names(&sandbox), ["mail.sqlite3"]);
    drop(view);
    assert_eq!(sandbox.htalk(&["--as", "a", "sent"]).done()["total"], 1);
    sandbox.assert_sound();
}

#[test]
fn a_mailbox_is_made_where_memory_is_not_shared() {
    let sandbox = Sandbox::new();
    let Some(view) = Unshared::of(&sandbox) else { return };
    for name in ["a", "b"] {
        view.htalk(&[&["peer", "add", name], &ADD[..4]].concat()).done();
    }
    view.htalk(&["--as", "a", "send", "b", "--message", "x"]).done();
    assert_eq!(view.htalk(&["--as", "b", "inbox"]).done()["total"], 1);
    assert_eq!(names(&sandbox), ["mail.sqlite3"]);
    // On an ordinary mount it gets its log.
    drop(view);
    sandbox.send("a", "b", "y");
    assert!(is_wal(&sandbox));
}

#[test]
fn a_write_ahead_log_is_read_and_not_touched_where_memory_is_not_shared() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    sandbox.send("a", "b", "x");
    let Some(view) = Unshared::of(&sandbox) else { return };
    // With both side files, without the -shm, and without any.
    for (total, change) in ["", "rm mail.sqlite3-shm", "sqlite3 mail.sqlite3 .tables >/dev/null"].iter().enumerate() {
        sandbox.sh(change).text();
        // What is removed while it is open has another name there until it is closed, which comes later.
        let is_quiet = || !names(&sandbox).iter().any(|name| name.starts_with(".fuse_hidden"));
        until("what was removed is gone", is_quiet);
        let before = sandbox.snapshot();
        assert_eq!(view.htalk(&["--as", "b", "inbox"]).done()["total"], 1, "{total}: {change}");
        for words in [&["--as", "a", "send", "b", "--message", "y"][..], &["peer", "retire", "a"], &["migrate"]] {
            let refused = view.htalk(words).refused("shared_memory_unavailable");
            assert!(refused["detail"].as_str().unwrap().contains(view.mailbox().to_str().unwrap()), "{refused}");
        }
        until("what was removed is gone", is_quiet);
        assert_eq!(sandbox.snapshot(), before, "{change}");
    }
    // What is written on the other side meanwhile is seen.
    let mut watch =
        Watch::of(view.command(&["--as", "b", "watch"]).stdout(std::process::Stdio::piped()).spawn().unwrap());
    watch.ids(1);
    let id = sandbox.send("a", "b", "from the other side");
    assert_eq!(watch.ids(1), [id]);
    assert_eq!(watch.end(Signal::SIGTERM).0, 143);
}

/// Every command is refused, and nothing is made beside the file.
#[track_caller]
fn is_refused(sandbox: &Sandbox, htalk: impl Fn(&[&str]) -> Ran, why: &str) {
    let before = sandbox.snapshot();
    for words in [
        &["--as", "b", "inbox"][..],
        &["--as", "a", "send", "b", "--message", "x"],
        &["--as", "b", "watch"],
        &["peer", "list"],
        &["migrate"],
        &["peer", "add", "c", "--harness", "test", "--delivery", "pull"],
    ] {
        let refused = htalk(words).refused("mailbox_has_another_name");
        assert!(refused["detail"].as_str().unwrap().contains(why), "{refused}");
        assert!(refused["next_action"].as_str().unwrap().contains("Mount its directory"), "{refused}");
    }
    assert_eq!(sandbox.snapshot(), before);
}

#[test]
fn a_hard_link_is_refused_under_both_names() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let link = sandbox.root().join("link.sqlite3");
    fs::hard_link(sandbox.mailbox(), &link).unwrap();
    for name in [sandbox.mailbox(), link.clone()] {
        is_refused(&sandbox, |words| run(sandbox.htalk_command(words).env("HTALK_DB", &name), b""), "2 names");
    }
    fs::remove_file(link).unwrap();
    sandbox.send("a", "b", "one name again");
}

#[test]
fn a_watch_ends_when_its_mailbox_gets_another_name() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let mut watch = Watch::start(&sandbox);
    fs::hard_link(sandbox.mailbox(), sandbox.root().join("link.sqlite3")).unwrap();
    assert_eq!(watch.next()["error"], "mailbox_has_another_name");
    until("its end", || watch.child.try_wait().unwrap().is_some());
}

#[test]
fn a_file_that_is_mounted_alone_is_refused() {
    if !has("bwrap") {
        return;
    }
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    sandbox.send("a", "b", "x");
    let empty = Sandbox::new();
    let place = empty.mailbox();
    fs::write(&place, "").unwrap();
    let inside = |from: PathBuf, to: PathBuf| {
        let mut command = sandbox.command("bwrap");
        command.args(["--dev-bind", "/", "/", "--bind"]).args([from, to]).arg(env!("CARGO_BIN_EXE_htalk"));
        command.env("HTALK_DB", &place);
        command
    };
    let alone = |words: &[&str]| run(inside(sandbox.mailbox(), place.clone()).args(words), b"");
    is_refused(&sandbox, alone, "without its directory");
    assert_eq!(names(&empty), ["mail.sqlite3"]);
    let whole = |words: &[&str]| run(inside(sandbox.root().into(), empty.root().into()).args(words), b"");
    assert_eq!(whole(&["--as", "b", "inbox"]).done()["total"], 1);
    whole(&["--as", "a", "send", "b", "--message", "y"]).done();
    assert_eq!(sandbox.htalk(&["--as", "b", "inbox"]).done()["total"], 2);
}
