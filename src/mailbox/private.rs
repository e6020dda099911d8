//! Whether nobody else can read or write a mailbox. The mailbox itself does not demand that, its handoffs do.

use std::fs::{self, DirBuilder, Metadata, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::Path;

use nix::unistd::geteuid;

use super::path::side_file;
use crate::error::{Error, Result};

/// The files that SQLite keeps beside a mailbox.
const SIDE_FILES: [&str; 3] = ["-wal", "-shm", "-journal"];

/// Looks at the mailbox at a resolved path, its side files and its directory. What does not exist is nobody's.
///
/// # Errors
/// `unsafe_handoff_storage` for the first of them that is another user's, or open to others.
pub fn require_private(mailbox: &Path) -> Result<()> {
    // Commands for it are told to others, each on a line of its own.
    if mailbox.to_string_lossy().contains(|c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')) {
        return Err(Error::new("unsafe_handoff_storage").with_detail("the path of the mailbox holds a line end"));
    }
    let directory = mailbox.parent().unwrap_or(Path::new("/"));
    let side_files = SIDE_FILES.map(|ending| side_file(mailbox, ending));
    let all = [directory, mailbox].into_iter().chain(side_files.iter().map(AsRef::as_ref));
    for path in all {
        let refuse =
            |words: &str| Err(Error::new("unsafe_handoff_storage").with_detail(format!("{}: {words}", path.display())));
        match fs::symlink_metadata(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return refuse(&error.to_string()),
            Ok(found) if found.is_symlink() => return refuse("is a link"),
            Ok(found) => exposure(&found).map_or(Ok(()), |words| refuse(&words))?,
        }
    }
    Ok(())
}

/// Why a file is not its owner's alone, if it is not.
pub fn exposure(found: &Metadata) -> Option<String> {
    if found.uid() != geteuid().as_raw() {
        return Some("belongs to another user".into());
    }
    (found.mode() & 0o077 != 0).then(|| format!("mode {:04o} lets others in", found.mode() & 0o7777))
}

/// Makes a directory for its owner alone, whatever the umask.
pub fn private_directory(path: &Path) -> std::io::Result<()> {
    DirBuilder::new().mode(0o700).create(path)?;
    fs::set_permissions(path, Permissions::from_mode(0o700))
}
