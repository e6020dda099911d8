//! A plain sqlite3 shell that is kept open and told one script after the other: another program that holds a lock, or
//! dies.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use super::Sandbox;

/// The running shell; it is ended with this value, as a program that dies.
pub struct Shell {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Shell {
    /// Opens a file.
    pub fn open(sandbox: &Sandbox, file: &Path) -> Shell {
        let mut command = sandbox.command("sqlite3");
        command.args(["-batch", "-bail"]).arg(file).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Shell { child, input, output }
    }

    /// Runs a script and waits until it is done.
    #[track_caller]
    pub fn tell(&mut self, script: &str) {
        // The shell keeps its own output back while that is a pipe, so another program says that it is done.
        writeln!(self.input, "{script}\n.shell echo told").unwrap();
        let mut line = String::new();
        while line != "told\n" {
            line.clear();
            assert_ne!(self.output.read_line(&mut line).unwrap(), 0, "the shell failed in: {script}");
        }
    }

    /// Takes the write lock and keeps it.
    pub fn lock(sandbox: &Sandbox) -> Shell {
        let mut shell = Shell::open(sandbox, &sandbox.mailbox());
        shell.tell("BEGIN IMMEDIATE;");
        shell
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
