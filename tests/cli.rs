//! The contract, through the built binary.

/// Files that are no mailbox, and damaged ones.
mod broken;
/// Processes that are killed in the middle.
mod crash;
/// A request, its answer, and what both sides find.
mod exchange;
/// A full disk.
mod full;
/// Many processes at once, and locks.
mod race;
/// Places that can't be written.
mod readonly;
/// Mailboxes of earlier releases.
mod upgrade;
/// Upgrades that fail.
mod upgrade_refused;
