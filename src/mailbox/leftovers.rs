//! Files that are only there while somebody works on them. Their maker holds a lock on them, so whoever comes next can
//! tell what a killed process left, and clear it.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use nix::fcntl::{Flock, FlockArg};

use super::path::side_file;

/// What SQLite may keep beside such a file.
const BESIDE: [&str; 3] = ["-journal", "-wal", "-shm"];

/// A new empty private file of this process. It is removed when this is dropped, with what SQLite kept beside it.
pub struct Scratch {
    path: PathBuf,
    /// On a file system without locks nobody else clears it either.
    file: io::Result<Flock<File>>,
}

impl Scratch {
    /// Makes the file; there must be none. Private whatever the umask.
    pub fn make(path: &Path) -> io::Result<Scratch> {
        let file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(path)?;
        file.set_permissions(Permissions::from_mode(0o600))?;
        let file = match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
            Ok(lock) => Ok(lock),
            Err((_, errno)) => Err(errno.into()),
        };
        Ok(Scratch { path: path.to_owned(), file })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives it its lasting name, durably; what is there already stays, and that is an error.
    pub fn keep_as(&self, name: &Path) -> io::Result<()> {
        self.sync()?;
        // A link, unlike a renaming, replaces nothing.
        match fs::hard_link(&self.path, name) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists && fs::symlink_metadata(name).is_err() => {
                fs::rename(&self.path, name)?;
            }
            linked => {
                linked?;
                fs::remove_file(&self.path)?;
            }
        }
        sync_directory(name)
    }

    /// Puts it in the place of another file, durably.
    pub fn put_over(&self, name: &Path) -> io::Result<()> {
        self.sync()?;
        fs::rename(&self.path, name)?;
        sync_directory(name)
    }

    fn sync(&self) -> io::Result<()> {
        match &self.file {
            Ok(file) => file.sync_all(),
            Err(_) => File::open(&self.path)?.sync_all(),
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        remove(&self.path);
    }
}

fn sync_directory(file: &Path) -> io::Result<()> {
    File::open(file.parent().unwrap_or(Path::new("/")))?.sync_all()
}

/// Removes a file, and what SQLite kept beside it.
pub fn remove(path: &Path) {
    for ending in BESIDE {
        let _ = fs::remove_file(side_file(path, ending));
    }
    let _ = fs::remove_file(path);
}

/// Removes what killed processes left in a directory, of the files whose names are chosen.
pub fn clear(directory: &Path, is_chosen: impl Fn(&str) -> bool) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if !name.to_str().is_some_and(&is_chosen) || !entry.file_type().is_ok_and(|kind| kind.is_file()) {
            continue;
        }
        let Ok(file) = OpenOptions::new().read(true).write(true).open(entry.path()) else { continue };
        // One that was made just now may not be locked yet.
        let is_young = file.metadata().map_or(true, |facts| {
            facts.modified().ok().and_then(|time| time.elapsed().ok()).is_none_or(|age| age.as_secs() < 1)
        });
        if let Ok(lock) = Flock::lock(file, FlockArg::LockExclusiveNonblock) {
            let is_there = || Some(fs::metadata(entry.path()).ok()?.ino() == lock.metadata().ok()?.ino());
            if !is_young && is_there() == Some(true) {
                remove(&entry.path());
            }
        }
    }
}
