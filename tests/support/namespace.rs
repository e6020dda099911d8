//! Places that need a mount: a user and mount namespace of one's own, which no privilege is needed for.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use super::{Ran, Sandbox, run, skip};

/// A namespace in which the directory of a sandbox is something else; outside nothing changes.
pub struct Namespace<'a> {
    sandbox: &'a Sandbox,
    keeper: Child,
}

impl<'a> Namespace<'a> {
    /// The sandbox can be read and not written.
    pub fn read_only(sandbox: &'a Sandbox) -> Option<Self> {
        Namespace::new(sandbox, r#"mount --bind "$1" "$1" && mount -o remount,bind,ro "$1""#)
    }

    /// One file or directory in the sandbox can be read and not written.
    pub fn read_only_part(sandbox: &'a Sandbox, name: &str) -> Option<Self> {
        Namespace::new(
            sandbox,
            &format!(r#"mount --bind "$1/{name}" "$1/{name}" && mount -o remount,bind,ro "$1/{name}""#),
        )
    }

    /// The sandbox is an empty disk of this size.
    pub fn disk(sandbox: &'a Sandbox, kilobytes: u32) -> Option<Self> {
        Namespace::new(sandbox, &format!(r#"mount -t tmpfs -o size={kilobytes}k none "$1""#))
    }

    /// One directory in the sandbox is an empty private disk of this size.
    pub fn disk_at(sandbox: &'a Sandbox, name: &str, kilobytes: u32) -> Option<Self> {
        Namespace::new(sandbox, &format!(r#"mount -t tmpfs -o size={kilobytes}k,mode=700 none "$1/{name}""#))
    }

    /// None, with a word to whoever runs the tests, where the system does not permit it.
    fn new(sandbox: &'a Sandbox, mounts: &str) -> Option<Self> {
        let script = format!("{mounts} && echo ready && exec cat");
        let mut command = sandbox.command("unshare");
        command.args(["--user", "--map-root-user", "--mount", "sh", "-c", &script, "sh"]).arg(sandbox.root());
        let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut line = String::new();
        if let Ok(mut keeper) = spawned {
            BufReader::new(keeper.stdout.take().unwrap()).read_line(&mut line).unwrap();
            let namespace = Namespace { sandbox, keeper };
            if line == "ready\n" {
                return Some(namespace);
            }
        }
        skip("user and mount namespaces (unshare) are not permitted");
        None
    }

    /// A command in it, with a clean environment.
    pub fn command(&self, program: &str) -> Command {
        let mut command = self.sandbox.command("nsenter");
        command.args([
            "--user",
            "--mount",
            "--preserve-credentials",
            "--target",
            &self.keeper.id().to_string(),
            program,
        ]);
        command.env("HTALK_DB", self.sandbox.mailbox());
        command
    }

    /// Runs htalk in it.
    pub fn htalk(&self, words: &[&str]) -> Ran {
        run(self.command(env!("CARGO_BIN_EXE_htalk")).args(words), b"")
    }

    /// Runs a script of the shell in it; `$1` is the directory of the sandbox.
    #[track_caller]
    pub fn sh(&self, script: &str) -> String {
        run(self.command("sh").args(["-ec", script, "sh"]).arg(self.sandbox.root()), b"").text().to_owned()
    }

    /// Fills the disk up, but for so much.
    pub fn fill(&self, free_kilobytes: u32) {
        self.sh("dd if=/dev/zero of=\"$1/filler\" bs=1k status=none 2> /dev/null || true");
        self.sh(&format!("truncate -s -{free_kilobytes}K \"$1/filler\""));
    }

    /// Runs a script in the plain sqlite3 shell in it, on the mailbox.
    pub fn sqlite(&self, script: &str) -> Ran {
        run(self.command("sqlite3").arg("-batch").arg(self.sandbox.mailbox()), script.as_bytes())
    }
}

impl Drop for Namespace<'_> {
    fn drop(&mut self) {
        let _ = self.keeper.kill();
        let _ = self.keeper.wait();
    }
}
