//! The programs that the tests need: the `sqlite3` shell, without which nothing works, and those without which some
//! tests are skipped.

use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use super::codes;

/// Where the tests, and all that they start, look for programs. The caller's own PATH may have real clients in it.
pub const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Mounts a directory once with bindfs.
const BINDFS: &str = "set -e; d=$(mktemp -d); mkdir $d/a $d/b; trap 'rm -r $d' EXIT
    bindfs --no-allow-other -o direct_io $d/a $d/b 2>/dev/null && fusermount -u $d/b";

/// Starts a command.
#[track_caller]
pub fn started(command: &mut Command) -> Child {
    command.spawn().unwrap_or_else(|error| panic!("{} can't be started: {error}", command.get_program().display()))
}

/// The output of a command that succeeds, on the tests' own PATH.
fn output(words: &[&str]) -> Option<String> {
    let mut command = Command::new(words[0]);
    let output = command.args(&words[1..]).env("PATH", PATH).stdin(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The plain shell is there and no older than what the schema is written for.
pub fn assert_sqlite3() {
    static IS_THERE: OnceLock<bool> = OnceLock::new();
    let is_there = IS_THERE.get_or_init(|| {
        let version = output(&["sqlite3", "--version"]).unwrap_or_default();
        let mut numbers = version.split('.').map(|number| number.parse().unwrap_or(0));
        (numbers.next(), numbers.next()) >= (Some(3), Some(40))
    });
    assert!(is_there, "the tests need the sqlite3 shell, 3.40 or newer, in {PATH} (Debian: apt-get install sqlite3)");
}

/// Whether a program is installed and can do here what the tests want of it; says so if not.
pub fn has(program: &str) -> bool {
    let is_able = match program {
        "strace" => output(&["strace", "-o", "/dev/null", "true"]),
        // It needs a device that not every container has.
        "bindfs" => output(&["sh", "-c", BINDFS]),
        "bwrap" => output(&["bwrap", "--ro-bind", "/", "/", "true"]),
        _ => output(&[program, "--version"]),
    };
    if is_able.is_none() {
        skip(&format!("{program} is not installed or not permitted"));
    }
    is_able.is_some()
}

/// Says that a test can't do its work on this machine. Written past the capturing of the test's output, so that it is
/// seen.
pub fn skip(why: &str) {
    let name = std::thread::current().name().unwrap_or_default().to_owned();
    codes::skipped();
    std::io::stderr().write_all(format!("SKIPPED {name}: {why}\n").as_bytes()).unwrap();
}
