//! The calls that run right now, so that they can be cancelled together when the server ends.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::call::Handle;

/// The calls that run. Clones are the same.
#[derive(Clone, Default)]
pub struct Running {
    state: Arc<(Mutex<State>, Condvar)>,
    /// Held while a call is cancelled.
    cancelling: Arc<Mutex<()>>,
}

#[derive(Default)]
struct State {
    calls: BTreeMap<u64, Entry>,
    last: u64,
    /// Which calls are cancelled as soon as they begin.
    ended: Ended,
}

#[derive(Clone)]
struct Entry {
    handle: Handle,
    only_waits: bool,
}

#[derive(Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Ended {
    #[default]
    None,
    Waits,
    All,
}

impl Entry {
    fn is_over(&self, ended: Ended) -> bool {
        ended == Ended::All || ended == Ended::Waits && self.only_waits
    }
}

/// A call that runs, until this is dropped.
pub struct Begun {
    running: Running,
    number: u64,
}

impl Running {
    /// Enters a call that can be cancelled by `handle`. One that comes too late is cancelled at once.
    pub fn begin(&self, handle: &Handle, only_waits: bool) -> Begun {
        let entry = Entry { handle: handle.clone(), only_waits };
        let mut state = self.lock();
        state.last += 1;
        let number = state.last;
        let is_over = entry.is_over(state.ended);
        state.calls.insert(number, entry);
        drop(state);
        if is_over {
            self.cancel(handle);
        }
        Begun { running: self.clone(), number }
    }

    /// Cancels a call. One at a time: each has something to take back in the mailbox, for which it has no time to wait.
    pub fn cancel(&self, handle: &Handle) {
        let _alone = self.cancelling.lock().unwrap_or_else(PoisonError::into_inner);
        handle.cancel();
    }

    /// Cancels the calls that only wait, and those that begin later.
    pub fn end_waits(&self) {
        self.end(Ended::Waits);
    }

    /// Cancels all calls, and those that begin later.
    pub fn end_all(&self) {
        self.end(Ended::All);
    }

    fn end(&self, ended: Ended) {
        let over: Vec<Entry> = {
            let mut state = self.lock();
            state.ended = state.ended.max(ended);
            state.calls.values().filter(|entry| entry.is_over(ended)).cloned().collect()
        };
        for entry in over {
            self.cancel(&entry.handle);
        }
    }

    /// Waits until no call runs any more, at most so long.
    pub fn wait(&self, limit: Duration) {
        let all_gone = self.state.1.wait_timeout_while(self.lock(), limit, |state| !state.calls.is_empty());
        drop(all_gone);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        self.running.lock().calls.remove(&self.number);
        self.running.state.1.notify_all();
    }
}
