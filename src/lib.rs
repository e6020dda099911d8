//! htalk: requests and replies between agent sessions on one machine, in one SQLite mailbox.
//!
//! The library is there for the program and its tests; what users may rely on is the program and the mailbox file.

pub mod answer;
pub mod call;
mod caller;
pub mod cli;
mod clients;
pub mod code;
pub mod codes;
pub mod environment;
pub mod error;
pub mod front;
pub mod mailbox;
#[cfg(test)]
mod noise;
mod platform;
mod seal;
mod shell;
mod sql;
mod verbs;
