//! Commands that are run to their end, and how they ended.

use std::io::Write;
use std::process::{Child, Command, Output, Stdio};
use std::thread;

use serde_json::Value;

use super::codes;
use super::tools::started;

/// How a command ended.
#[derive(Debug)]
pub struct Ran {
    /// The exit code; 128 and the signal for one that was killed.
    pub code: i32,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

/// Runs a command to its end with an input.
#[track_caller]
pub fn run(command: &mut Command, input: &[u8]) -> Ran {
    let mut child = started(command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()));
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    // A command that ends early does not read its input.
    let writer = thread::spawn(move || drop(stdin.write_all(&input)));
    let ran = finish(child);
    writer.join().unwrap();
    ran
}

/// Waits for a started command.
pub fn finish(child: Child) -> Ran {
    child.wait_with_output().unwrap().into()
}

/// Ends a started command in the middle of whatever it does.
pub fn kill(mut child: Child) -> Ran {
    child.kill().unwrap();
    finish(child)
}

impl From<Output> for Ran {
    fn from(output: Output) -> Ran {
        use std::os::unix::process::ExitStatusExt;
        Ran::new(
            output.status.code().unwrap_or_else(|| 128 + output.status.signal().unwrap_or_default()),
            String::from_utf8(output.stdout).expect("output is UTF-8"),
            String::from_utf8(output.stderr).expect("messages are UTF-8"),
        )
    }
}

impl Ran {
    /// A command that ended so. The codes that it answered with are noted.
    pub fn new(code: i32, out: String, err: String) -> Ran {
        let ran = Ran { code, out, err };
        codes::note(&ran);
        ran
    }

    /// The one object on the one line that was printed.
    #[track_caller]
    pub fn json(&self) -> Value {
        assert!(self.out.ends_with('\n') && self.out.lines().count() == 1, "not one line: {self:?}");
        assert_eq!(self.err, "", "{self:?}");
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The object of a command that succeeded.
    #[track_caller]
    pub fn done(&self) -> Value {
        self.ended(0)
    }

    /// The object of a command that ended with this exit.
    #[track_caller]
    pub fn ended(&self, exit: i32) -> Value {
        assert_eq!(self.code, exit, "{self:?}");
        self.json()
    }

    /// The object of a command that was refused with this code.
    #[track_caller]
    pub fn refused(&self, code: &str) -> Value {
        self.refused_by(2, code)
    }

    /// The object of a command that was refused with this exit and code.
    #[track_caller]
    pub fn refused_by(&self, exit: i32, code: &str) -> Value {
        let object = self.ended(exit);
        assert_eq!(object["state"], "error", "{self:?}");
        assert_eq!(object["error"], code, "{self:?}");
        object
    }

    /// The errors of a `sqlite3` shell that did not stop at them: the line of each, and its words.
    pub fn shell_errors(&self) -> Vec<(usize, String)> {
        // `Runtime error near line 12: words (19)`; what can't be parsed has further lines, which show the place.
        let mut errors = Vec::new();
        for line in self.err.lines() {
            let place = line.split_once(" near line ").and_then(|(_, rest)| rest.split_once(": "));
            if let Some((Ok(number), words)) = place.map(|(number, words)| (number.parse(), words)) {
                let words = words.rsplit_once(" (").map_or(words, |(words, _)| words);
                errors.push((number, words.to_owned()));
            }
        }
        errors
    }

    /// What a shell script printed, which must not have failed.
    #[track_caller]
    pub fn text(&self) -> &str {
        assert!(self.code == 0 && self.err.is_empty(), "{self:?}");
        self.out.trim_end()
    }
}
