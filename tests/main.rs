//! All tests in one binary, each rule at its own level.

/// Many calls in one process.
mod calls;
/// The contract, through the built binary.
mod cli;
/// The adapters, against fakes that replay what the real clients were seen to send.
mod clients;
/// Handoffs, through the built binary, between a fake session, a fake Codex and a fake SSH.
mod handoff;
/// The server of the Model Context Protocol, through the built binary.
mod mcp;
/// The rules of the mailbox, as SQL, through the plain `sqlite3` shell.
mod sql;
/// The built `htalk` and the plain `sqlite3` shell in a sandbox of their own.
mod support;
/// The rules of the house.
mod tidy;
/// Random steps on one mailbox, beside a model of it.
mod walk;
