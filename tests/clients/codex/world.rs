//! Who takes part: an asker, the Codex peer `b`, and all that Codex 0.171.0 has on this machine but its server: its
//! command, its state database and its locks.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use serde_json::Value;

use super::fake::{Act, CONTROL, Facts, QUEUED, Server, THREAD};
use crate::support::process::write_program;
use crate::support::{PATH, Ran, Sandbox, run};

/// A sandbox with a home, a workspace and a place for a fake `codex` in it.
pub struct World {
    sandbox: Arc<Sandbox>,
}

impl World {
    pub fn new() -> World {
        World::inside(Arc::new(Sandbox::new()))
    }

    /// A world in this sandbox.
    pub fn inside(sandbox: Arc<Sandbox>) -> World {
        for directory in ["home/.codex/thread-writer-locks", "ws", "other", "bin"] {
            fs::create_dir_all(sandbox.root().join(directory)).unwrap();
        }
        World { sandbox }
    }

    /// A world with a mailbox, an asker that pulls and the Codex peer `b`.
    pub fn with_peer(extra: &[&str]) -> World {
        let world = World::new();
        world.add_peer(extra);
        world
    }

    /// The same world with a Codex session of a person that its state database knows, and with a `codex` that queues
    /// for it.
    pub fn with_queue() -> World {
        let world = World::with_peer(&[]);
        world.known();
        world.queues();
        world
    }

    pub fn add_peer(&self, extra: &[&str]) {
        self.done(&["peer", "add", "a", "--harness", "shell", "--delivery", "pull"]);
        let mut words = vec!["peer", "add", "b", "--harness", "codex", "--session", THREAD, "--workspace", "WS"];
        words.extend(extra);
        self.done(&words);
    }

    pub fn sandbox(&self) -> &Sandbox {
        &self.sandbox
    }

    pub fn root(&self) -> &Path {
        self.sandbox.root()
    }

    pub fn at(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    /// htalk with this world's environment; `WS` stands for the workspace, `ROOT/` for the world.
    pub fn command(&self, words: &[&str]) -> Command {
        let root = self.root().to_str().unwrap();
        let mut command = self.program(env!("CARGO_BIN_EXE_htalk"));
        command.args(words.iter().map(|word| match *word {
            "WS" => format!("{root}/ws"),
            word => word.replace("ROOT/", &format!("{root}/")),
        }));
        command
    }

    /// Any program with this world's environment.
    pub fn program(&self, program: &str) -> Command {
        let mut command = self.sandbox.command(program);
        let path = format!("{}:{PATH}", self.at("bin").display());
        command.env("HOME", self.at("home")).env("PATH", path).env("HTALK_DB", self.sandbox.mailbox());
        command
    }

    pub fn run(&self, words: &[&str]) -> Ran {
        run(&mut self.command(words), b"")
    }

    #[track_caller]
    pub fn done(&self, words: &[&str]) -> Value {
        self.run(words).done()
    }

    /// Sends from `a` to `b`; what became of the notice.
    pub fn send(&self) -> Notice {
        self.send_with(&[])
    }

    pub fn send_with(&self, variables: &[(&str, &str)]) -> Notice {
        let mut command = self.command(&["--as", "a", "send", "b", "--message", "SECRET-BODY"]);
        command.envs(variables.iter().copied());
        let ran = run(&mut command, b"");
        let answer = ran.json();
        let text = |key: &str| answer[key].as_str().unwrap_or_default().to_owned();
        assert_eq!(ran.code, if text("submission") == "submitted" { 0 } else { 2 }, "{answer}");
        Notice {
            id: text("id"),
            submission: text("submission"),
            detail: text("notification_detail"),
            status: answer["recipient_status"].as_str().map(String::from),
        }
    }

    /// Acknowledges as `b`; the clean-up.
    pub fn ack(&self, id: &str) -> Value {
        self.done(&["--as", "b", "ack", id])["notification_cleanup"].clone()
    }

    /// Makes a state database of 0.171.0's layout (as far as it matters) with the given rows, in `directory`.
    pub fn state(&self, directory: &str, rows: &[&str]) -> PathBuf {
        let path = self.at(directory).join("state_5.sqlite");
        let mut script = String::from(
            "CREATE TABLE threads (id TEXT PRIMARY KEY, rollout_path TEXT, source TEXT NOT NULL, cwd TEXT NOT NULL, \
             title TEXT, archived INTEGER NOT NULL DEFAULT 0, preview TEXT, thread_source TEXT, originator TEXT, \
             attached_thread_parent_id TEXT);\n",
        );
        for row in rows {
            script.push_str(&format!("INSERT INTO threads(id, source, cwd, archived, thread_source) VALUES({row});\n"));
        }
        self.sqlite(&path, &script);
        path
    }

    /// Runs a script on any database.
    pub fn sqlite(&self, path: &Path, script: &str) {
        self.sandbox.sqlite_on(path, script).text();
    }

    /// A row of the thread in the workspace.
    pub fn row(&self, source: &str, archived: u8, thread_source: &str) -> String {
        format!("'{THREAD}','{source}','{}',{archived},'{thread_source}'", self.at("ws").display())
    }

    /// A state database with the one thread, as a person's.
    pub fn known(&self) {
        self.state("home/.codex", &[&self.row("cli", 0, "user")]);
    }

    /// A `codex` that logs how it was called and then runs these shell lines.
    pub fn codex(&self, body: &str) {
        self.install("codex", "calls", body);
    }

    /// A `codex` that queues everything for the thread.
    pub fn queues(&self) {
        self.codex(&format!("echo 'Queued message {QUEUED} for thread {THREAD}.'"));
    }

    /// A program that notes in `log` how it was called and then runs these shell lines.
    pub fn install(&self, name: &str, log: &str, body: &str) {
        let root = self.root().display();
        let script = format!(
            "#!/bin/sh\nfor word in \"$@\"; do printf '[%s]\\n' \"$word\" >>{root}/{log}; done\n\
             printf 'home=%s sqlite=%s pwd=%s token=%s\\n' \"$CODEX_HOME\" \"$CODEX_SQLITE_HOME\" \"$PWD\" \
             \"$OPENCODE_SERVER_PASSWORD\" >>{root}/{log}\n{body}\n"
        );
        write_program(&self.at("bin").join(name), &script);
    }

    pub fn calls(&self) -> String {
        fs::read_to_string(self.at("calls")).unwrap_or_default()
    }

    /// Where the socket of a server is looked for, in a directory that is there.
    pub fn control(&self) -> PathBuf {
        let link = self.at("home").join(CONTROL);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        link
    }

    /// The real one's layout: a symlink to the socket elsewhere.
    pub fn serve(&self, behave: impl Fn(&Facts, &Value) -> Vec<Act> + Send + Sync + 'static) -> Server {
        let link = self.control();
        let socket = self.at("real.sock");
        symlink(&socket, &link).unwrap();
        Server::start(&socket, self.facts(), behave)
    }

    pub fn facts(&self) -> Facts {
        Facts { workspace: self.at("ws").display().to_string(), home: self.at("home/.codex").display().to_string() }
    }
}

/// What a notice came to.
#[derive(Debug, PartialEq, Eq)]
pub struct Notice {
    pub id: String,
    pub submission: String,
    pub detail: String,
    pub status: Option<String>,
}

impl Notice {
    #[track_caller]
    pub fn is(&self, submission: &str, detail: &str) {
        assert_eq!((self.submission.as_str(), self.detail.as_str()), (submission, detail), "{self:?}");
    }

    #[track_caller]
    pub fn has_status(&self, status: &str) {
        assert_eq!(self.status.as_deref(), Some(status), "{self:?}");
    }
}

/// A process that holds a `flock` until it is dropped.
pub struct Holder(Child);

impl Holder {
    pub fn of(lock: &Path) -> Holder {
        let words = ["sh", "-c", "echo; exec cat"];
        let mut flock = Command::new("flock");
        let mut child = flock.arg(lock).args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut String::new()).unwrap();
        Holder(child)
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}
