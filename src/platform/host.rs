//! The name of this machine.

use std::ffi::OsString;

/// The host name; none where the system gives none.
pub fn name() -> Option<OsString> {
    nix::unistd::gethostname().ok().filter(|name| !name.is_empty())
}
