//! The signals that ask this process to end: which of them it was told to ignore, and how they are held until somebody
//! waits for them.
//!
//! Besides the calls of macOS the only `unsafe` code of the program: two calls for which there is no safe wrapper.
#![allow(unsafe_code)]

use std::io;
use std::mem::MaybeUninit;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::ptr::null;
use std::sync::OnceLock;

use nix::libc;
use nix::sys::signal::{SigSet, SigmaskHow, Signal};

/// Whoever sends one of these wants an end, and gives time for it. SIGQUIT is left out: it asks for a core dump. What
/// else ends a process is sent to nobody by another.
const ENDING: [Signal; 9] = [
    Signal::SIGHUP,
    Signal::SIGINT,
    Signal::SIGTERM,
    Signal::SIGALRM,
    Signal::SIGUSR1,
    Signal::SIGUSR2,
    Signal::SIGVTALRM,
    Signal::SIGPROF,
    Signal::SIGXCPU,
];

/// What is held back in this process and was not in its parent.
static HELD: OnceLock<SigSet> = OnceLock::new();

/// The signals that ask for the end, held back in this and all later threads.
pub struct Ending(SigSet);

/// Holds the signals back that ask for the end, but for those that this process was started to ignore (`nohup`, a
/// background command of a script). SIGXFSZ is held for good: the write that a limit forbids then fails with `EFBIG`.
pub fn hold() -> Option<Ending> {
    let ending: SigSet = ENDING.into_iter().filter(|signal| !is_ignored(*signal)).collect();
    let mut all = ending;
    all.add(Signal::SIGXFSZ);
    let before = all.thread_swap_mask(SigmaskHow::SIG_BLOCK).ok()?;
    HELD.get_or_init(|| all.iter().filter(|signal| !before.contains(*signal)).collect());
    Some(Ending(ending))
}

impl Ending {
    /// Waits for the first of them.
    pub fn wait(&self) -> Option<Signal> {
        self.0.wait().ok()
    }

    /// Holds them back no longer: they end the process as they do by themselves.
    pub fn let_go(&self) {
        let _ = self.0.thread_unblock();
    }
}

/// What a command inherits is what this process was given: nothing is held back in it.
pub fn pass_on(command: &mut Command) {
    let Some(held) = HELD.get().copied() else { return };
    // SAFETY: between fork and exec only `pthread_sigmask` is called, which is safe there; nothing is allocated.
    unsafe { command.pre_exec(move || held.thread_unblock().map_err(io::Error::from)) };
}

/// Whether this process ignores a signal.
fn is_ignored(signal: Signal) -> bool {
    let mut found = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: without a new action nothing is changed; the present one is written to a struct of integers.
    let (result, found) =
        unsafe { (libc::sigaction(signal as libc::c_int, null(), found.as_mut_ptr()), found.assume_init()) };
    result == 0 && found.sa_sigaction == libc::SIG_IGN
}
