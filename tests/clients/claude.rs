//! The Claude Code adapter through the built binary, against a fake session.

/// Which session runs a command.
mod caller;
/// Which sessions are listed.
mod discovery;
/// Records, sockets and reports of sessions.
mod fake;
/// What a sender leaves behind.
mod leftovers;
/// One notice, and what silence means.
mod notice;
/// Which process is the recipient.
mod recipient;
/// What a session reports of a notice.
mod reports;
/// Who takes part.
mod scene;
/// What confirms a notice without a report.
mod signs;
