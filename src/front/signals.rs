//! Signals that ask for the end: a thread waits for them, so that they are answered at once, whatever the call is
//! blocked in.

use crate::platform::signals;

/// Calls `end` with the exit code of the first such signal: 129 for SIGHUP, 130 for SIGINT, 143 for SIGTERM. What this
/// process was started to ignore stays ignored.
pub fn listen(end: impl FnOnce(i32) + Send + 'static) {
    let Some(ending) = signals::hold() else { return };
    let ending = std::sync::Arc::new(ending);
    let waited_for = ending.clone();
    let wait = move || {
        if let Some(signal) = waited_for.wait() {
            end(128 + signal as i32);
        }
    };
    // Without a thread they end the process as they do by themselves.
    if std::thread::Builder::new().spawn(wait).is_err() {
        ending.let_go();
    }
}
