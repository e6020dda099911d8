//! Another program: a plain sqlite3 shell.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStderr, ChildStdin, Stdio};

use crate::support::Sandbox;

/// A plain sqlite3 shell that is told one statement after the other.
pub struct Shell {
    child: Child,
    input: ChildStdin,
    errors: BufReader<ChildStderr>,
}

impl Shell {
    pub fn open(sandbox: &Sandbox) -> Shell {
        let mut command = sandbox.command("sqlite3");
        command.arg("-batch").arg(sandbox.mailbox());
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (input, errors) = (child.stdin.take().unwrap(), BufReader::new(child.stderr.take().unwrap()));
        let mut shell = Shell { child, input, errors };
        shell.tell(".timeout 20000");
        shell
    }

    /// Runs a statement; the words of its error.
    pub fn tell(&mut self, statement: &str) -> Option<String> {
        // An error of its own says that all before is done.
        writeln!(self.input, "{statement}\nSELECT abs(-9223372036854775807 - 1);").unwrap();
        let mut told = None;
        loop {
            let mut line = String::new();
            assert_ne!(self.errors.read_line(&mut line).unwrap(), 0, "the shell has ended in: {statement}");
            if line.contains("integer overflow") {
                return told;
            }
            let words = line.split_once(": ").map_or(&*line, |(_, words)| words);
            told.get_or_insert_with(|| words.rsplit_once(" (").map_or(words, |(words, _)| words).trim().to_owned());
        }
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
