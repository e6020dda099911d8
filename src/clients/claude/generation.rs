//! One life of a session's process, told apart from every other by what nobody can give to a successor.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::sessions::Record;
use crate::platform::clock::Moment;
use crate::platform::host;
use crate::seal;

/// Where all of it was seen to hold what it promises. Elsewhere there is no generation: a wrong one would hand a
/// message to a successor.
const IS_TRIED: bool = cfg!(target_os = "linux");

/// SHA-256 over the host, the boot, the pid and its start time, the record and its session, and the socket with its
/// device and inode; 64 hexadecimal digits. None where the system does not tell one of them.
pub fn of(config: &Path, record: &Record) -> Option<String> {
    let socket = record.socket.as_deref().filter(|_| IS_TRIED)?;
    let found = fs::symlink_metadata(socket).ok()?;
    let host = host::name()?;
    let registry = fs::canonicalize(config.join("sessions")).ok()?;
    Some(seal::hex_digest(&[
        b"claude",
        host.as_bytes(),
        Moment::now()?.boot.as_bytes(),
        &record.pid.to_be_bytes(),
        &record.start.to_be_bytes(),
        registry.as_os_str().as_bytes(),
        record.session_id.as_bytes(),
        socket.as_os_str().as_bytes(),
        &found.dev().to_be_bytes(),
        &found.ino().to_be_bytes(),
    ]))
}
