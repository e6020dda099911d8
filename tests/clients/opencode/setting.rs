//! Who takes part: a pull peer `me`, and the OpenCode peer `oc` at a fake server.

use super::fake::{Answer, Fake, Request, Server, session};
use crate::support::{Ran, Sandbox};

/// The beginning of an answer that takes two minutes at 20 bytes a second, more than the ceiling of any time limit.
pub const LONG: &[u8; 2400] = &{
    let mut bytes = [b'x'; 2400];
    bytes.split_at_mut(20).0.copy_from_slice(b"HTTP/1.1 200 OK\r\nX: ");
    bytes
};

/// The session of the peer `oc`.
pub const ID: &str = "ses_dd73e9f30ffe1RSyAjLlBEbH0T";

/// A mailbox with a pull peer `me` and an OpenCode peer `oc` at this URL.
pub fn mailbox(url: &str) -> Sandbox {
    let sandbox = Sandbox::with_peers(&["me"]);
    register(&sandbox, url, sandbox.root().to_str().unwrap());
    sandbox
}

/// Registers the OpenCode peer `oc`.
pub fn register(sandbox: &Sandbox, url: &str, workspace: &str) {
    let words = ["--harness", "opencode", "--session", ID, "--workspace", workspace, "--url", url];
    sandbox.htalk(&[&["peer", "add", "oc"], &words[..]].concat()).done();
}

/// A server with the one session of `oc`, changed by `change`, and its mailbox.
pub fn setting(change: impl FnOnce(&mut Server)) -> (Sandbox, Fake) {
    let sandbox = Sandbox::with_peers(&["me"]);
    let workspace = sandbox.root().to_str().unwrap().to_owned();
    let mut server = Server::with(vec![session(ID, &workspace)]);
    change(&mut server);
    let fake = Fake::new(move |request| server.answer(request));
    register(&sandbox, fake.url(), &workspace);
    (sandbox, fake)
}

/// A server whose answers are replaced where `other` gives one, and its mailbox.
pub fn bent(other: impl Fn(&Request) -> Option<Answer> + Send + Sync + 'static) -> (Sandbox, Fake) {
    let sandbox = Sandbox::with_peers(&["me"]);
    let workspace = sandbox.root().to_str().unwrap().to_owned();
    let server = Server::with(vec![session(ID, &workspace)]);
    let fake = Fake::new(move |request| other(request).unwrap_or_else(|| server.answer(request)));
    register(&sandbox, fake.url(), &workspace);
    (sandbox, fake)
}

/// Looks at `oc`.
pub fn check(sandbox: &Sandbox) -> Ran {
    sandbox.htalk(&["peer", "check", "oc"])
}
