//! The contract, through the built binary.

/// Who is calling.
mod actor;
/// Copies of the mailbox.
mod backup;
/// Requests to several recipients.
mod batches;
/// Where a body comes from, and what it may hold.
mod bodies;
/// Files that are no mailbox, and damaged ones.
mod broken;
/// Requests that are taken back.
mod cancel;
/// Notes, follow-ups and conversations.
mod conversations;
/// Processes that are killed in the middle.
mod crash;
/// What happens to the files under a running watch or wait.
mod deaf;
/// The demonstration.
mod demo;
/// A request, its answer, and what both sides find.
mod exchange;
/// A full disk.
mod full;
/// Message ids in every spelling.
mod ids;
/// SIGINT, SIGTERM and SIGHUP.
mod interrupt;
/// Joining, moving and who one is.
mod joining;
/// Limits of the system that a command can survive.
mod limits;
/// Which file is the mailbox, and who may read it.
mod mailbox;
/// Mounts: without shared memory, and of single files; hard links.
mod mounts;
/// Next steps that fit the case.
mod next_steps;
/// Further attempts to tell a recipient.
mod nudge;
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
/// Backups that are put back, by htalk and by hand.
mod restore;
/// Signals: ignored ones, those that stop a process, and rarer ones.
mod signals;
/// Standard streams that are non-blocking, or whose reader pauses.
mod streams;
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
