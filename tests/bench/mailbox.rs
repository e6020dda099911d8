//! One program with one mailbox of its own, and what is run on it.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use serde_json::Value;

/// Who writes to whom; all of them pull. See `mail.sql`.
const PEERS: [&str; 7] = ["peer0", "peer1", "peer2", "peer3", "busy", "asker", "desk"];

/// How much mail lies in a mailbox before anything is measured.
#[derive(Debug, Clone, Copy)]
pub struct Mail {
    /// Questions of four peers to each other, answered and read.
    pub exchanges: u32,
    /// Questions to `busy`.
    pub open: u32,
    /// Questions of `asker` to `desk`.
    pub asked: u32,
}

/// A program and its mailbox.
pub struct Mailbox {
    program: PathBuf,
    file: PathBuf,
}

impl Mailbox {
    /// Lets a program make a mailbox, then fills it by a script that copies the view `mail`.
    pub fn new(program: &Path, file: PathBuf, mail: Mail, fill: &str) -> Mailbox {
        let mailbox = Mailbox { program: program.to_owned(), file };
        for name in PEERS {
            mailbox.timed(&["peer", "add", name, "--harness", "bench", "--delivery", "pull"]);
        }
        let connection = Connection::open(&mailbox.file).unwrap();
        connection.execute_batch(include_str!("mail.sql")).unwrap();
        connection.execute("INSERT INTO size VALUES (?, ?, ?)", (mail.exchanges, mail.open, mail.asked)).unwrap();
        connection.execute_batch(fill).unwrap();
        drop(connection);
        // What is still to be written must not disturb the measuring.
        File::open(&mailbox.file).unwrap().sync_all().unwrap();
        mailbox
    }

    /// A file beside the mailbox.
    pub fn beside(&self, ending: &str) -> PathBuf {
        self.file.with_extension(ending)
    }

    /// Copies the mailbox, with its side files as they lie, to another path, for the same program.
    pub fn copy_to(&self, file: PathBuf) -> Mailbox {
        for ending in ["", "-wal", "-shm", "-journal"] {
            let [from, to] = [&self.file, &file].map(|path| {
                let mut path = path.clone().into_os_string();
                path.push(ending);
                PathBuf::from(path)
            });
            match fs::copy(from, &to) {
                Err(error) if error.kind() == ErrorKind::NotFound => drop(fs::remove_file(to)),
                copied => drop(copied.unwrap()),
            }
        }
        Mailbox { program: self.program.clone(), file }
    }

    /// The ids of what a peer sent, oldest first.
    pub fn sent_by(&self, peer: &str) -> Vec<String> {
        let connection = Connection::open(&self.file).unwrap();
        let mut statement = connection.prepare("SELECT id FROM messages WHERE sender = ? ORDER BY seq").unwrap();
        statement.query_map([peer], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    }

    /// A command on this mailbox with a clean environment.
    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        self.equip(&mut command).args(words);
        command
    }

    /// The same command started by another program.
    pub fn command_under(&self, starter: impl AsRef<Path>, options: &[&str], words: &[&str]) -> Command {
        let mut command = Command::new(starter.as_ref());
        self.equip(&mut command).args(options).arg(&self.program).args(words);
        command
    }

    fn equip<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        let home = self.file.parent().unwrap();
        command.env_clear().env("HOME", home).env("PATH", "/usr/local/bin:/usr/bin:/bin").env("HTALK_DB", &self.file);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit())
    }

    /// How long a command takes, from before its start until after its end. It must succeed.
    pub fn timed(&self, words: &[&str]) -> Duration {
        self.answer(words).0
    }

    /// The same, with what it answers; null where that is no JSON.
    pub fn answer(&self, words: &[&str]) -> (Duration, Value) {
        let mut command = self.command(words);
        let start = Instant::now();
        let output = command.output().unwrap();
        let time = start.elapsed();
        assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stdout));
        (time, serde_json::from_slice(&output.stdout).unwrap_or_default())
    }

    /// How large the program is, in megabytes.
    pub fn program_size(&self) -> f64 {
        self.program.metadata().unwrap().len() as f64 / 1e6
    }
}
