//! The clock that decides the order of a handoff's events: nanoseconds since boot, sleep included, and which boot.

use std::fs;
use std::sync::OnceLock;

use nix::time::{ClockId, clock_gettime};

use crate::seal;

/// One moment. Two moments compare only within one boot.
#[derive(Debug, Clone)]
pub struct Moment {
    /// SHA-256 of the kernel's id of this boot, 64 hexadecimal digits.
    pub boot: String,
    /// `CLOCK_BOOTTIME`, in nanoseconds.
    pub ns: i64,
}

impl Moment {
    /// The present; none on a system that names no boot or has no such clock.
    pub fn now() -> Option<Moment> {
        Some(Moment { boot: boot()?, ns: nanoseconds()? })
    }
}

/// Asked once: a process does not outlive its boot.
fn boot() -> Option<String> {
    static BOOT: OnceLock<Option<String>> = OnceLock::new();
    let ask = || {
        let id = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
        Some(seal::hex_digest(&[id.trim().as_bytes()]))
    };
    BOOT.get_or_init(ask).clone()
}

#[cfg(target_os = "linux")]
fn nanoseconds() -> Option<i64> {
    let time = clock_gettime(ClockId::CLOCK_BOOTTIME).ok()?;
    time.tv_sec().checked_mul(1_000_000_000)?.checked_add(time.tv_nsec())
}

/// Elsewhere no clock is known that also counts sleep.
#[cfg(not(target_os = "linux"))]
fn nanoseconds() -> Option<i64> {
    None
}
