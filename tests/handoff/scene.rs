//! Who takes part in a handoff: a sender and a bystander that pull, a Claude Code session, a Codex thread, and a host
//! behind a fake `ssh` that is this machine once more. The fakes themselves are in `fake`.

use std::fs::{self, DirBuilder, Permissions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt, symlink};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use serde_json::{Value, json};

use super::fake::inbox::Receipt;
use super::fake::programs::REMOTE;
use crate::clients::codex::fake::THREAD;
use crate::clients::codex::world::World;
use crate::support::{Ran, Sandbox, run};

/// The session of the Claude Code peer.
pub const SESSION: &str = "7f9619ff-8b86-4d01-b42d-00cf4fc964ff";

/// A well-formed id that nobody prepared.
pub const UNKNOWN: &str = "1f0c9d52-aaaa-4aaa-8aaa-000000000001";

/// The peers `b` and `c` (pull), `r` (Claude Code) and `q` (Codex), and the private file `m` with a message.
pub struct Scene {
    pub sandbox: Arc<Sandbox>,
    pub world: World,
}

impl Scene {
    /// Without a ledger yet.
    pub fn before_init() -> Scene {
        let sandbox = Arc::new(Sandbox::with_peers(&["b", "c"]));
        let scene = Scene { world: World::inside(Arc::clone(&sandbox)), sandbox };
        fs::create_dir_all(scene.config().join("sessions")).unwrap();
        DirBuilder::new().mode(0o700).create(scene.sockets()).unwrap();
        symlink(env!("CARGO_BIN_EXE_htalk"), scene.at("bin/htalk")).unwrap();
        scene.write("m", "hello");
        scene.world.known();
        scene.codex_queues_for(THREAD);
        scene.ssh(REMOTE);
        for (name, harness, session) in [("r", "claude", SESSION), ("q", "codex", THREAD)] {
            let words = ["peer", "add", name, "--harness", harness, "--session", session, "--workspace", "ws"];
            scene.run(&words).done();
        }
        scene
    }

    /// With a ledger.
    pub fn new() -> Scene {
        let scene = Scene::before_init();
        scene.handoff("init").done();
        scene
    }

    pub fn at(&self, path: &str) -> PathBuf {
        self.sandbox.root().join(path)
    }

    pub fn config(&self) -> PathBuf {
        self.at("home/.claude")
    }

    pub fn sockets(&self) -> PathBuf {
        self.at("socks")
    }

    pub fn workspace(&self) -> PathBuf {
        self.at("ws")
    }

    /// A program in the environment of these peers.
    pub fn program(&self, program: &str) -> Command {
        self.world.program(program)
    }

    /// htalk with these words, the peers' environment, and its output captured.
    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = self.program(env!("CARGO_BIN_EXE_htalk"));
        command.args(words).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub fn run(&self, words: &[&str]) -> Ran {
        run(&mut self.command(words), b"")
    }

    /// htalk, with words that have blanks between them.
    pub fn htalk(&self, words: &str) -> Ran {
        self.run(&words.split(' ').collect::<Vec<_>>())
    }

    /// A handoff verb of `b`.
    pub fn handoff(&self, words: &str) -> Ran {
        self.handoff_reading(words, b"")
    }

    /// A handoff verb of `b` with this on its standard input.
    pub fn handoff_reading(&self, words: &str, input: &[u8]) -> Ran {
        run(&mut self.handoff_command(words), input)
    }

    /// A handoff verb of `b`, started.
    pub fn start(&self, words: &str) -> Child {
        self.handoff_command(words).spawn().unwrap()
    }

    pub fn handoff_command(&self, words: &str) -> Command {
        self.command(&["--as", "b", "handoff"].into_iter().chain(words.split(' ')).collect::<Vec<_>>())
    }

    /// A private file.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.at(name), bytes).unwrap();
        self.chmod(name, 0o600);
    }

    pub fn chmod(&self, name: &str, mode: u32) {
        fs::set_permissions(self.at(name), Permissions::from_mode(mode)).unwrap();
    }

    /// Prepares the message in `m`; the id.
    #[track_caller]
    pub fn prepare(&self, words: &str) -> String {
        id(&self.handoff(&format!("prepare --message-file m {words}")).done())
    }

    /// Sends the message in `m`, which must be submitted.
    #[track_caller]
    pub fn send(&self, words: &str) -> Value {
        let told = self.handoff(&format!("send --message-file m {words}")).done();
        assert_eq!(told["handoff"]["submission"]["status"], "submitted", "{told}");
        told
    }

    #[track_caller]
    pub fn status(&self, id: &str) -> Value {
        self.handoff(&format!("status {id}")).done()
    }

    /// The sender's own statement that this one has arrived.
    pub fn confirmation(&self, id: &str) -> String {
        let told = self.status(id);
        let handoff = &told["handoff"];
        json!({
            "schema_version": 1, "ledger_epoch": handoff["ledger_epoch"], "correlation_id": id,
            "target_generation": handoff["target_generation"], "confirmed": true,
        })
        .to_string()
    }

    pub fn confirm(&self, id: &str) -> Ran {
        self.handoff_reading("confirm --receipt -", self.confirmation(id).as_bytes())
    }

    /// Presents a receipt as its notice says.
    pub fn present(&self, receipt: &Receipt) -> Ran {
        run(self.program("sh").args(["-c", &receipt.command]), receipt.frame.as_bytes())
    }

    /// A verb that reads a frame, has got all of this, and waits for the end.
    pub fn reading(&self, verb: &str, frame: &str) -> Child {
        let mut child = self.handoff_command(&format!("{verb} --receipt -")).stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.as_mut().unwrap().write_all(frame.as_bytes()).unwrap();
        child
    }

    /// Runs SQL in the plain shell.
    #[track_caller]
    pub fn sql(&self, script: &str) -> String {
        self.sandbox.sqlite(script).text().to_owned()
    }

    pub fn handoffs(&self) -> String {
        self.sql("SELECT count(*) FROM handoff_v;")
    }

    pub fn dump(&self) -> String {
        self.sql(".dump")
    }

    /// The total of a peer's inbox.
    pub fn mail(&self, peer: &str) -> Value {
        self.htalk(&format!("--as {peer} inbox")).done()["total"].clone()
    }
}

/// The id of the handoff that was told of.
#[track_caller]
pub fn id(told: &Value) -> String {
    told["handoff"]["correlation_id"].as_str().unwrap_or_else(|| panic!("{told}")).to_owned()
}

/// The grades of evidence: the state, and the status of the submission, the acknowledgment and the wait.
#[track_caller]
pub fn grades(told: &Value) -> [&str; 4] {
    let handoff = &told["handoff"];
    let parts = [&handoff["state"], &handoff["submission"]["status"], &handoff["ack"]["status"]];
    [parts[0], parts[1], parts[2], &handoff["wait"]["status"]].map(|part| part.as_str().unwrap_or("absent"))
}

/// It was refused or is unknown, for this reason.
#[track_caller]
pub fn ended(ran: &Ran, state: &str, reason: &str) -> Value {
    let told = ran.ended(1);
    assert_eq!((&told["handoff"]["state"], &told["reason"]), (&json!(state), &json!(reason)), "{told}");
    told
}
