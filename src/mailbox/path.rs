//! Which file is the mailbox, and the files beside it.

use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::environment::Environment;
use crate::error::{Error, Result};

/// The resolved path of the mailbox: the one that is named, else `HTALK_DB`, else the usual one.
///
/// # Errors
/// `database_unavailable`: nothing names it, or its name is not UTF-8.
pub fn find(named: Option<&Path>, environment: &Environment) -> Result<PathBuf> {
    let path = match named {
        Some(path) => path.to_owned(),
        None => match environment.get("HTALK_DB") {
            Some(path) => path.into(),
            None => usual(environment)?,
        },
    };
    let path = resolve(&environment.expand(&path).ok_or_else(no_home)?)?;
    // Every answer names commands for this mailbox, and JSON can't name such a path.
    match path.to_str() {
        Some(_) => Ok(path),
        None => Err(Error::new("database_unavailable").with_detail("the path of the mailbox is not UTF-8")),
    }
}

/// What named the mailbox: `option`, `HTALK_DB`, `XDG_DATA_HOME` or `default`.
pub fn source(named: Option<&Path>, environment: &Environment) -> &'static str {
    match (named, environment.get("HTALK_DB"), data_directory(environment)) {
        (Some(_), ..) => "option",
        (None, Some(_), _) => "HTALK_DB",
        (None, None, Some(_)) => "XDG_DATA_HOME",
        (None, None, None) => "default",
    }
}

/// The error where `HOME` is needed and does not say.
pub fn no_home() -> Error {
    Error::new("database_unavailable").with_detail("HOME is not set, or no absolute path; or name a mailbox with --db")
}

fn usual(environment: &Environment) -> Result<PathBuf> {
    let data = match data_directory(environment) {
        Some(path) => path,
        None => environment.absolute_home().ok_or_else(no_home)?.join(".local/share"),
    };
    Ok(data.join("harness-talk/mail.sqlite3"))
}

/// The directory that `XDG_DATA_HOME` names. A relative path is to be ignored, as the XDG Base Directory Specification
/// says.
fn data_directory(environment: &Environment) -> Option<PathBuf> {
    let named = environment.get("XDG_DATA_HOME").map(PathBuf::from).and_then(|path| environment.expand(&path));
    named.filter(|path| path.is_absolute())
}

/// The absolute path of a mailbox with every symlink resolved, also where the file or its directory does not exist yet.
fn resolve(path: &Path) -> Result<PathBuf> {
    let absolute = std::path::absolute(path).map_err(|error| Error::new("database_unavailable").with_detail(error))?;
    let mut rest = Vec::new();
    let mut existing = absolute.as_path();
    loop {
        match existing.canonicalize() {
            Ok(mut resolved) => {
                resolved.extend(rest.iter().rev());
                return Ok(resolved);
            }
            // A dangling link names the file that is to be made.
            Err(error) if error.kind() == ErrorKind::NotFound && existing.is_symlink() => {
                let target =
                    fs::read_link(existing).map_err(|error| Error::new("database_unavailable").with_detail(error))?;
                let mut path = existing.parent().unwrap_or(Path::new("/")).join(target);
                path.extend(rest.iter().rev());
                return resolve(&path);
            }
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::PermissionDenied) => {
                let (Some(parent), Some(name)) = (existing.parent(), existing.file_name()) else {
                    return Ok(absolute);
                };
                rest.push(name.to_owned());
                existing = parent;
            }
            Err(error) => return Err(Error::new("database_unavailable").with_detail(error)),
        }
    }
}

/// The path of a file that SQLite or htalk keeps beside the mailbox.
pub fn side_file(mailbox: &Path, ending: &str) -> PathBuf {
    let mut path = OsString::from(mailbox);
    path.push(ending);
    path.into()
}

/// A SQLite URI of a file, with parameters such as `immutable=1`.
pub fn uri(path: &Path, how: &str) -> String {
    let mut uri = String::from("file:");
    for byte in path.as_os_str().as_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => uri.push(char::from(*byte)),
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri + "?" + how
}
