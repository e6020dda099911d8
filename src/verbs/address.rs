//! The address of a native peer, in the form in which it is stored.

use std::path::{Path, PathBuf};

use super::id;
use crate::call::Call;
use crate::clients;
use crate::error::{Error, Result};
use crate::mailbox::{Arg, Row};

/// An address as it is given on the command line.
#[derive(Debug, Clone, Default)]
pub struct Given {
    /// The client's id of the session.
    pub session: Option<String>,
    /// The directory in which the session works.
    pub workspace: Option<PathBuf>,
    /// The client's configuration directory, where it is not the usual one.
    pub home: Option<PathBuf>,
    /// The socket of a Codex app server.
    pub socket: Option<PathBuf>,
    /// The URL of an OpenCode server.
    pub url: Option<String>,
}

/// An address as it is stored. Whether it is valid the rules decide.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stored {
    /// The client's id of the session.
    pub session: Option<String>,
    /// The directory in which the session works, resolved.
    pub workspace: Option<String>,
    /// The client's configuration directory.
    pub home: Option<String>,
    /// The socket of a Codex app server.
    pub socket: Option<String>,
    /// The URL of an OpenCode server.
    pub url: Option<String>,
}

impl Stored {
    /// The stored form of an address of a client; `is_native` tells whether the client is to be notified.
    ///
    /// # Errors
    /// `invalid_opencode_url`, `opencode_url_must_be_loopback`
    pub fn of(call: &Call, given: Given, harness: &str, is_native: bool) -> Result<Stored> {
        let is_opencode = harness == "opencode" && is_native;
        let url = match given.url {
            Some(url) if is_opencode => Some(clients::server_url(&url).map_err(Error::new)?),
            None if is_opencode => Some(clients::USUAL_SERVER.to_owned()),
            other => other,
        };
        Ok(Stored {
            session: given.session.map(|session| if is_opencode { session } else { id::stored(&session) }),
            // What is no directory goes to the rules as an empty text, so that they decide which refusal comes first.
            workspace: given.workspace.map(|path| resolved_directory(call, &path).unwrap_or_default()),
            home: given.home.map(|path| resolved_directory(call, &path).unwrap_or_else(|| absolute(call, &path))),
            socket: given.socket.map(|path| with_resolved_parent(call, &path)),
            url,
        })
    }

    /// The present address of a peer.
    pub fn of_peer(peer: &Row) -> Stored {
        let text = |column: &str| peer[column].as_str().map(str::to_owned);
        let [session, workspace, home, socket, url] = COLUMNS.map(text);
        Stored { session, workspace, home, socket, url }
    }

    /// Its parts in the order of [`COLUMNS`].
    pub fn parts(&self) -> [Option<&str>; 5] {
        [&self.session, &self.workspace, &self.home, &self.socket, &self.url].map(Option::as_deref)
    }

    /// Its parts as parameters of a statement.
    pub fn args(&self) -> Vec<(&'static str, Arg<'_>)> {
        [":session_id", ":workspace", ":home", ":socket", ":url"].into_iter().zip(self.parts().map(Arg::from)).collect()
    }

    /// Whether a registered peer has this address. Earlier releases spelled some of it in another way, and a link may
    /// lead to the same place: both sides are compared in one normal form.
    pub fn is_of(&self, registered: &Row) -> bool {
        let is_opencode = registered.text("harness") == "opencode" && registered.text("delivery") == "native";
        COLUMNS.into_iter().zip(self.parts()).all(|(column, wanted)| {
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
}

/// The columns of an address.
const COLUMNS: [&str; 5] = ["session_id", "workspace", "home", "socket", "url"];

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
