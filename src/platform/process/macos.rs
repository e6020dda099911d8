//! macOS: libproc and sysctl. The start and the environment of another user's process are hidden.

use std::ffi::c_char;
use std::io;
use std::path::PathBuf;
use std::process::Child;

use super::super::{Hidden, darwin};
use super::date::seconds_of_date;
use super::seen::{Process, State};

pub fn read(pid: i32) -> Result<Option<Process>, Hidden> {
    match darwin::process(pid) {
        Ok(info) => Ok(info.map(|info| Process {
            pid,
            parent: info.pbi_ppid as i32,
            name: text(&info.pbi_comm),
            start: info.pbi_start_tvsec * 1_000_000 + info.pbi_start_tvusec,
            state: state(info.pbi_status),
        })),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            let info = darwin::any_process(pid).map_err(|_| Hidden)?;
            // A start that no process of this user has.
            Ok(info.map(|info| Process {
                pid,
                parent: info.pbsi_ppid as i32,
                name: text(&info.pbsi_comm),
                start: 0,
                state: state(info.pbsi_status),
            }))
        }
        Err(_) => Err(Hidden),
    }
}

fn state(status: u32) -> State {
    match status {
        libc::SSTOP => State::Stopped,
        libc::SZOMB => State::Dead,
        _ => State::Alive,
    }
}

fn text(name: &[c_char]) -> String {
    let bytes: Vec<u8> = name.iter().map(|byte| *byte as u8).take_while(|byte| *byte != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

pub fn pids() -> Result<Vec<i32>, Hidden> {
    darwin::pids().map_err(|_| Hidden)
}

pub fn program(pid: i32) -> Option<PathBuf> {
    darwin::program(pid).ok()
}

pub fn environment(pid: i32) -> Option<Vec<u8>> {
    // With the arguments before it, which do no harm: an entry is looked for as a whole.
    darwin::arguments(pid).ok()
}

pub fn is_start(start: u64, text: &str) -> bool {
    seconds_of_date(text) == Some(start / 1_000_000)
}

pub fn may_be_elsewhere(_: i32, _: &str) -> bool {
    false
}

pub fn has_exited(child: &mut Child) -> bool {
    // A look that takes no exit status: there is no safe `waitid`.
    match read(child.id() as i32) {
        Ok(Some(process)) => process.state == State::Dead,
        Ok(None) => true,
        Err(Hidden) => !matches!(child.try_wait(), Ok(None)),
    }
}
