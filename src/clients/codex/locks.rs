//! Who has a thread loaded, as far as it can be seen from outside. Seen on Codex 0.171.0.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Whether some process has a thread; none where the locks can't be seen.
///
/// Codex holds a `flock` on `thread-writer-locks/ID.lock` while it has the thread, and deletes the file when it lets
/// go; after a kill the file stays without the lock. Taking the lock to try it would stand in Codex's way, so the
/// kernel's list is read.
pub fn is_held(home: &Path, id: &str) -> Option<bool> {
    let directory = home.join("thread-writer-locks");
    if !directory.is_dir() {
        return None;
    }
    match fs::metadata(directory.join(format!("{id}.lock"))) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Some(false),
        Err(_) => None,
        // In a sandbox with its own processes the list is empty, which says nothing.
        Ok(found) => fs::read_to_string("/proc/locks")
            .ok()
            .filter(|list| !list.is_empty())
            .map(|list| is_locked(&list, found.ino())),
    }
}

/// The state of a thread as seen from outside: `not_loaded`, or `unknown` (idle or active can't be told).
pub fn runtime_status(home: &Path, id: &str) -> &'static str {
    if is_held(home, id) == Some(false) { "not_loaded" } else { "unknown" }
}

/// Whether the kernel's list has a `flock` on this inode. The device is not compared: it differs on some file systems
/// (btrfs, overlays), and a lock too many only says `unknown`.
fn is_locked(list: &str, inode: u64) -> bool {
    list.lines().any(|line| {
        let mut fields = line.split_ascii_whitespace().skip(1);
        fields.next() == Some("FLOCK")
            && fields.nth(3).and_then(|file| file.rsplit(':').next()).and_then(|text| text.parse().ok()) == Some(inode)
    })
}
