//! The Codex adapter through the built binary, against a fake of Codex 0.171.0.

/// A notice by the command.
mod command;
/// Which sessions are listed.
mod discovery;
/// The app server.
pub mod fake;
/// A notice by the socket.
mod socket;
/// The state database.
mod state;
/// Notices that are taken back.
mod withdrawal;
/// Who takes part.
pub mod world;
