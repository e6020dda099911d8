//! The fake programs of a scene: `codex`, and an `ssh` whose other machine is this one.

use std::fs;

use crate::clients::codex::fake::QUEUED;
use crate::handoff::scene::Scene;

/// What the fake `ssh` does with the words of a remote command, unless a test wants it otherwise.
pub const REMOTE: &str = "sh -c \"$*\"";

impl Scene {
    /// A `codex` that takes everything and says that it was for this thread.
    pub fn codex_queues_for(&self, thread: &str) {
        self.codex(&format!("echo 'Queued message {QUEUED} for thread {thread}.'"));
    }

    /// A `codex` whose `queue` runs these shell lines.
    pub fn codex(&self, queue: &str) {
        self.world.codex(&format!("[ \"$1\" = --version ] && echo 'codex-cli 0.171.0' && exit\n{queue}"));
    }

    /// The texts that `codex queue` was called with.
    pub fn queued(&self) -> Vec<String> {
        let calls = self.world.calls();
        let texts = calls.split("[--message=").skip(1);
        texts.map(|rest| rest.split_once("]\nhome=").unwrap().0.to_owned()).collect()
    }

    /// An `ssh` that drops its options and the host and then runs these shell lines, with the remote words as
    /// arguments.
    pub fn ssh(&self, body: &str) {
        let body = format!("while [ \"$1\" != -- ]; do shift; done; shift 2\n{body}");
        self.world.install("ssh", "ssh.calls", &body);
    }

    /// An `ssh` that does its work but for the submission, for which it runs these shell lines.
    pub fn ssh_but(&self, submission: &str) {
        let root = self.sandbox.root().display();
        self.ssh(&format!(
            "if mkdir {root}/probed 2>/dev/null; then {REMOTE}; exit; fi\nremote() {{ sh -c \"$words\"; }}\n\
             words=\"$*\"\n{submission}"
        ));
    }

    /// How `ssh` was called: a line for each word.
    pub fn ssh_calls(&self) -> String {
        fs::read_to_string(self.at("ssh.calls")).unwrap_or_default()
    }
}
