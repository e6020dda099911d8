//! Claude Code's own records of its sessions, and the proof that the process of a record still runs.
//!
//! Each process keeps `sessions/PID.json` in its configuration directory (seen on 2.1.197 and 2.1.332). The file
//! outlives a killed process, and a pid is used again: so a record counts only while a process with its pid and its
//! start time runs. A killed client can stay a zombie under its terminal for long, which is why the state counts too.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use nix::fcntl::OFlag;
use nix::unistd::geteuid;
use serde_json::Value;
use uuid::Uuid;

use crate::environment::Environment;
use crate::platform::Hidden;
use crate::platform::process::{Process, State};

/// A record is about 1 KiB; a larger file than this many bytes is none.
const RECORD_BYTES: u64 = 64 * 1024;

/// A directory with more entries than this is read so far and called partial.
const RECORDS: usize = 4096;

/// How often a record that is no JSON is read, with a pause between, before it is called broken.
const TRIES: u32 = 3;
const PAUSE: Duration = Duration::from_millis(2);

/// One record, with the time-dependent parts as they were when it was read.
#[derive(Debug, Clone)]
pub struct Record {
    /// The process of the session.
    pub pid: i32,
    /// Its start as the record has it; on Linux and macOS the process itself tells whether that is right.
    pub started: String,
    /// Its start as the system counts it ([`Process::start`]); 0 before its process was looked at.
    pub start: u64,
    /// The session that it has now, lower case with hyphens. `/clear` changes it (seen on 2.1.332).
    pub session_id: String,
    /// The directory in which the session was started, as the client names it.
    pub directory: PathBuf,
    /// The same, resolved where it still exists.
    pub workspace: PathBuf,
    /// When it was started, in ms since 1970, by the client's clock.
    pub started_at: u64,
    /// The client's version, where the record names it.
    pub version: Option<String>,
    /// Whether a person's terminal shows it (`entrypoint` `cli`); `claude -p` is `sdk-cli`.
    pub is_terminal: bool,
    /// The messaging socket; none on versions without one (2.1.197).
    pub socket: Option<PathBuf>,
    /// `idle`, `busy`, `waiting` or `unknown`.
    pub status: &'static str,
    /// Whether the process was stopped (Ctrl-Z) when it was looked at; its status is `unknown` then.
    pub is_stopped: bool,
    /// Whether the process is the client's own program, by its name, and not one that stands in for it.
    pub is_client: bool,
}

impl Record {
    /// Understands one record; none where a part that identifies the session is missing or has a wrong form.
    pub fn parse(value: &Value) -> Option<Self> {
        let text = |key: &str| value.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
        let directory = PathBuf::from(text("cwd")?);
        Some(Record {
            pid: value.get("pid")?.as_i64().and_then(|pid| i32::try_from(pid).ok()).filter(|pid| *pid > 0)?,
            started: text("procStart")?.to_owned(),
            start: 0,
            session_id: Uuid::parse_str(text("sessionId")?).ok()?.hyphenated().to_string(),
            workspace: fs::canonicalize(&directory).unwrap_or_else(|_| directory.clone()),
            directory,
            started_at: value.get("startedAt").and_then(Value::as_u64).unwrap_or(0),
            version: text("version").map(str::to_owned),
            is_terminal: text("entrypoint") == Some("cli"),
            socket: text("messagingSocketPath").map(PathBuf::from).filter(|path| path.is_absolute()),
            status: status(text("status")),
            is_stopped: false,
            is_client: false,
        })
    }

    /// The order in which the processes of one session are preferred: a terminal, then the latest start.
    pub fn rank(&self) -> (bool, u64, u64) {
        (self.is_terminal, self.start, self.started_at)
    }
}

/// The client's word for the state of a session, where it is one of those seen.
pub fn status(word: Option<&str>) -> &'static str {
    match word {
        Some("idle") => "idle",
        Some("busy") => "busy",
        Some("waiting") => "waiting",
        _ => "unknown",
    }
}

/// Why a file in the directory is no record of a running session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unusable {
    /// The process has ended, is a zombie, or its pid belongs to a later process.
    Ended(&'static str),
    /// The file cannot be read or understood.
    Rejected,
    /// The system does not show whether its process runs.
    Hidden,
    /// Its process may run where this one can't see it: the record is of another pid namespace.
    Elsewhere,
}

/// What the records of one configuration directory say.
#[derive(Debug, Default)]
pub struct Records {
    /// The records whose process runs.
    pub live: Vec<Record>,
    /// The session ids of records whose process has ended, with the reason.
    pub ended: Vec<(String, &'static str)>,
    /// How many files could not be read or understood.
    pub rejected: usize,
    /// How many records the system shows no process for.
    pub hidden: usize,
    /// The session ids of records whose process can't be seen from here.
    pub elsewhere: Vec<String>,
    /// Whether the directory holds more entries than were read.
    pub is_cut: bool,
}

impl Records {
    /// Reads `sessions/` of a configuration directory. A directory that does not exist has no records.
    ///
    /// Fails where the directory is there and cannot be read.
    pub fn read(config: &Path) -> io::Result<Self> {
        let directory = config.join("sessions");
        let mut records = Records::default();
        let entries = match fs::read_dir(&directory) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(records),
            Err(error) => return Err(error),
        };
        for (seen, entry) in entries.enumerate() {
            if seen == RECORDS {
                records.is_cut = true;
                break;
            }
            let Some(pid) = record_pid(&entry?.file_name()) else { continue };
            match read_live(config, pid) {
                Ok(record) => records.live.push(record),
                Err((session, Unusable::Ended(reason))) => records.ended.extend(session.map(|id| (id, reason))),
                Err((_, Unusable::Rejected)) => records.rejected += 1,
                Err((_, Unusable::Hidden)) => records.hidden += 1,
                Err((session, Unusable::Elsewhere)) => records.elsewhere.extend(session),
            }
        }
        Ok(records)
    }
}

/// The pid in the name `PID.json`; none for keys and other files.
fn record_pid(name: &OsStr) -> Option<i32> {
    let digits = name.to_str()?.strip_suffix(".json")?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}

/// Reads the record of one process and proves that this process runs. A failure names the session where it is known.
pub fn read_live(config: &Path, pid: i32) -> Result<Record, (Option<String>, Unusable)> {
    let path = config.join("sessions").join(format!("{pid}.json"));
    let mut tries = 0;
    let mut record = loop {
        let value = match read_owned(&path) {
            Ok(value) => value,
            // Removed since the directory was listed: the session has just ended.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err((None, Unusable::Ended("no record"))),
            Err(_) => return Err((None, Unusable::Rejected)),
        };
        if let Some(record) = value.as_ref().and_then(Record::parse).filter(|record| record.pid == pid) {
            break record;
        }
        // A file that a dead process left half-written is no loss; a living one may be writing it right now.
        tries += 1;
        match Process::read(pid) {
            Ok(None) => return Err((None, Unusable::Ended("no process"))),
            _ if value.is_some() || tries == TRIES => return Err((None, Unusable::Rejected)),
            _ => std::thread::sleep(PAUSE),
        }
    };
    let ended = |reason| {
        let is_elsewhere = Process::may_be_elsewhere(pid, &record.started);
        let why = if is_elsewhere { Unusable::Elsewhere } else { Unusable::Ended(reason) };
        Err((Some(record.session_id.clone()), why))
    };
    match Process::read(pid) {
        Err(Hidden) => Err((Some(record.session_id), Unusable::Hidden)),
        Ok(None) => ended("its process has ended"),
        Ok(Some(process)) if !process.started_as(&record.started) => ended("its pid belongs to a later process"),
        Ok(Some(process)) if process.state == State::Dead => {
            Err((Some(record.session_id), Unusable::Ended("its process is a zombie")))
        }
        Ok(Some(process)) => {
            record.start = process.start;
            if process.state == State::Stopped {
                record.status = "unknown";
                record.is_stopped = true;
            }
            record.is_client = is_client(&process);
            Ok(record)
        }
    }
}

/// Whether a process runs the client's own program: by its name, which the client sets itself on Linux, or by a folder
/// of the program's path (`…/claude/versions/2.1.243`, `…/claude-code/bin/claude.exe`), where the name is the file's.
fn is_client(process: &Process) -> bool {
    let is_its_folder = |part: &OsStr| matches!(part.to_str(), Some("claude" | "claude-code"));
    process.name == "claude" || process.program().is_some_and(|path| path.iter().any(is_its_folder))
}

/// Reads a regular file of this user; none where it holds no JSON. A link or a FIFO in its place is refused, as is a
/// file of another user.
fn read_owned(path: &Path) -> io::Result<Option<Value>> {
    let flags = OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK | OFlag::O_CLOEXEC;
    let file: File = OpenOptions::new().read(true).custom_flags(flags.bits()).open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() || metadata.uid() != geteuid().as_raw() || metadata.len() > RECORD_BYTES {
        return Err(io::Error::other("not a record of this user"));
    }
    let mut text = Vec::with_capacity(2048);
    file.take(RECORD_BYTES).read_to_end(&mut text)?;
    Ok(serde_json::from_slice(&text).ok())
}

/// The configuration directory that a client of this environment would use, and whether it is the usual one.
///
/// `home` (a peer's `--home`) comes first, then a non-empty `CLAUDE_CONFIG_DIR`, then `~/.claude`. None without a home.
pub fn config_directory(environment: &Environment, home: Option<&Path>) -> Option<(PathBuf, bool)> {
    if let Some(home) = home {
        return Some((home.to_owned(), false));
    }
    let usual = environment.get("HOME").map(|home| Path::new(&home).join(".claude"));
    match environment.get("CLAUDE_CONFIG_DIR").map(PathBuf::from) {
        Some(named) => {
            let is_usual = usual.is_some_and(|usual| same_place(&usual, &named));
            Some((named, is_usual))
        }
        None => usual.map(|usual| (usual, true)),
    }
}

/// Whether two paths lead to one place, both sides resolved where they exist.
pub fn same_place(one: &Path, other: &Path) -> bool {
    one == other || matches!((fs::canonicalize(one), fs::canonicalize(other)), (Ok(one), Ok(other)) if one == other)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::noise;

    const WORDS: &[&str] = &[
        "pid",
        "sessionId",
        "cwd",
        "startedAt",
        "procStart",
        "version",
        "entrypoint",
        "cli",
        "messagingSocketPath",
        "status",
        "idle",
        "busy",
        "/tmp",
        "7f9619ff-8b86-4d01-b42d-00cf4fc964ff",
        "136341",
        "-1",
    ];

    #[test]
    fn a_record_of_any_form_is_understood_or_not() {
        let record = json!({
            "pid": 7, "sessionId": "7f9619ff-8b86-4d01-b42d-00cf4fc964ff", "cwd": "/tmp", "procStart": "136341",
            "startedAt": 1_795_979_340_798_u64, "entrypoint": "cli", "messagingSocketPath": "/tmp/7.sock",
        });
        noise::each(noise::nearly(record, WORDS), |value| {
            if let Some(record) = Record::parse(&value) {
                assert!(record.pid > 0 && record.session_id.len() == 36, "{record:?}");
                assert!(record.socket.is_none_or(|socket| socket.is_absolute()));
            }
        });
        noise::each(noise::json(WORDS), |value| drop(Record::parse(&value)));
        noise::each(noise::text(&["7.json", "4294967296.json", "7.abc.key"]), |name| {
            assert!(record_pid(OsStr::new(&name)).is_none_or(|pid| pid >= 0), "{name}");
        });
    }
}
