//! The verbs of handoffs: one submission of a message to one recipient process, with graded evidence.
//!
//! The ledger is in the mailbox: its rules decide what a handoff may do next. What stands here is the order of the
//! steps, what SQL can't see (the clock, the private file, the client), and the words.

pub mod ack;
mod budget;
pub mod confirm;
mod effect;
mod fence;
mod frame;
pub mod init;
mod input;
mod ledger;
pub mod list;
mod message;
mod notice;
mod plan;
pub mod prepare;
pub mod quarantine;
mod receipt;
mod recipient;
mod record;
mod remote;
pub mod remote_side;
pub mod send;
pub mod status;
pub mod wait;
