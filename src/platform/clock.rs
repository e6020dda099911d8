//! The clock that decides the order of a handoff's events: nanoseconds since boot, sleep included, and which boot.

use std::sync::OnceLock;

use nix::time::{ClockId, clock_gettime};

use crate::seal;

/// One moment. Two moments compare only within one boot.
#[derive(Debug, Clone)]
pub struct Moment {
    /// SHA-256 of the kernel's id of this boot, 64 hexadecimal digits.
    pub boot: String,
    /// Nanoseconds on a clock that counts sleep and that nobody sets.
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
    BOOT.get_or_init(|| Some(seal::hex_digest(&[boot_id()?.trim().as_bytes()]))).clone()
}

fn nanoseconds() -> Option<i64> {
    let time = clock_gettime(CLOCK?).ok()?;
    time.tv_sec().checked_mul(1_000_000_000)?.checked_add(time.tv_nsec())
}

/// The clock that counts sleep and that nobody sets.
#[cfg(target_os = "linux")]
const CLOCK: Option<ClockId> = Some(ClockId::CLOCK_BOOTTIME);
/// The clock that counts sleep and that nobody sets, that of `mach_continuous_time`.
#[cfg(target_os = "macos")]
const CLOCK: Option<ClockId> = Some(ClockId::from_raw(libc::CLOCK_MONOTONIC_RAW));
/// Elsewhere no clock is known that also counts sleep.
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
const CLOCK: Option<ClockId> = None;

/// What the kernel calls this boot.
#[cfg(target_os = "linux")]
fn boot_id() -> Option<String> {
    std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()
}

/// What the kernel calls this boot.
#[cfg(target_os = "macos")]
fn boot_id() -> Option<String> {
    super::darwin::text(c"kern.bootsessionuuid").ok()
}

/// What the kernel calls this boot; nothing. The time of the boot is no name: it moves with the time of day.
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn boot_id() -> Option<String> {
    None
}

#[cfg(all(test, any(target_os = "linux", target_os = "macos")))]
mod tests {
    use super::Moment;

    #[test]
    fn moments_of_one_boot_are_in_order() {
        let (one, other) = (Moment::now().unwrap(), Moment::now().unwrap());
        assert_eq!(one.boot, other.boot);
        assert!(one.boot.len() == 64 && one.ns > 0 && one.ns <= other.ns);
    }
}
