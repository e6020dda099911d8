//! Who holds a lock on a file, seen from outside: taking the lock to try it would stand in its holder's way.

use std::fs::Metadata;

use super::Hidden;

/// Whether some process holds a `flock` on a file.
///
/// # Errors
/// The system does not list its locks. In a sandbox with its own processes the list of Linux is empty, which says
/// nothing either.
#[cfg(target_os = "linux")]
pub fn is_flocked(file: &Metadata) -> Result<bool, Hidden> {
    let list = std::fs::read_to_string("/proc/locks").map_err(|_| Hidden)?;
    if list.is_empty() { Err(Hidden) } else { Ok(is_listed(&list, std::os::unix::fs::MetadataExt::ino(file))) }
}

/// No other system is known to list them.
#[cfg(not(target_os = "linux"))]
pub fn is_flocked(_: &Metadata) -> Result<bool, Hidden> {
    Err(Hidden)
}

/// Whether the kernel's list has a `flock` on this inode. The device is not compared: it differs on some file systems
/// (btrfs, overlays), and a lock too many only says that somebody may hold it.
#[cfg(target_os = "linux")]
fn is_listed(list: &str, inode: u64) -> bool {
    list.lines().any(|line| {
        let mut fields = line.split_ascii_whitespace().skip(1);
        fields.next() == Some("FLOCK")
            && fields.nth(3).and_then(|file| file.rsplit(':').next()).and_then(|text| text.parse().ok()) == Some(inode)
    })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::is_listed;

    #[test]
    fn only_a_flock_on_the_inode_counts() {
        let list = "1: POSIX  ADVISORY  WRITE 7 00:2a:11 0 EOF\n2: FLOCK  ADVISORY  WRITE 7 00:2a:12 0 EOF\n";
        assert!(is_listed(list, 12));
        assert!(!is_listed(list, 11), "a lock of another kind");
        assert!(!is_listed(list, 2), "the number of a line, or a part of an inode");
    }
}
