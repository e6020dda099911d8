//! Limits of the system: a command that can survive one answers, and leaves nothing half done.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::clients::codex::world::World;
use crate::support::process::{Signal, signal, until};
use crate::support::shell::Shell;
use crate::support::{Ran, Sandbox, finish, has, run};

/// An ordinary user who runs nothing else.
const USER: &str = "54321";

/// The built htalk where that user can run it.
struct Ordinary<'a> {
    sandbox: &'a Sandbox,
    program: PathBuf,
}

impl<'a> Ordinary<'a> {
    /// The limit of processes does not hold for root, so root becomes somebody else, whom the sandbox then belongs to.
    fn new(sandbox: &'a Sandbox) -> Option<Self> {
        if !has("prlimit") || (is_root() && !has("setpriv")) {
            return None;
        }
        let program = sandbox.root().join("program");
        std::fs::copy(env!("CARGO_BIN_EXE_htalk"), &program).unwrap();
        if is_root() {
            run(sandbox.command("chown").args(["-R", &format!("{USER}:{USER}")]).arg(sandbox.root()), b"").text();
        }
        Some(Ordinary { sandbox, program })
    }

    /// htalk, which can start no thread and no process.
    fn alone(&self, words: &[&str]) -> Command {
        let limit = ["prlimit", "--nproc=1"];
        let user = ["setpriv", "--reuid", USER, "--regid", USER, "--clear-groups"];
        let prefix = if is_root() { [&user[..], &limit].concat() } else { limit.to_vec() };
        let mut command = self.sandbox.command(prefix[0]);
        command.args(&prefix[1..]).arg(&self.program).args(words).env("HTALK_DB", self.sandbox.mailbox());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
}

fn is_root() -> bool {
    nix::unistd::geteuid().is_root()
}

#[test]
fn without_threads_everything_is_done_in_line() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let Some(user) = Ordinary::new(&sandbox) else { return };
    // While the mailbox is held, and afterwards.
    let mut lock = Shell::lock(&sandbox);
    let sending = user.alone(&["--as", "a", "send", "b", "--message", "x"]).spawn().unwrap();
    until("the queue", || sandbox.root().join("mail.sqlite3-queue").exists());
    lock.tell("ROLLBACK;");
    drop(lock);
    let sent = finish(sending).done();
    let id = sent["id"].as_str().unwrap();
    let waiting = user.alone(&["--as", "a", "wait", id]).spawn().unwrap();
    until("the wait", || {
        std::fs::read_dir(sandbox.root())
            .unwrap()
            .any(|file| file.unwrap().file_name().to_string_lossy().contains("-wait-"))
    });
    run(&mut user.alone(&["--as", "b", "reply", id, "--message", "y"]), b"").done();
    assert_eq!(finish(waiting).done()["reply"]["body"], "y");
    run(&mut user.alone(&["--as", "b", "inbox"]), b"").done();
    let added = ["peer", "add", "c", "--harness", "test", "--delivery", "pull"];
    run(&mut user.alone(&added), b"").done();
    // Nobody holds the signals back, so that they work as they do by themselves.
    let watching = user.alone(&["--as", "b", "watch"]).spawn().unwrap();
    until("the watch", || is_opened(watching.id(), &sandbox));
    signal(&watching, Signal::SIGTERM);
    assert_eq!(finish(watching).code, 143);

    let names = |found: &Value| -> Vec<(String, String)> {
        let sources = found["sources"].as_array().unwrap().iter();
        sources.map(|source| (source["source"].to_string(), source["error"].to_string())).collect()
    };
    let words = ["peer", "discover", "--codex-socket", "/nowhere/s", "--opencode-url", "http://127.0.0.1:1"];
    let with_threads = names(&sandbox.htalk(&words).ended(2));
    assert_eq!(names(&run(&mut user.alone(&words), b"").ended(2)), with_threads);
    assert!(with_threads.len() >= 6, "{with_threads:?}");
}

/// Whether a process has the mailbox open.
fn is_opened(pid: u32, sandbox: &Sandbox) -> bool {
    let files = std::fs::read_dir(format!("/proc/{pid}/fd")).unwrap();
    files.filter_map(|file| std::fs::read_link(file.ok()?.path()).ok()).any(|file| file == sandbox.mailbox())
}

#[test]
fn a_notice_whose_command_can_not_be_started_is_not_submitted() {
    let world = World::with_queue();
    let Some(user) = Ordinary::new(world.sandbox()) else { return };
    let path = format!("{}:/usr/bin:/bin", world.at("bin").display());
    let mut send = user.alone(&["--as", "a", "send", "b", "--message", "x"]);
    let sent = run(send.env("PATH", path).env("HOME", world.at("home")), b"").ended(2);
    assert_eq!(sent["submission"], "not_submitted", "{sent}");
    assert_eq!(world.calls(), "");
}

/// Runs htalk with a limit of the shell.
fn limited(sandbox: &Sandbox, option: &str, limit: usize, words: &str) -> Ran {
    sandbox.sh(&format!("ulimit -{option} {limit}; exec htalk {words}"))
}

/// An object, whatever happened, and nothing besides.
#[track_caller]
fn answered(ran: &Ran, limit: usize) -> Value {
    let object = ran.json();
    assert!(ran.code == 0 || (ran.code == 2 && object["state"] == "error"), "with {limit}: {ran:?}");
    object
}

#[test]
fn few_descriptors_are_an_answer_and_no_crash() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let mut saved = 0;
    for limit in 3..16 {
        for words in ["--as a send b --message x", "--as a send b --message x --wait 0.01", "--as b inbox", "peer list"]
        {
            let object = answered(&limited(&sandbox, "n", limit, words), limit);
            saved += usize::from(object["created"] == true);
        }
    }
    assert!(saved > 5);
    let listed = sandbox.htalk(&["--as", "a", "sent"]).done();
    assert!(listed["total"] == saved, "{listed} after {saved}");
    let found = limited(&sandbox, "n", 4, "peer discover");
    assert!(found.json()["sources"].is_array(), "{found:?}");
    sandbox.assert_sound();
}

#[test]
fn a_limit_of_file_sizes_is_a_full_disk() {
    // Of 512 bytes each: from none at all to beyond what a message needs.
    let full = Sandbox::with_peers(&["a", "b"]);
    let mut saved = 0;
    for limit in (0..400).step_by(10) {
        let sent = answered(&limited(&full, "f", limit, "--as a send b --message x"), limit);
        saved += usize::from(sent["created"] == true);
    }
    assert!(saved > 0);
    assert_eq!(full.htalk(&["--as", "a", "sent"]).done()["total"], saved);
    full.assert_sound();
    // A new mailbox is made or not.
    for limit in (0..500).step_by(25) {
        let sandbox = Sandbox::new();
        let made = limited(&sandbox, "f", limit, "peer add a --harness test --delivery pull");
        answered(&made, limit);
        let again = sandbox.htalk(&["peer", "add", "a", "--harness", "test", "--delivery", "pull"]);
        assert_eq!(again.done()["name"], "a", "after {limit}: {made:?}");
    }
}

#[test]
fn an_answer_that_is_too_large_for_its_file_is_a_failure() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    sandbox.send("a", "b", &"x".repeat(3000));
    let ran = sandbox.sh("ulimit -f 2; exec htalk --as b inbox > out");
    assert!(ran.code == 2 && ran.err.contains("can not write the result"), "{ran:?}");
}

#[test]
fn used_up_time_of_the_processor_is_an_interrupt() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let request = sandbox.send("a", "b", "x");
    let waiting = sandbox.start(&["--as", "a", "wait", &request]);
    until("the registration", || sandbox.sqlite(".timeout 10000\nSELECT count(*) FROM waits;").text() == "1");
    // As the kernel sends it; to use up a second would take one.
    signal(&waiting, Signal::SIGXCPU);
    let object = finish(waiting).ended(128 + Signal::SIGXCPU as i32);
    assert_eq!((&object["state"], &object["persistence"]), (&"interrupted".into(), &"saved".into()));
}
