//! What comes from a private file or from standard input, within limits of size and time.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, IsTerminal, Read};
use std::os::fd::AsFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::time::Instant;

use nix::fcntl::OFlag;
use nix::poll::{PollFd, PollFlags};

use crate::call::Call;
use crate::error::{Error, Result};
use crate::mailbox::exposure;
use crate::platform::command::wait_for;

/// Reads standard input to its end, but at most one byte more than the limit.
///
/// # Errors
/// `handoff_stdin_terminal`; `handoff_stdin_deadline`, when the end has not come until then;
/// `handoff_stdin_unavailable`
pub fn from_stdin(call: &Call, limit: usize, until: Instant) -> Result<Vec<u8>> {
    let unavailable = |error: io::Error| Error::new("handoff_stdin_unavailable").with_detail(error);
    let mut stdin = call.front().input().map(File::from).map_err(unavailable)?;
    if stdin.is_terminal() {
        return Err(Error::new("handoff_stdin_terminal"));
    }
    let mut bytes = Vec::new();
    let mut chunk = [0; 1 << 16];
    while bytes.len() <= limit {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Error::new("handoff_stdin_deadline"));
        }
        let mut polled = [PollFd::new(stdin.as_fd(), PollFlags::POLLIN)];
        if !wait_for(&mut polled, left).map_err(unavailable)? {
            continue;
        }
        // No more than is there: this would wait for the rest.
        match stdin.read(&mut chunk) {
            Ok(0) => return Ok(bytes),
            Ok(length) => bytes.extend_from_slice(&chunk[..length]),
            Err(error) if matches!(error.kind(), io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock) => {}
            Err(error) => return Err(unavailable(error)),
        }
    }
    bytes.truncate(limit + 1);
    Ok(bytes)
}

/// Reads a file that nobody else can read or write, but at most one byte more than the limit.
///
/// # Errors
/// `unsafe_message_file`; `message_file_unreadable`
pub fn from_private_file(call: &Call, path: &Path, limit: usize) -> Result<Vec<u8>> {
    let path = call.expand(path)?;
    let named = |error: Error, words: &dyn std::fmt::Display| error.with_detail(format!("{}: {words}", path.display()));
    let unsafe_file = |words: &dyn std::fmt::Display| named(Error::new("unsafe_message_file"), words);
    // Without following a link, and without waiting for the writer of a FIFO.
    let flags = OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK | OFlag::O_CLOEXEC;
    match OpenOptions::new().read(true).custom_flags(flags.bits()).open(&path) {
        Err(error) if error.raw_os_error() == Some(nix::errno::Errno::ELOOP as i32) => Err(unsafe_file(&"a link")),
        Err(error) => Err(named(Error::new("message_file_unreadable"), &error)),
        Ok(file) => read_private(file, limit, &mut || {}).map_err(|error| unsafe_file(&error)),
    }
}

/// Reads an open file whose permissions hold before and after. A path could lead to another file by then, a descriptor
/// can't. `pause` runs between the two looks.
fn read_private(mut file: File, limit: usize, pause: &mut dyn FnMut()) -> io::Result<Vec<u8>> {
    let before = file.metadata()?;
    require_private(&before)?;
    pause();
    let mut bytes = Vec::with_capacity(before.len().min(limit as u64) as usize);
    file.by_ref().take(limit as u64 + 1).read_to_end(&mut bytes)?;
    let after = file.metadata()?;
    require_private(&after)?;
    if identity(&before) != identity(&after) {
        return Err(io::Error::other("changed while it was read"));
    }
    Ok(bytes)
}

fn require_private(found: &Metadata) -> io::Result<()> {
    if !found.is_file() {
        return Err(io::Error::other("no regular file"));
    }
    exposure(found).map_or(Ok(()), |words| Err(io::Error::other(format!("{words}; chmod 600"))))
}

/// What changes with a file's content, owner or permissions.
fn identity(found: &Metadata) -> impl PartialEq + use<> {
    let changed = (found.mtime(), found.mtime_nsec(), found.ctime(), found.ctime_nsec());
    (found.dev(), found.ino(), found.len(), found.mode(), found.uid(), changed)
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File, Permissions};
    use std::io::Write;
    use std::os::unix::fs::PermissionsExt;
    use std::path::PathBuf;

    use super::read_private;

    /// A private file with five bytes, removed when it is dropped.
    struct Private(PathBuf);

    impl Private {
        fn new() -> Private {
            let path = std::env::temp_dir().join(format!("htalk-unit-{}", uuid::Uuid::new_v4()));
            fs::write(&path, "hello").unwrap();
            fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
            Private(path)
        }

        fn read(&self, pause: &mut dyn FnMut()) -> std::io::Result<Vec<u8>> {
            read_private(File::open(&self.0).unwrap(), 10, pause)
        }
    }

    impl Drop for Private {
        fn drop(&mut self) {
            let _ = fs::remove_file(&self.0);
        }
    }

    #[test]
    fn permissions_hold_before_and_after_the_reading() {
        let file = Private::new();
        assert_eq!(file.read(&mut || {}).unwrap(), b"hello");
        let mode = |bits| fs::set_permissions(&file.0, Permissions::from_mode(bits)).unwrap();
        assert!(file.read(&mut || mode(0o644)).is_err(), "opened to others meanwhile");
        assert!(file.read(&mut || {}).is_err(), "open to others from the start");
        mode(0o600);
        let open_and_close = &mut || {
            mode(0o644);
            mode(0o600);
        };
        assert!(file.read(open_and_close).is_err(), "opened to others for a moment");
    }

    #[test]
    fn content_holds_while_it_is_read() {
        let file = Private::new();
        let append = &mut || File::options().append(true).open(&file.0).unwrap().write_all(b"!").unwrap();
        assert!(file.read(append).is_err());
    }
}
