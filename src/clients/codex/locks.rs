//! Who has a thread loaded, as far as it can be seen from outside. Seen on Codex 0.171.0.

use std::fs;
use std::io;
use std::path::Path;

use crate::platform::locks::is_flocked;

/// Whether some process has a thread; none where the locks can't be seen.
///
/// Codex holds a `flock` on `thread-writer-locks/ID.lock` while it has the thread, and deletes the file when it lets
/// go; after a kill the file stays without the lock.
pub fn is_held(home: &Path, id: &str) -> Option<bool> {
    let directory = home.join("thread-writer-locks");
    if !directory.is_dir() {
        return None;
    }
    match fs::metadata(directory.join(format!("{id}.lock"))) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Some(false),
        Err(_) => None,
        Ok(found) => is_flocked(&found).ok(),
    }
}

/// The state of a thread as seen from outside: `not_loaded`, or `unknown` (idle or active can't be told).
pub fn runtime_status(home: &Path, id: &str) -> &'static str {
    if is_held(home, id) == Some(false) { "not_loaded" } else { "unknown" }
}
