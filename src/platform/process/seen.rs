//! What is known of a process.

/// A process, as it was when it was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    /// Its id.
    pub pid: i32,
    /// The parent's pid; 0 where it has none that can be seen.
    pub parent: i32,
    /// The name of the program, as the kernel keeps it: at most 15 bytes.
    pub name: String,
    /// When it started, a number of the system's own that tells it from a later process of the same pid: on Linux clock
    /// ticks after boot, on macOS microseconds since 1970.
    pub start: u64,
    /// Whether it runs.
    pub state: State,
}

/// Whether a process runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(any(target_os = "linux", target_os = "macos")), allow(dead_code))]
pub enum State {
    /// It runs, or sleeps until something happens.
    Alive,
    /// Somebody stopped it (Ctrl-Z, a debugger): it reads nothing until it is continued.
    Stopped,
    /// It has ended and only its parent's look is missing.
    Dead,
}
