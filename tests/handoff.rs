//! Handoffs, through the built binary, between a fake session, a fake Codex and a fake SSH.

/// The fourteen acceptance checks of Handoff v1.
mod acceptance;
/// Senders that die, are interrupted, or race.
mod crash;
/// What goes wrong behind the effect.
mod effect;
/// The fakes of the clients and of another machine.
mod fake;
/// The five faults of the first implementation.
mod faults;
/// The form of receipts and confirmations.
mod frames;
/// What the ledger keeps, from whom, and where.
mod ledger;
/// A handoff's message as ordinary mail.
mod mailbox;
/// Receipts and confirmations: their authority, their secret.
mod receipts;
/// The way over SSH.
mod remote;
/// Who takes part.
mod scene;
/// The way over SSH through a real sshd, where one is installed.
mod sshd;
/// Waits for an acknowledgment.
mod waits;
/// What an answer says to its reader.
mod words;
