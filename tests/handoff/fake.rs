//! The fakes that stand for the clients and for another machine.

/// A session of Claude Code.
pub mod inbox;
/// The programs `codex` and `ssh`.
pub mod programs;
