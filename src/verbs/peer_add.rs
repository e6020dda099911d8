//! `htalk peer add NAME`

use std::path::{Path, PathBuf};

use clap::Args;

use super::peers;
use super::{Verb, id};
use crate::answer::Answer;
use crate::call::Call;
use crate::error::{Error, Result};
use crate::mailbox::{Access, Arg, Db};
use crate::{clients, sql};

/// Record the address of a peer. No client is touched, notified or started. The first peer makes the mailbox.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  htalk peer add me --harness shell --delivery pull\n  \
    htalk peer add reviewer --harness codex --session 01a228b7-58fc-7e62-8f5a-f369cc0e706b --workspace .")]
pub struct PeerAdd {
    /// 1 to 64 of a-z, 0-9, _ and -, beginning with a letter or a digit
    name: String,
    /// codex, claude or opencode; any label for a pull peer
    #[arg(long, value_name = "LABEL")]
    harness: String,
    /// The client's id of the session
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// The directory in which the session works
    #[arg(long, value_name = "PATH")]
    workspace: Option<PathBuf>,
    /// The client's configuration directory, where it is not the usual one (codex, claude)
    #[arg(long, value_name = "PATH")]
    home: Option<PathBuf>,
    /// The socket of a Codex app server
    #[arg(long, value_name = "PATH")]
    socket: Option<PathBuf>,
    /// The URL of an OpenCode server; http://127.0.0.1:4096 where none is named
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// native: the client is told of new mail; pull: the peer looks for itself
    #[arg(long, default_value = "native", value_name = "native|pull")]
    delivery: String,
}

impl Verb for PeerAdd {
    /// Registers the peer; an identical registration answers the same.
    fn run(self, call: &Call) -> Result<Answer> {
        let is_opencode = self.harness == "opencode" && self.delivery == "native";
        let url = match self.url {
            Some(url) if is_opencode => Some(clients::server_url(&url).map_err(Error::new)?),
            None if is_opencode => Some(clients::USUAL_SERVER.to_owned()),
            other => other,
        };
        let session = self.session.map(|session| if is_opencode { session } else { id::stored(&session) });
        // What is no directory goes to the rules as an empty text, so that they decide which refusal comes first.
        let workspace = self.workspace.map(|path| resolved_directory(call, &path).unwrap_or_default());
        let home = self.home.map(|path| resolved_directory(call, &path).unwrap_or_else(|| absolute(call, &path)));
        let socket = self.socket.map(|path| with_resolved_parent(call, &path));
        let args = [
            (":name", self.name.as_str().into()),
            (":harness", self.harness.as_str().into()),
            (":delivery", self.delivery.as_str().into()),
            (":session_id", Arg::from(session.as_deref())),
            (":workspace", Arg::from(workspace.as_deref())),
            (":home", Arg::from(home.as_deref())),
            (":socket", Arg::from(socket.as_deref())),
            (":url", Arg::from(url.as_deref())),
        ];
        // A refused registration must not leave a new mailbox behind, nor fill an empty file.
        if call.mailbox()?.metadata().map_or(true, |file| file.len() == 0) {
            Db::rehearsal(false)?.row(sql::PEER_ADD, &args)?;
        }
        let db = call.open(Access::Create)?;
        db.write(|db| db.row(sql::PEER_ADD, &args)).map_err(|error| {
            let holder = match error.code.as_str() {
                "peer_already_has_a_different_address" => db.row(sql::PEER_GET, &args[..1]),
                "session_already_has_a_peer_name" => db.row(sql::PEER_FIND, &[args[1], args[3]]),
                _ => return error,
            };
            let holder = holder.ok().flatten().unwrap_or_default();
            error
                .with_fact("registered_peer", holder["name"].clone())
                .with_fact("registered_session_id", holder["session_id"].clone())
        })?;
        Answer::done(peers::known(&db, &self.name)?)
    }
}

/// A directory with every symlink resolved; none if it is no directory, or its path no text.
fn resolved_directory(call: &Call, path: &Path) -> Option<String> {
    let resolved = call.expand(path).ok()?.canonicalize().ok()?;
    resolved.is_dir().then(|| resolved.to_str().map(str::to_owned))?
}

fn absolute(call: &Call, path: &Path) -> String {
    let path = call.expand(path).unwrap_or_else(|_| path.to_owned());
    std::path::absolute(&path).unwrap_or(path).to_string_lossy().into_owned()
}

/// An absolute path whose directory is resolved; a symlink as its last component is kept, for its target may change.
fn with_resolved_parent(call: &Call, path: &Path) -> String {
    let path = PathBuf::from(absolute(call, path));
    match (path.parent().and_then(|parent| resolved_directory(call, parent)), path.file_name()) {
        (Some(directory), Some(name)) => Path::new(&directory).join(name).to_string_lossy().into_owned(),
        _ => path.to_string_lossy().into_owned(),
    }
}
