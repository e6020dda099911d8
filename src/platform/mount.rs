//! What the mounts of this machine are like.

use std::path::Path;

/// Whether this name leads to a file of another directory: another file system, or another part of one, is mounted
/// exactly here, as containers do with single files. A file that is mounted over itself is still the one of its
/// directory. What can't be told is taken for that too.
///
/// Safe beside SQLite on Linux: closing a descriptor that only names a file drops no locks. Elsewhere nothing is
/// opened.
pub fn is_from_elsewhere(file: &Path) -> bool {
    match crosses(file) {
        Some(crosses) => crosses && !is_mounted_over_itself(file),
        None => is_on_another_device(file),
    }
}

/// Whether the mount at a file shows what its directory has under this name.
#[cfg(target_os = "linux")]
fn is_mounted_over_itself(file: &Path) -> bool {
    let list = std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    listed_over_itself(&list, file).unwrap_or(false)
}

#[cfg(not(target_os = "linux"))]
fn is_mounted_over_itself(_: &Path) -> bool {
    false
}

/// The kernel's list has a line a mount: its number, that of the mount on which it stands, the device, the place on
/// that device, and the place where it is seen; blanks are written in octal.
#[cfg(target_os = "linux")]
fn listed_over_itself(list: &str, file: &Path) -> Option<bool> {
    let fields = |line: &str| -> Vec<String> {
        let plain = |field: &str| {
            field.replace("\\040", " ").replace("\\011", "\t").replace("\\012", "\n").replace("\\134", "\\")
        };
        line.split(' ').take(5).map(plain).collect()
    };
    // The last one covers those before it.
    let mounts: Vec<Vec<String>> = list.lines().map(fields).filter(|fields| fields.len() == 5).collect();
    let here = mounts.iter().rfind(|mount| Path::new(&mount[4]) == file)?;
    let below = mounts.iter().find(|mount| mount[0] == here[1])?;
    let name = file.strip_prefix(&below[4]).ok()?;
    Some(below[2] == here[2] && Path::new(&below[3]).join(name) == Path::new(&here[3]))
}

/// Whether the way from the directory to the file leads through a mount; none where the kernel does not say (before
/// 5.6).
#[cfg(target_os = "linux")]
fn crosses(file: &Path) -> Option<bool> {
    use nix::errno::Errno;
    use nix::fcntl::{OFlag, OpenHow, ResolveFlag, open, openat2};
    use nix::sys::stat::Mode;

    let (directory, name) = (file.parent()?, file.file_name()?);
    let flags = OFlag::O_PATH | OFlag::O_CLOEXEC;
    let directory = open(directory, flags | OFlag::O_DIRECTORY, Mode::empty()).ok()?;
    let how = OpenHow::new().flags(flags | OFlag::O_NOFOLLOW).resolve(ResolveFlag::RESOLVE_NO_XDEV);
    match openat2(&directory, name, how) {
        Ok(_) => Some(false),
        Err(Errno::EXDEV) => Some(true),
        Err(_) => None,
    }
}

#[cfg(not(target_os = "linux"))]
fn crosses(_: &Path) -> Option<bool> {
    None
}

/// Only shows what is mounted from elsewhere.
fn is_on_another_device(file: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let device = |path: &Path| std::fs::symlink_metadata(path).ok().map(|found| found.dev());
    let directory = file.parent().and_then(device);
    directory.is_some() && device(file).is_some_and(|of_file| directory != Some(of_file))
}

/// Whether files in this directory are known to be mapped into memory that processes share: the usual file systems of a
/// machine's own disks and memory. Others may do so as well; that is to be tried.
#[cfg(target_os = "linux")]
pub fn shares_memory(directory: &Path) -> bool {
    use nix::sys::statfs::{
        BTRFS_SUPER_MAGIC, EXT4_SUPER_MAGIC, F2FS_SUPER_MAGIC, FsType, OVERLAYFS_SUPER_MAGIC, TMPFS_MAGIC, statfs,
    };
    // statfs(2); nix has it for glibc alone.
    const XFS_SUPER_MAGIC: FsType = FsType(0x5846_5342);
    let known =
        [EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC, BTRFS_SUPER_MAGIC, TMPFS_MAGIC, OVERLAYFS_SUPER_MAGIC, F2FS_SUPER_MAGIC];
    statfs(directory).is_ok_and(|found| known.contains(&found.filesystem_type()))
}

/// Elsewhere no mount without it is known.
#[cfg(not(target_os = "linux"))]
pub fn shares_memory(_: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ordinary_file_is_no_mount_point() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        assert!(!is_from_elsewhere(&here) && !is_on_another_device(&here));
        assert!(!is_from_elsewhere(Path::new("/")) && !is_from_elsewhere(Path::new("/no/such/file")));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn what_is_mounted_is_told() {
        assert!(is_from_elsewhere(Path::new("/proc")) && is_on_another_device(Path::new("/proc")));
        assert_eq!(crosses(Path::new("/proc")), Some(true));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_file_over_itself_is_the_same_one() {
        let list = "20 1 8:1 / / rw - ext4 /dev/a rw\n21 20 8:1 /home/a\\040b /a\\040b rw - ext4 /dev/a rw\n\
            30 21 8:1 /home/a\\040b/mail /a\\040b/mail ro - ext4 /dev/a rw\n\
            31 21 8:1 /else/mail /a\\040b/other rw - ext4 /dev/a rw\n\
            32 21 8:2 /home/a\\040b/third /a\\040b/third rw - ext4 /dev/b rw\n";
        let told = |file| listed_over_itself(list, Path::new(file));
        assert_eq!(told("/a b/mail"), Some(true));
        assert_eq!(told("/a b/other"), Some(false), "another file");
        assert_eq!(told("/a b/third"), Some(false), "another device");
        assert_eq!(told("/a b/none"), None);
    }
}
