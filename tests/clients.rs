//! The adapters, through the built binary, against fakes that replay what the real clients were seen to send.

/// Claude Code.
mod claude;
/// Codex.
pub mod codex;
/// OpenCode.
pub mod opencode;
