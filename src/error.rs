//! Errors: one code each. Also the one translation of failures of SQLite and of the system to codes.

use std::fmt;

use rusqlite::ErrorCode;
use serde_json::Value;

/// What a command answers instead of a result: one code of the contract, with what is known about the case.
#[derive(Debug, Clone)]
pub struct Error {
    /// A code; what it means is looked up in `codes.rs`.
    pub code: String,
    /// The system's words or numbers.
    pub detail: Option<String>,
    /// Further keys of the answer, such as `message_id`.
    pub facts: Vec<(String, Value)>,
    /// Ways on that are open in this case, by the names of their actions.
    pub recovery: Vec<(String, Value)>,
    /// What to do next in this case; none: what the code advises.
    pub next_action: Option<String>,
}

/// The result of everything that can fail with a code.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error without further words.
    pub fn new(code: &str) -> Self {
        Error { code: code.to_owned(), detail: None, facts: Vec::new(), recovery: Vec::new(), next_action: None }
    }

    /// The same error with the system's words or numbers.
    pub fn with_detail(mut self, detail: impl fmt::Display) -> Self {
        self.detail = Some(detail.to_string());
        self
    }

    /// The same error with one more key in its answer.
    pub fn with_fact(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.facts.push((key.to_owned(), value.into()));
        self
    }

    /// The same error with a way on: the words of a command, under the name of its action.
    pub fn with_way(mut self, action: &str, words: &[&str]) -> Self {
        self.recovery.push((action.to_owned(), words.iter().copied().collect()));
        self
    }

    /// The same error with a next step of its own.
    pub fn with_next_action(mut self, words: impl Into<String>) -> Self {
        self.next_action = Some(words.into());
        self
    }

    /// Whether its answer has this key.
    pub fn has_fact(&self, key: &str) -> bool {
        self.facts.iter().any(|(known, _)| known == key)
    }

    /// Whether this is the given code.
    pub fn is(&self, code: &str) -> bool {
        self.code == code
    }
}

impl From<rusqlite::Error> for Error {
    /// A rule of the schema speaks in its own code; everything else that SQLite reports becomes a code of the mailbox.
    fn from(error: rusqlite::Error) -> Self {
        let rusqlite::Error::SqliteFailure(failure, message) = &error else {
            return Error::new("database_unavailable").with_detail(error);
        };
        let words = message.clone().unwrap_or_else(|| error.to_string());
        match failure.code {
            ErrorCode::ConstraintViolation => match failure.extended_code {
                // The literal of a RAISE arrives bare, a named CHECK behind SQLite's own words.
                rusqlite::ffi::SQLITE_CONSTRAINT_TRIGGER => Error::new(&words),
                rusqlite::ffi::SQLITE_CONSTRAINT_CHECK => Error::new(words.rsplit(": ").next().unwrap_or(&words)),
                _ => Error::new("database_unavailable").with_detail(words),
            },
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Error::new("database_busy").with_detail(words),
            // A file that never was a database is told by its first bytes, so this one was damaged later.
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => Error::new("database_corrupt").with_detail(words),
            ErrorCode::DiskFull => Error::new("database_full").with_detail(words),
            ErrorCode::ReadOnly => Error::new("mailbox_not_writable").with_detail(words),
            // The statements are known to be right, so it is the tables that are not.
            _ if failure.extended_code == rusqlite::ffi::SQLITE_ERROR => {
                Error::new("invalid_database_schema").with_detail(words)
            }
            _ if failure.extended_code == rusqlite::ffi::SQLITE_IOERR_SHMSIZE => {
                Error::new("database_full").with_detail(words)
            }
            _ => Error::new("database_unavailable").with_detail(words),
        }
    }
}

/// An error of the operating system about a file of the mailbox.
impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        let code = match error.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => "database_full",
            std::io::ErrorKind::ReadOnlyFilesystem | std::io::ErrorKind::PermissionDenied => "mailbox_not_writable",
            _ => "database_unavailable",
        };
        Error::new(code).with_detail(error)
    }
}
