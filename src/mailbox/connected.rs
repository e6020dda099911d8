//! Which files this process has open through SQLite.
//!
//! The system drops every POSIX lock that a process holds on a file when the process closes any descriptor of it.
//! SQLite minds that among its own connections. What is done to the file beside SQLite (looking at its first bytes,
//! making it) opens and closes it, so it may only be done while no connection of this process has the file open. This
//! list is the one thing that the calls of a process share, for the locks are the process's.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Device and inode of a file.
pub type Identity = (u64, u64);

static CONNECTED: Mutex<Vec<Identity>> = Mutex::new(Vec::new());

fn connected() -> MutexGuard<'static, Vec<Identity>> {
    CONNECTED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Says that a connection of this process has the file open; dropped after the connection.
#[derive(Debug)]
pub struct Connected(Identity);

/// The identity of a file.
pub fn identity(path: &Path) -> io::Result<Identity> {
    let found = fs::metadata(path)?;
    Ok((found.dev(), found.ino()))
}

/// Enters a file into the list before it is connected to. `look` may open and close it; it does not run where a
/// connection is there already, and then nothing is returned.
pub fn enter<T, E: From<io::Error>>(
    path: &Path,
    look: impl FnOnce() -> Result<T, E>,
) -> Result<(Connected, Option<T>), E> {
    let mut connected = connected();
    let is_there = identity(path).is_ok_and(|identity| connected.contains(&identity));
    let seen = if is_there { None } else { Some(look()?) };
    let identity = identity(path)?;
    connected.push(identity);
    Ok((Connected(identity), seen))
}

impl Connected {
    /// Device and inode of the file.
    pub fn identity(&self) -> Identity {
        self.0
    }
}

impl Drop for Connected {
    fn drop(&mut self) {
        let mut connected = connected();
        if let Some(place) = connected.iter().position(|identity| *identity == self.0) {
            connected.swap_remove(place);
        }
    }
}
