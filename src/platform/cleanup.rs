//! What a call has started and must not leave behind.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

/// Takes something back: ends a command, removes a socket.
type Undo = Box<dyn FnOnce() + Send>;

/// The call was ended from outside; nothing more is begun for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cancelled;

impl Cancelled {
    /// Whether this is why something failed.
    pub fn is_cause_of(error: &io::Error) -> bool {
        error.get_ref().is_some_and(|cause| cause.is::<Cancelled>())
    }
}

impl fmt::Display for Cancelled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the call was cancelled")
    }
}

impl std::error::Error for Cancelled {}

/// What one call has begun and not finished. Clones are the same scope.
///
/// A call can be ended from outside at any moment: [`Scope::end`] undoes what is registered then, and nothing new is
/// begun afterwards.
#[derive(Clone, Default)]
pub struct Scope {
    state: Arc<Mutex<State>>,
    /// Set before anything is undone, and read without the lock.
    has_ended: Arc<AtomicBool>,
}

#[derive(Default)]
struct State {
    is_over: bool,
    last: u64,
    begun: BTreeMap<u64, Undo>,
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl fmt::Debug for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Scope")
    }
}

impl Scope {
    /// A scope in which nothing has begun.
    pub fn new() -> Scope {
        Scope::default()
    }

    /// Begins something, and registers how to undo it. [`Scope::end`] comes before or after both, never in between.
    ///
    /// Neither `begin` nor what it returns may use this scope.
    ///
    /// # Errors
    /// [`Cancelled`]: the scope has ended, and `begin` was not called; or what `begin` failed with.
    pub fn begin<T, U>(&self, begin: impl FnOnce() -> io::Result<(T, U)>) -> io::Result<(T, Begun)>
    where
        U: FnOnce() + Send + 'static,
    {
        let mut state = lock(&self.state);
        if state.is_over {
            return Err(io::Error::other(Cancelled));
        }
        let (value, undo) = begin()?;
        state.last += 1;
        let id = state.last;
        state.begun.insert(id, Box::new(undo));
        Ok((value, Begun { scope: self.clone(), id }))
    }

    /// Whether the call was ended from outside: whatever waits for it is to end.
    pub fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::SeqCst)
    }

    /// Undoes what is registered, the latest first, and lets nothing new begin. A second end does nothing.
    pub fn end(&self) {
        self.has_ended.store(true, Ordering::SeqCst);
        let mut state = lock(&self.state);
        state.is_over = true;
        // Under the lock: whoever wants to strike something off meanwhile waits until all is undone.
        while let Some((_, undo)) = state.begun.pop_last() {
            undo();
        }
    }
}

/// Something that has begun in a scope. It is undone when this is dropped, unless it was undone or struck off before.
pub struct Begun {
    scope: Scope,
    id: u64,
}

impl Begun {
    /// Strikes it off without undoing it: it has come to its end by itself.
    pub fn strike_off(self) {
        lock(&self.scope.state).begun.remove(&self.id);
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        // Under the lock, so that an end returns only when this is undone too.
        let mut state = lock(&self.scope.state);
        if let Some(undo) = state.begun.remove(&self.id) {
            undo();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    /// Begins something that counts how often it is undone.
    fn count(scope: &Scope, undone: &Arc<AtomicUsize>) -> io::Result<Begun> {
        let undone = undone.clone();
        scope.begin(|| Ok(((), move || _ = undone.fetch_add(1, Ordering::SeqCst)))).map(|(_, begun)| begun)
    }

    #[test]
    fn everything_is_undone_once() {
        let (scope, undone) = (Scope::new(), Arc::new(AtomicUsize::new(0)));
        let seen = || undone.load(Ordering::SeqCst);
        drop(count(&scope, &undone).unwrap());
        assert_eq!(seen(), 1, "dropped");
        count(&scope, &undone).unwrap().strike_off();
        assert_eq!(seen(), 1, "struck off");
        let kept = [count(&scope, &undone).unwrap(), count(&scope, &undone).unwrap()];
        scope.clone().end();
        assert_eq!(seen(), 3, "ended");
        scope.end();
        drop(kept);
        assert_eq!(seen(), 3, "once only");
    }

    #[test]
    fn nothing_begins_after_the_end() {
        let (scope, undone) = (Scope::new(), Arc::new(AtomicUsize::new(0)));
        scope.end();
        let refused = scope.begin(|| -> io::Result<((), fn())> { panic!("begun") }).map(|_| ());
        assert!(Cancelled::is_cause_of(&refused.unwrap_err()));
        assert!(count(&scope, &undone).is_err());
        assert!(count(&Scope::new(), &undone).is_ok(), "another scope goes on");
    }

    #[test]
    fn a_beginning_that_fails_leaves_nothing() {
        let scope = Scope::new();
        let failed = scope.begin(|| Err::<((), fn()), _>(io::ErrorKind::NotFound.into())).map(|_| ());
        let failed = failed.unwrap_err();
        assert!(failed.kind() == io::ErrorKind::NotFound && !Cancelled::is_cause_of(&failed));
        assert!(lock(&scope.state).begun.is_empty());
    }
}
