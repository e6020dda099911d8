//! The environment variables of a call: those of this process, or others that were given.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

/// The variables that a call sees. Whoever acts for a call asks here and nowhere else, so that several calls of one
/// process can have different ones.
#[derive(Clone)]
pub struct Environment {
    /// None: those of this process.
    given: Option<Arc<BTreeMap<OsString, OsString>>>,
}

impl Environment {
    /// The variables of this process, read when they are asked for.
    pub fn of_process() -> Environment {
        Environment { given: None }
    }

    /// Just these variables.
    pub fn given<K: Into<OsString>, V: Into<OsString>>(variables: impl IntoIterator<Item = (K, V)>) -> Environment {
        let variables = variables.into_iter().map(|(name, value)| (name.into(), value.into()));
        Environment { given: Some(Arc::new(variables.collect())) }
    }

    /// A variable that is set and not empty.
    pub fn get(&self, name: &str) -> Option<OsString> {
        let value = match &self.given {
            None => env::var_os(name),
            Some(variables) => variables.get(OsStr::new(name)).cloned(),
        };
        value.filter(|value| !value.is_empty())
    }

    /// The home directory: `HOME`, and for the variables of this process else what the system has for its user.
    pub fn home(&self) -> Option<PathBuf> {
        match &self.given {
            None => env::home_dir(),
            Some(_) => self.get("HOME").map(PathBuf::from),
        }
    }

    /// `HOME`, where it is an absolute path: a relative one means another place in each directory.
    pub fn absolute_home(&self) -> Option<PathBuf> {
        self.get("HOME").map(PathBuf::from).filter(|home| home.is_absolute())
    }

    /// `~` and `~/…` in a path, as a shell expands them; none where that needs `HOME` and it does not say.
    pub fn expand(&self, path: &Path) -> Option<PathBuf> {
        match path.strip_prefix("~") {
            Ok(rest) => Some(self.absolute_home()?.join(rest)),
            Err(_) => Some(path.to_owned()),
        }
    }

    /// A command that gets these variables.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        if let Some(variables) = &self.given {
            command.env_clear().envs(variables.iter());
        }
        command
    }
}

/// Values can be secrets, so only the names are shown.
impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.given {
            None => f.write_str("Environment(of this process)"),
            Some(variables) => f.debug_tuple("Environment").field(&variables.keys()).finish(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Environment;

    #[test]
    fn given_variables_stand_alone() {
        let environment = Environment::given([("A", "1"), ("EMPTY", ""), ("SECRET", "hidden")]);
        assert_eq!(environment.get("A"), Some("1".into()));
        assert_eq!(environment.get("EMPTY"), None);
        // Set in the process of every test.
        assert!(Environment::of_process().get("PATH").is_some());
        assert_eq!(environment.get("PATH"), None);
        assert_eq!(environment.home(), None);
        assert!(!format!("{environment:?}").contains("hidden"));
    }

    #[test]
    fn a_command_gets_the_given_variables_and_no_others() {
        let environment = Environment::given([("A", "1"), ("PATH", "/usr/bin:/bin")]);
        let ran = environment.command("/usr/bin/env").output().unwrap();
        let mut lines: Vec<&str> = std::str::from_utf8(&ran.stdout).unwrap().lines().collect();
        lines.sort_unstable();
        assert_eq!(lines, ["A=1", "PATH=/usr/bin:/bin"]);
    }
}
