//! `htalk peer add NAME`

use std::path::{Path, PathBuf};

use clap::Args;

use super::peers;
use super::{Verb, id};
use crate::answer::Answer;
use crate::call::Call;
use crate::error::{Error, Result};
use crate::mailbox::{Access, Arg, Db, Row};
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
    /// A native peer has a session and a workspace.
    fn misuse(&self) -> Option<String> {
        let is_client = clients::client(&self.harness).is_some();
        if !is_client || self.delivery != "native" {
            return None;
        }
        let given = [("--session <ID>", self.session.is_some()), ("--workspace <PATH>", self.workspace.is_some())];
        let missing: Vec<_> = given.iter().filter(|(_, is_given)| !is_given).map(|(option, _)| *option).collect();
        let tail = "(a peer that looks for itself has --delivery pull)";
        let words = format!("a native peer needs {} {tail}", missing.join(" and "));
        (!missing.is_empty()).then_some(words)
    }

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
        if let Err(error) = db.write(|db| db.row(sql::PEER_ADD, &args)) {
            let holder = match error.code.as_str() {
                "peer_already_has_a_different_address" => db.row(sql::PEER_GET, &args[..1]),
                "session_already_has_a_peer_name" => db.row(sql::PEER_FIND, &[args[1], args[3]]),
                _ => return Err(error),
            };
            let holder = holder.ok().flatten().unwrap_or_default();
            let wanted = [&Some(self.harness), &Some(self.delivery), &session, &workspace, &home, &socket, &url];
            let is_same = holder.text("name") == self.name && is_same_address(&holder, wanted.map(Option::as_deref));
            if !is_same {
                return Err(error
                    .with_fact("registered_peer", holder["name"].clone())
                    .with_fact("registered_session_id", holder["session_id"].clone()));
            }
        }
        let mut peer = peers::known(&db, &self.name)?;
        // A mailbox whose name was misspelt is made all the same: where nobody else is in it, the answer says its path.
        if db.row(sql::PEER_COUNT, &[(":all", 1.into()), (":after", "".into())])?.unwrap_or_default()["total"] == 1 {
            let words = "This is the only peer of this mailbox. If others were expected, check --db and HTALK_DB.";
            peer.insert("resolved_path".into(), call.mailbox()?.to_string_lossy().into());
            peer.insert("next_action".into(), words.into());
        }
        Answer::done(peer)
    }
}

/// Whether a registration means the address that is asked for, in the order of the columns. Earlier releases spelled
/// some of it in another way, and a link may lead to the same place: both sides are compared in one normal form.
fn is_same_address(registered: &Row, wanted: [Option<&str>; 7]) -> bool {
    let columns = ["harness", "delivery", "session_id", "workspace", "home", "socket", "url"];
    let is_opencode = registered.text("harness") == "opencode" && registered.text("delivery") == "native";
    columns.into_iter().zip(wanted).all(|(column, wanted)| {
        let normal = |text: Option<&str>| match (column, text) {
            ("workspace" | "home" | "socket", Some(path)) => Some(resolved(Path::new(path))),
            ("session_id", Some(session)) if !is_opencode => Some(id::stored(session)),
            ("url", None) if is_opencode => Some(clients::USUAL_SERVER.to_owned()),
            ("url", Some(url)) => Some(clients::server_url(url).unwrap_or_else(|_| url.to_owned())),
            (_, text) => text.map(str::to_owned),
        };
        normal(registered[column].as_str()) == normal(wanted)
    })
}

/// A path with every symlink resolved as far as it leads somewhere.
fn resolved(path: &Path) -> String {
    let whole = path.canonicalize().ok();
    let parent = || Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?));
    // A link that leads nowhere yet is compared by where it would lead.
    let target = || Some(PathBuf::from(resolved(&parent()?.parent()?.join(path.read_link().ok()?))));
    whole.or_else(target).or_else(parent).unwrap_or_else(|| path.to_owned()).to_string_lossy().into_owned()
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
