//! A sandbox for one test: an own empty home, a mailbox in it, the built `htalk` and the plain `sqlite3` shell, all
//! with a clean environment.

use std::fs;
use std::io::Write;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use refinery_core::Migration;
use serde_json::Value;

/// Mailboxes of earlier releases, and what they say.
pub mod legacy;
/// Places of their own: a read-only directory, a small disk.
pub mod namespace;
/// Processes that are started, watched and interrupted.
pub mod process;
/// A plain sqlite3 shell that is kept open.
pub mod shell;

/// The schema number of this release: that of the last migration.
pub fn schema_version() -> i64 {
    let migrations = Path::new(env!("CARGO_MANIFEST_DIR")).join("sql/migrations");
    let names = fs::read_dir(migrations).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter_map(|name| name.strip_prefix('V')?.split_once("__")?.0.parse().ok()).max().unwrap()
}

/// What adds the first parts of the ledger of handoffs to a mailbox.
pub fn ledger_script(parts: usize) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("sql/handoff");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    // V1 to V9: their order is that of their names.
    files.sort();
    let mut script = String::from(
        "CREATE TABLE handoff_schema_history(
             version int4 PRIMARY KEY,
             name VARCHAR(255),
             applied_on VARCHAR(255),
             checksum VARCHAR(255));",
    );
    for file in files.iter().take(parts) {
        let text = fs::read_to_string(file).unwrap();
        let part = Migration::unapplied(file.file_stem().unwrap().to_str().unwrap(), &text).unwrap();
        let (version, name, checksum) = (part.version(), part.name(), part.checksum());
        let row = format!("({version}, '{name}', '2026-01-01T00:00:00Z', '{checksum}')");
        script += &format!("{text}\nINSERT INTO handoff_schema_history VALUES {row};\n");
    }
    script
}

/// One test's own directory, removed when the test is over.
pub struct Sandbox {
    root: PathBuf,
}

/// How a command ended.
#[derive(Debug)]
pub struct Ran {
    /// The exit code; 128 and the signal for one that was killed.
    pub code: i32,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl Sandbox {
    /// An empty directory; there is no mailbox yet.
    pub fn new() -> Sandbox {
        let root = std::env::temp_dir().join(format!("htalk-test-{}", uuid::Uuid::new_v4()));
        // Private, as handoffs demand.
        fs::DirBuilder::new().mode(0o700).create(&root).unwrap();
        // Resolved, as htalk prints it.
        Sandbox { root: root.canonicalize().unwrap() }
    }

    /// A mailbox with these pull peers.
    pub fn with_peers(names: &[&str]) -> Sandbox {
        let sandbox = Sandbox::new();
        for name in names {
            sandbox.htalk(&["peer", "add", name, "--harness", "test", "--delivery", "pull"]).done();
        }
        sandbox
    }

    /// The same with the ledger of handoffs, added in the plain shell from the files in `sql/handoff`, and recorded as
    /// htalk records it.
    pub fn with_ledger(names: &[&str]) -> Sandbox {
        let sandbox = Sandbox::with_peers(names);
        sandbox.sqlite(&format!("BEGIN;{}COMMIT;", ledger_script(usize::MAX))).text();
        sandbox
    }

    /// The directory, which is also HOME.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The mailbox that the commands of this sandbox use.
    pub fn mailbox(&self) -> PathBuf {
        self.root.join("mail.sqlite3")
    }

    /// A command with a clean environment.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("HOME", &self.root).env("PATH", "/usr/local/bin:/usr/bin:/bin").env("LANG", "C.UTF-8");
        command.env("TMPDIR", std::env::temp_dir()).current_dir(&self.root).stdin(Stdio::null());
        command
    }

    /// The built htalk on this mailbox, ready to be changed further.
    pub fn htalk_command(&self, words: &[&str]) -> Command {
        let mut command = self.command(env!("CARGO_BIN_EXE_htalk"));
        command.env("HTALK_DB", self.mailbox()).args(words);
        command
    }

    /// Runs htalk on this mailbox.
    pub fn htalk(&self, words: &[&str]) -> Ran {
        run(&mut self.htalk_command(words), b"")
    }

    /// Runs htalk with a text on its standard input.
    pub fn htalk_reading(&self, words: &[&str], input: &[u8]) -> Ran {
        run(&mut self.htalk_command(words), input)
    }

    /// Starts htalk with its output captured.
    pub fn start(&self, words: &[&str]) -> Child {
        self.htalk_command(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// Runs a script in the plain sqlite3 shell with its defaults, on this mailbox.
    pub fn sqlite(&self, script: &str) -> Ran {
        self.sqlite_on(&self.mailbox(), script)
    }

    /// The same on any file.
    pub fn sqlite_on(&self, file: &Path, script: &str) -> Ran {
        run(self.command("sqlite3").arg("-batch").arg(file), script.as_bytes())
    }

    /// Every file below the sandbox: its mode, its size, its time of change and a checksum of its bytes. A directory's
    /// time would tell of side files that SQLite made and removed.
    pub fn snapshot(&self) -> String {
        let script = r#"find "$1" -exec stat -c '%n %F %a' {} + ; find "$1" -type f -exec stat -c '%n %s %y' {} + ;
            find "$1" -type f -exec sha256sum {} +"#;
        let ran = run(self.command("sh").args(["-c", &format!("{{ {script}; }} | sort"), "sh"]).arg(&self.root), b"");
        ran.text().to_owned()
    }

    /// Runs a shell script, in which `htalk` is the built one.
    pub fn sh(&self, script: &str) -> Ran {
        let programs = Path::new(env!("CARGO_BIN_EXE_htalk")).parent().unwrap();
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", programs.display());
        run(self.command("sh").env("PATH", path).env("HTALK_DB", self.mailbox()).args(["-c", script]), b"")
    }

    /// Saves a request from one pull peer to another and returns its id.
    pub fn send(&self, sender: &str, recipient: &str, body: &str) -> String {
        self.htalk(&["--as", sender, "send", recipient, "--message", body]).done()["id"].as_str().unwrap().to_owned()
    }

    /// Saves the answer to a request and returns its id.
    pub fn reply(&self, actor: &str, request: &str, body: &str) -> String {
        self.htalk(&["--as", actor, "reply", request, "--message", body]).done()["id"].as_str().unwrap().to_owned()
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

/// The keys of an object, in their order.
pub fn keys(object: &Value) -> Vec<&str> {
    object.as_object().unwrap().keys().map(String::as_str).collect()
}

/// Runs a command to its end with an input.
pub fn run(command: &mut Command, input: &[u8]) -> Ran {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    // A command that ends early does not read its input.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let ran = finish(child);
    writer.join().unwrap();
    ran
}

/// Ends a started command in the middle of whatever it does.
pub fn kill(mut child: Child) -> Ran {
    child.kill().unwrap();
    finish(child)
}

/// Says that a test can't do its work on this machine. Written past the capturing of the test's output, so that it is
/// seen.
pub fn skip(why: &str) {
    let name = std::thread::current().name().unwrap_or_default().to_owned();
    std::io::stderr().write_all(format!("SKIPPED {name}: {why}\n").as_bytes()).unwrap();
}

/// Whether a program can be run here; says so if not.
pub fn is_installed(program: &str) -> bool {
    let found = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    let is_there = found.is_ok_and(|status| status.success());
    if !is_there {
        skip(&format!("{program} is not installed"));
    }
    is_there
}

/// Waits for a started command.
pub fn finish(child: Child) -> Ran {
    child.wait_with_output().unwrap().into()
}

impl From<Output> for Ran {
    fn from(output: Output) -> Ran {
        use std::os::unix::process::ExitStatusExt;
        Ran {
            code: output.status.code().unwrap_or_else(|| 128 + output.status.signal().unwrap_or_default()),
            out: String::from_utf8(output.stdout).expect("output is UTF-8"),
            err: String::from_utf8(output.stderr).expect("messages are UTF-8"),
        }
    }
}

impl Ran {
    /// The one object on the one line that was printed.
    pub fn json(&self) -> Value {
        assert!(self.out.ends_with('\n') && self.out.lines().count() == 1, "not one line: {self:?}");
        assert_eq!(self.err, "", "{self:?}");
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The object of a command that succeeded.
    #[track_caller]
    pub fn done(&self) -> Value {
        self.ended(0)
    }

    /// The object of a command that ended with this exit.
    #[track_caller]
    pub fn ended(&self, exit: i32) -> Value {
        assert_eq!(self.code, exit, "{self:?}");
        self.json()
    }

    /// The object of a command that was refused with this code.
    #[track_caller]
    pub fn refused(&self, code: &str) -> Value {
        self.refused_by(2, code)
    }

    /// The object of a command that was refused with this exit and code.
    #[track_caller]
    pub fn refused_by(&self, exit: i32, code: &str) -> Value {
        let object = self.ended(exit);
        assert_eq!(object["state"], "error", "{self:?}");
        assert_eq!(object["error"], code, "{self:?}");
        object
    }

    /// The errors of a `sqlite3` shell that did not stop at them: the line of each, and its words.
    pub fn shell_errors(&self) -> Vec<(usize, String)> {
        // `Runtime error near line 12: words (19)`; what can't be parsed has further lines, which show the place.
        let mut errors = Vec::new();
        for line in self.err.lines() {
            let place = line.split_once(" near line ").and_then(|(_, rest)| rest.split_once(": "));
            if let Some((number, words)) = place {
                let words = words.rsplit_once(" (").map_or(words, |(words, _)| words);
                errors.push((number.parse().unwrap(), words.to_owned()));
            }
        }
        errors
    }

    /// What a shell script printed, which must not have failed.
    #[track_caller]
    pub fn text(&self) -> &str {
        assert!(self.code == 0 && self.err.is_empty(), "{self:?}");
        self.out.trim_end()
    }
}
