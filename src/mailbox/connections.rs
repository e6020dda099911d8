//! The open mailboxes of a process that makes several calls: a call takes one and gives it back.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::open::{self, Access};
use super::upgrade::Found;
use super::{Db, Look, upgrade};
use crate::environment::Environment;
use crate::error::Result;
use crate::platform::cleanup::Scope;

/// Connections that are open and that no call uses. A statement that was prepared on one stays prepared.
#[derive(Default)]
pub struct Connections {
    idle: Mutex<Vec<Db>>,
    /// How many are kept at most.
    most: usize,
}

impl Connections {
    /// Keeps up to `most` connections between calls; a process that makes one call keeps none.
    pub fn keeping(most: usize) -> Connections {
        Connections { idle: Mutex::default(), most }
    }

    /// A connection to the mailbox at a resolved path, for a call that can be cancelled by `scope`.
    ///
    /// # Errors
    /// As [`open::open`].
    pub fn open(&self, path: &Path, access: Access, environment: &Environment, scope: &Scope) -> Result<Db> {
        while let Some(mut db) = self.take(path) {
            if db.is_current() {
                db.scope = scope.clone();
                return Ok(db);
            }
        }
        open::open(path, access, environment, scope)
    }

    /// Takes back a connection that a call has ended with.
    pub fn give_back(&self, mut db: Db) {
        // What is read in place of the file is of one moment.
        let is_good = db.link.get_mut().source.is_none() && db.connection().is_autocommit() && db.reset().is_ok();
        let mut idle = self.idle();
        if is_good && idle.len() < self.most {
            db.scope = Scope::default();
            idle.push(db);
        }
    }

    fn take(&self, path: &Path) -> Option<Db> {
        let mut idle = self.idle();
        let place = idle.iter().position(|db| db.path == path)?;
        Some(idle.swap_remove(place))
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Db>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Db {
    /// Whether the path still leads to the files that are open, with the schema of this release.
    fn is_current(&self) -> bool {
        Look::at(&self.path).is_some_and(|now| {
            Some(now.identity) == self.identity() && !now.is_linked && now.beside == self.link.borrow().beside
        }) && matches!(upgrade::look(&self.connection()), Ok(Found::Current))
    }
}
