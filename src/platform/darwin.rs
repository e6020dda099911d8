//! The calls of macOS for which there is no safe wrapper: libproc, sysctl, and one socket option.
//!
//! Besides two calls in `signals.rs` the only `unsafe` code of the program. Each function wraps one call and hands out
//! owned values.
#![allow(unsafe_code)]

use std::ffi::{CStr, OsString};
use std::io;
use std::mem::{MaybeUninit, size_of};
use std::os::fd::{AsRawFd, BorrowedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::ptr::{from_mut, null_mut};

use libc::{c_int, c_void, pid_t};

/// What the kernel says of a process of this user, a zombie too; none where there is no such process.
///
/// # Errors
/// `PermissionDenied`: it is another user's.
pub fn process(pid: pid_t) -> io::Result<Option<libc::proc_bsdinfo>> {
    // SAFETY: it is a struct of integers.
    unsafe { info(pid, libc::PROC_PIDTBSDINFO) }
}

/// What the kernel says of a process of any user, a zombie too: all but its start. None where there is no such process.
///
/// # Errors
/// It is not shown to this process.
pub fn any_process(pid: pid_t) -> io::Result<Option<libc::proc_bsdshortinfo>> {
    // SAFETY: it is a struct of integers.
    unsafe { info(pid, libc::PROC_PIDT_SHORTBSDINFO) }
}

/// Asks for the struct of a flavor.
///
/// # Safety
/// Any bytes must be a value of `T`.
unsafe fn info<T>(pid: pid_t, flavor: c_int) -> io::Result<Option<T>> {
    let mut info = MaybeUninit::<T>::uninit();
    let size = size_of::<T>() as c_int;
    // The argument 1 asks for zombies too.
    // SAFETY: the buffer is writable for the `size` bytes that are passed, and lives through the call.
    let written = unsafe { libc::proc_pidinfo(pid, flavor, 1, info.as_mut_ptr().cast(), size) };
    if written == size {
        // SAFETY: the kernel has written all of it, and the caller promises that any bytes are a value.
        return Ok(Some(unsafe { info.assume_init() }));
    }
    match io::Error::last_os_error() {
        error if error.raw_os_error() == Some(libc::ESRCH) => Ok(None),
        error => Err(error),
    }
}

/// The pids of all processes.
///
/// # Errors
/// The kernel does not list them.
pub fn pids() -> io::Result<Vec<pid_t>> {
    // SAFETY: without a buffer the call only counts.
    let count = unsafe { libc::proc_listallpids(null_mut(), 0) };
    let count = usize::try_from(count).map_err(|_| io::Error::last_os_error())?;
    // Some may start meanwhile.
    let mut pids: Vec<pid_t> = vec![0; count + 64];
    let size = (pids.len() * size_of::<pid_t>()) as c_int;
    // SAFETY: the buffer is writable for the `size` bytes that are passed, and lives through the call.
    let listed = unsafe { libc::proc_listallpids(pids.as_mut_ptr().cast(), size) };
    pids.truncate(usize::try_from(listed).map_err(|_| io::Error::last_os_error())?);
    pids.retain(|pid| *pid > 0);
    Ok(pids)
}

/// The path of a process's program.
///
/// # Errors
/// There is no such process, or its program is gone.
pub fn program(pid: pid_t) -> io::Result<PathBuf> {
    let mut path = vec![0_u8; libc::PROC_PIDPATHINFO_MAXSIZE as usize];
    // SAFETY: the buffer is writable for the bytes that are passed, and lives through the call.
    let length = unsafe { libc::proc_pidpath(pid, path.as_mut_ptr().cast(), path.len() as u32) };
    if length <= 0 {
        return Err(io::Error::last_os_error());
    }
    path.truncate(length as usize);
    Ok(OsString::from_vec(path).into())
}

/// The arguments and the environment of a process, each ended by a zero byte, behind their number and the path.
///
/// # Errors
/// There is no such process, or it is another user's.
pub fn arguments(pid: pid_t) -> io::Result<Vec<u8>> {
    let mut name = [libc::CTL_KERN, libc::KERN_PROCARGS2, pid];
    sysctl(|value, size| {
        // SAFETY: `name` has the three numbers that are announced; `value` is null or writable for `*size` bytes; there
        // is no new value.
        unsafe { libc::sysctl(name.as_mut_ptr(), name.len() as u32, value, size, null_mut(), 0) }
    })
}

/// A text that the kernel keeps under a name.
///
/// # Errors
/// There is none, or it is no UTF-8.
pub fn text(name: &CStr) -> io::Result<String> {
    let bytes = sysctl(|value, size| {
        // SAFETY: `name` ends with a zero byte; `value` is null or writable for `*size` bytes; there is no new value.
        unsafe { libc::sysctlbyname(name.as_ptr(), value, size, null_mut(), 0) }
    })?;
    let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    String::from_utf8(text.to_vec()).map_err(io::Error::other)
}

/// Asks for the size of a value, and then for the value.
fn sysctl(mut ask: impl FnMut(*mut c_void, *mut usize) -> c_int) -> io::Result<Vec<u8>> {
    let mut size = 0;
    if ask(null_mut(), from_mut(&mut size)) != 0 {
        return Err(io::Error::last_os_error());
    }
    let mut value = vec![0_u8; size];
    if ask(value.as_mut_ptr().cast(), from_mut(&mut size)) != 0 {
        return Err(io::Error::last_os_error());
    }
    value.truncate(size);
    Ok(value)
}

/// Makes a write to a closed connection an error and no signal.
///
/// # Errors
/// It is no socket.
pub fn no_sigpipe(socket: BorrowedFd<'_>) -> io::Result<()> {
    let on: c_int = 1;
    // SAFETY: the descriptor is open, and the value is readable for its size.
    let set = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_NOSIGPIPE,
            (&raw const on).cast(),
            size_of::<c_int>() as libc::socklen_t,
        )
    };
    if set == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
