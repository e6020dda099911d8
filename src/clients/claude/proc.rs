//! Processes as `/proc` shows them.

use std::fs;

/// What `/proc/PID/stat` says of a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    /// The parent's pid; 0 where it has none in this namespace.
    pub parent: i32,
    /// The name of the program, at most 15 bytes, as the kernel keeps it.
    pub name: String,
    /// The start time in clock ticks after boot (field 22).
    pub start: u64,
    /// The state's letter: `R`, `S`, `Z`, `T`...
    pub state: char,
}

impl Process {
    /// Reads the state of a process; none where there is no such process.
    pub fn read(pid: i32) -> Option<Self> {
        // The name may hold spaces, parentheses and bytes that are no UTF-8: the last parenthesis ends it.
        let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
        let open = stat.iter().position(|byte| *byte == b'(')?;
        let close = stat.iter().rposition(|byte| *byte == b')')?;
        let name = String::from_utf8_lossy(stat.get(open + 1..close)?).into_owned();
        let rest = std::str::from_utf8(stat.get(close + 1..)?).ok()?;
        let mut fields = rest.split_ascii_whitespace();
        let state = fields.next()?.chars().next()?;
        let parent = fields.next()?.parse().ok()?;
        let start = fields.nth(17)?.parse().ok()?;
        Some(Process { parent, name, start, state })
    }

    /// Whether it has ended and only its parent's look is missing.
    pub fn is_dead(&self) -> bool {
        matches!(self.state, 'Z' | 'X' | 'x')
    }

    /// Whether somebody stopped it (Ctrl-Z, a debugger): it reads nothing until it is continued.
    pub fn is_stopped(&self) -> bool {
        matches!(self.state, 'T' | 't')
    }

    /// Whether the process that started at `start` ticks under this pid still runs.
    pub fn runs(pid: i32, start: u64) -> bool {
        Process::read(pid).is_some_and(|process| process.start == start && !process.is_dead())
    }
}
