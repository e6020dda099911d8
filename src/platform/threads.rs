//! Work side by side, where the system lets this process have threads; it may be at its limit.

use std::sync::{Mutex, PoisonError};
use std::thread::Builder;

/// Something to be done once.
pub type Job<'a, T> = Box<dyn FnOnce() -> T + Send + 'a>;

/// Does all jobs, each in a thread of its own, and returns what came of them in their order. What gets no thread is
/// done here, after the others have begun.
pub fn side_by_side<T: Send>(jobs: Vec<Job<T>>) -> Vec<T> {
    // A thread that can't be started takes its closure with it, so the job stays here until somebody does it.
    let slots: Vec<Mutex<Option<Job<T>>>> = jobs.into_iter().map(|job| Mutex::new(Some(job))).collect();
    let done: Vec<Mutex<Option<T>>> = slots.iter().map(|_| Mutex::new(None)).collect();
    let work = |at: usize| {
        let job = slots[at].lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(job) = job {
            let result = job();
            *done[at].lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        }
    };
    let work = &work;
    std::thread::scope(|threads| {
        let begun: Vec<bool> =
            (0..slots.len()).map(|at| Builder::new().spawn_scoped(threads, move || work(at)).is_ok()).collect();
        begun.iter().enumerate().filter(|(_, begun)| !**begun).for_each(|(at, _)| work(at));
    });
    done.into_iter().filter_map(|one| one.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
}

/// Begins a job in a thread of its own, and does not wait for it; where there is no thread, does it now.
pub fn begin(job: impl FnOnce() + Send + 'static) {
    let slot = std::sync::Arc::new(Mutex::new(Some(job)));
    let work = {
        let slot = slot.clone();
        move || {
            let job = slot.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(job) = job {
                job();
            }
        }
    };
    if Builder::new().spawn(work.clone()).is_err() {
        work();
    }
}
