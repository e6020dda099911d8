//! SIGINT and SIGTERM: a thread waits for them, so that they are answered at once, whatever the call is blocked in.

use nix::sys::signal::{SigSet, Signal};

/// Blocks both signals in this and all later threads, and calls `end` with the exit code of the first one that comes:
/// 130 or 143.
pub fn listen(end: impl FnOnce(i32) + Send + 'static) {
    let signals: SigSet = [Signal::SIGINT, Signal::SIGTERM].into_iter().collect();
    let wait = move || {
        if let Ok(signal) = signals.wait() {
            end(128 + signal as i32);
        }
    };
    // Without a thread both end the process as they do by themselves.
    if signals.thread_block().is_ok() && std::thread::Builder::new().spawn(wait).is_err() {
        let _ = signals.thread_unblock();
    }
}
