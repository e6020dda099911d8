//! The server of the Model Context Protocol, through the built binary.

/// Who is calling.
mod caller;
/// A client that speaks to the server over pipes.
mod client;
/// How it ends: the end of input, a closed output, signals.
mod end;
/// The versions of the protocol, and what comes before them.
mod handshake;
/// What is no request, and arguments that no tool takes.
mod input;
/// How long an answer may be, and how long a call.
mod limits;
/// What each tool does and answers.
mod tools;
/// Calls that wait, side by side.
mod waits;
