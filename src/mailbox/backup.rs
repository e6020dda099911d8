//! A backup of an open mailbox.

use std::fs;
use std::io;
use std::path::Path;

use uuid::Uuid;

use super::copies::{self, PARTIAL, copy, count, damage, examined, failed};
use super::path::side_file;
use super::{Db, leftovers};
use crate::error::{Error, Result};

impl Db {
    /// Copies the mailbox to a file that must not be there yet, and answers how many messages the copy holds. Under its
    /// name a copy is always complete.
    ///
    /// # Errors
    /// `file_already_exists`, `database_integrity_check_failed`, and `database_backup_failed` for all else.
    pub fn back_up_to(&self, target: &Path) -> Result<i64> {
        let exists = || Error::new("file_already_exists").with_detail(target.display());
        if fs::symlink_metadata(target).is_ok() {
            return Err(exists());
        }
        let directory = target.parent().unwrap_or(Path::new("/"));
        let prefix = target.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned() + ".";
        leftovers::clear(directory, |name| name.starts_with(&prefix) && name.ends_with(PARTIAL));
        let partial = side_file(target, &format!(".{}{PARTIAL}", Uuid::new_v4()));
        let (scratch, begun) = copies::partial(&partial, &self.scope)?;
        let messages = self.read(|db| {
            copy(&db.connection(), scratch.path())?;
            let copy = examined(scratch.path())?;
            if let Some(damage) = damage(&copy) {
                return Err(Error::new("database_integrity_check_failed").with_detail(damage));
            }
            count(&copy)
        })?;
        scratch.keep_as(target).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => exists(),
            _ => failed(&format!("{}: {error}", target.display())),
        })?;
        begun.strike_off();
        Ok(messages)
    }
}
