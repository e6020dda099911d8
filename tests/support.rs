//! A sandbox for one test: an own empty home, a mailbox in it, the built `htalk` and the plain `sqlite3` shell, all
//! with a clean environment.

use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use refinery_core::Migration;
use serde_json::Value;

/// All codes, from their tables.
pub mod code_tables;
/// The codes that were answered in this run of the tests.
pub mod codes;
/// Mailboxes of earlier releases, and what they say.
pub mod legacy;
/// Places of their own: a read-only directory, a small disk.
pub mod namespace;
/// Processes that are started, watched and interrupted.
pub mod process;
/// Commands that are run to their end, and how they ended.
mod ran;
/// A plain sqlite3 shell that is kept open.
pub mod shell;
/// The programs that the tests need.
mod tools;

pub use ran::{Ran, finish, kill, run};
pub use tools::{PATH, has, skip};

/// The schema number of this release: that of the last migration.
pub fn schema_version() -> i64 {
    let migrations = Path::new(env!("CARGO_MANIFEST_DIR")).join("sql/migrations");
    let names = fs::read_dir(migrations).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter_map(|name| name.strip_prefix('V')?.split_once("__")?.0.parse().ok()).max().unwrap()
}

/// What adds the first parts of the ledger of handoffs to a mailbox.
pub fn ledger_script(parts: usize) -> String {
    migrations_script("sql/handoff", "handoff_schema_history", parts)
}

/// What runs the first migrations of a folder, and records them as htalk does.
pub fn migrations_script(folder: &str, history: &str, count: usize) -> String {
    let files = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).unwrap();
    let parse = |entry: std::io::Result<fs::DirEntry>| {
        let file = entry.unwrap().path();
        let text = fs::read_to_string(&file).unwrap();
        (Migration::unapplied(file.file_stem().unwrap().to_str().unwrap(), &text).unwrap(), text)
    };
    let mut migrations: Vec<(Migration, String)> = files.map(parse).collect();
    migrations.sort_by_key(|(migration, _)| migration.version());
    let mut script = format!(
        "CREATE TABLE {history}(
             version int4 PRIMARY KEY,
             name VARCHAR(255),
             applied_on VARCHAR(255),
             checksum VARCHAR(255));"
    );
    for (migration, text) in migrations.iter().take(count) {
        let (version, name, checksum) = (migration.version(), migration.name(), migration.checksum());
        let row = format!("({version}, '{name}', '2026-01-01T00:00:00Z', '{checksum}')");
        script += &format!("{text}\nINSERT INTO {history} VALUES {row};\n");
    }
    script
}

/// One test's own directory, removed when the test is over.
pub struct Sandbox {
    root: PathBuf,
}

impl Sandbox {
    /// An empty directory; there is no mailbox yet.
    pub fn new() -> Sandbox {
        tools::assert_sqlite3();
        codes::begin();
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
        let mut command = process::responsive(program);
        command.env_clear().env("HOME", &self.root).env("PATH", PATH).env("LANG", "C.UTF-8");
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
        let path = format!("{}:{PATH}", programs.display());
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
        codes::end();
    }
}

/// The keys of an object, in their order.
pub fn keys(object: &Value) -> Vec<&str> {
    object.as_object().unwrap().keys().map(String::as_str).collect()
}
