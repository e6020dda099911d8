//! The OpenCode adapter through the built binary, against a fake server.

/// What a check finds.
mod check;
/// Which sessions are listed.
mod discovery;
/// The server.
pub mod fake;
/// Whom htalk speaks to.
mod guard;
/// The one write.
mod notice;
/// Who takes part.
mod setting;
