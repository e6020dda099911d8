//! Where Codex keeps its things: the configuration directory, and the places of the state database. Seen on Codex
//! 0.171.0.

use std::env;
use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::super::Refusal;
use crate::environment::Environment;

/// Bytes of `config.toml` that are looked at; a larger one is refused.
const CONFIG_BYTES: u64 = 1 << 20;

/// The usual configuration directory, whatever `CODEX_HOME` says.
pub fn usual(environment: &Environment) -> Option<PathBuf> {
    variable(environment, "HOME").map(|home| PathBuf::from(home).join(".codex"))
}

/// The configuration directory of a peer: its own, else `CODEX_HOME`, else `~/.codex`.
///
/// # Errors
/// Nothing says where the home directory is.
pub fn home(environment: &Environment, own: Option<&Path>) -> Result<PathBuf, Refusal> {
    own.map(Path::to_path_buf)
        .or_else(|| variable(environment, "CODEX_HOME").map(PathBuf::from))
        .or_else(|| usual(environment))
        .and_then(|home| std::path::absolute(home).ok())
        .ok_or_else(|| Refusal::new("codex_home_unknown"))
}

/// A variable that is set and not blank.
fn variable(environment: &Environment, name: &str) -> Option<String> {
    let value = environment.get(name)?.into_string().ok()?;
    Some(value.trim().to_owned()).filter(|value| !value.is_empty())
}

/// A directory that may hold the state database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The directory.
    pub directory: PathBuf,
    /// What `CODEX_SQLITE_HOME` has to say for a command of Codex to look there; none: unset.
    pub variable: Option<PathBuf>,
}

/// Where the state database may lie, the likeliest first. `sqlite_home` in `config.toml` beats everything; the caller's
/// `CODEX_SQLITE_HOME` comes before the configuration directory, but after one that was named for this peer.
///
/// # Errors
/// `config.toml` exists and can't be read.
pub fn places(
    environment: &Environment,
    home: &Path,
    is_named: bool,
    workspace: Option<&Path>,
) -> Result<Vec<Place>, Refusal> {
    let own = Place { directory: home.to_path_buf(), variable: None };
    if let Some(text) = configured(&home.join("config.toml"))? {
        return Ok(vec![Place { directory: expand(environment, &text, home), variable: None }]);
    }
    let Some(text) = variable(environment, "CODEX_SQLITE_HOME") else { return Ok(vec![own]) };
    // Codex takes a relative value from the session's working directory.
    let base = workspace.map(Path::to_path_buf).or_else(|| env::current_dir().ok()).unwrap_or_default();
    let directory = expand(environment, &text, &base);
    let callers = Place { directory: directory.clone(), variable: Some(directory) };
    Ok(if is_named { vec![own, callers] } else { vec![callers, own] })
}

fn expand(environment: &Environment, text: &str, base: &Path) -> PathBuf {
    match (text.strip_prefix("~/"), environment.home()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => base.join(text),
    }
}

fn configured(path: &Path) -> Result<Option<String>, Refusal> {
    let refuse = |words: &dyn ToString| Refusal::new("codex_config_unreadable").with_detail(words.to_string());
    let file = match fs::File::open(path) {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        other => other.map_err(|error| refuse(&error))?,
    };
    let found = file.metadata().map_err(|error| refuse(&error))?;
    if !found.is_file() || found.uid() != nix::unistd::geteuid().as_raw() || found.len() > CONFIG_BYTES {
        return Err(refuse(&"not a file of this user, or too large"));
    }
    let mut text = String::new();
    file.take(CONFIG_BYTES).read_to_string(&mut text).map_err(|error| refuse(&error))?;
    // The parser's own words may quote the file, which can hold a key.
    let table: toml::Table = text.parse().map_err(|_| refuse(&"not TOML"))?;
    Ok(table.get("sqlite_home").and_then(toml::Value::as_str).map(String::from))
}
