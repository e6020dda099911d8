//! What differs between systems: processes, commands, sockets, locks and the clock.
//!
//! Whoever needs one of these asks here, and nowhere else is there code for one system. What a system does not show is
//! answered with [`Hidden`], which is not the same as "there is none".

pub mod cleanup;
pub mod clock;
pub mod command;
#[cfg(target_os = "macos")]
mod darwin;
mod group;
pub mod host;
pub mod locks;
pub mod mount;
pub mod ports;
pub mod process;
pub mod signals;
pub mod socket;
pub mod streams;
pub mod threads;

use std::fmt;

/// Whether what is synced can still lie in the disk's own memory, and a loss of power takes it, unless a full sync is
/// asked for: so it is with `fsync` on macOS.
pub const NEEDS_FULL_SYNC: bool = cfg!(target_os = "macos");

/// This system does not show it, or not to this process: nothing follows from that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hidden;

impl fmt::Display for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("this system does not show it")
    }
}

impl std::error::Error for Hidden {}

impl From<Hidden> for std::io::Error {
    fn from(hidden: Hidden) -> Self {
        std::io::Error::new(std::io::ErrorKind::Unsupported, hidden)
    }
}
