//! The contract, through the built binary.

/// Who is calling.
mod actor;
/// Where a body comes from, and what it may hold.
mod bodies;
/// Files that are no mailbox, and damaged ones.
mod broken;
/// Processes that are killed in the middle.
mod crash;
/// The demonstration.
mod demo;
/// A request, its answer, and what both sides find.
mod exchange;
/// A full disk.
mod full;
/// Message ids in every spelling.
mod ids;
/// SIGINT and SIGTERM.
mod interrupt;
/// Which file is the mailbox, and who may read it.
mod mailbox;
/// Which refusal comes first.
mod order;
/// What is printed, byte by byte.
mod output;
/// Pages of messages.
mod pages;
/// Registering and retiring peers.
mod peers;
/// Many processes at once, and locks.
mod race;
/// Places that can't be written.
mod readonly;
/// The ways on that an answer names.
mod recovery;
/// Mailboxes of earlier releases.
mod upgrade;
/// Upgrades that fail.
mod upgrade_refused;
/// Wrong usage, help and version.
mod usage;
/// Waiting for an answer.
mod wait;
/// Watching for mail.
mod watch;
