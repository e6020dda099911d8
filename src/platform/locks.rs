//! Who holds a lock on a file, seen from outside: taking the lock to try it would stand in its holder's way.

use std::fs::Metadata;
#[cfg(target_os = "linux")]
use std::io::{self, Read};

use super::Hidden;

/// How often a list is read that does not come in one piece, before nothing is said of it.
#[cfg(target_os = "linux")]
const TRIES: usize = 8;

/// More than the kernel gives at once.
#[cfg(target_os = "linux")]
const PIECE: usize = 64 << 10;

/// A longer list is not read.
#[cfg(target_os = "linux")]
const MOST: usize = 16 << 20;

/// Whether some process holds a `flock` on a file.
///
/// # Errors
/// The system does not list its locks. In a sandbox with its own processes the list of Linux is empty, which says
/// nothing either.
#[cfg(target_os = "linux")]
pub fn is_flocked(file: &Metadata) -> Result<bool, Hidden> {
    is_in(|| read(std::fs::File::open("/proc/locks")?), std::os::unix::fs::MetadataExt::ino(file))
}

/// No other system is known to list them.
#[cfg(not(target_os = "linux"))]
pub fn is_flocked(_: &Metadata) -> Result<bool, Hidden> {
    Err(Hidden)
}

/// A list of locks as it was read.
#[cfg(target_os = "linux")]
struct List {
    text: String,
    /// Whether the kernel gave it in one piece, as it was at one moment.
    is_of_one_moment: bool,
}

/// Reads a list. The kernel gives about a page at once, and goes on by counting lines: when a lock before that place
/// goes meanwhile, a lock behind it is passed over. So a large piece is asked for, and the pieces are counted.
#[cfg(target_os = "linux")]
fn read(mut file: impl Read) -> io::Result<List> {
    let (mut bytes, mut pieces) = (Vec::new(), 0);
    let mut piece = vec![0; PIECE];
    loop {
        match file.read(&mut piece) {
            Ok(0) => break,
            Ok(length) if bytes.len() + length <= MOST => bytes.extend_from_slice(&piece[..length]),
            Ok(_) => return Err(io::ErrorKind::FileTooLarge.into()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        }
        pieces += 1;
    }
    Ok(List { text: String::from_utf8_lossy(&bytes).into_owned(), is_of_one_moment: pieces <= 1 })
}

/// Whether a list has a `flock` on this inode. A lock that is listed is there; that none is counts only of a list of
/// one moment, or when it was read twice in a row alike.
#[cfg(target_os = "linux")]
fn is_in(mut read: impl FnMut() -> io::Result<List>, inode: u64) -> Result<bool, Hidden> {
    let mut before: Option<String> = None;
    for _ in 0..TRIES {
        let list = read().map_err(|_| Hidden)?;
        if list.text.is_empty() {
            return Err(Hidden);
        }
        if is_listed(&list.text, inode) {
            return Ok(true);
        }
        if list.is_of_one_moment || before.as_ref() == Some(&list.text) {
            return Ok(false);
        }
        before = Some(list.text);
    }
    Err(Hidden)
}

/// Whether another process holds a POSIX lock on a part of a file. To open and close the file for this question drops
/// the own locks on it.
///
/// # Errors
/// The system's, where it does not say.
pub fn is_locked(file: &std::fs::File, start: i64, length: i64) -> std::io::Result<bool> {
    use nix::fcntl::{FcntlArg, fcntl};
    use nix::libc::{F_UNLCK, F_WRLCK, SEEK_SET, c_short, flock};

    let mut asked = flock { l_type: F_WRLCK as _, l_whence: SEEK_SET as _, l_start: start, l_len: length, l_pid: 0 };
    fcntl(file, FcntlArg::F_GETLK(&mut asked))?;
    // The constants have another type on some systems.
    let free: c_short = F_UNLCK as _;
    Ok(asked.l_type != free)
}

/// Whether the kernel's list has a `flock` on this inode. The device is not compared: it differs on some file systems
/// (btrfs, overlays), and a lock too many only says that somebody may hold it.
#[cfg(target_os = "linux")]
fn is_listed(list: &str, inode: u64) -> bool {
    list.lines().any(|line| {
        let mut fields = line.split_ascii_whitespace().skip(1);
        fields.next() == Some("FLOCK")
            && fields.nth(3).and_then(|file| file.rsplit(':').next()).and_then(|text| text.parse().ok()) == Some(inode)
    })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::noise;

    #[test]
    fn only_a_flock_on_the_inode_counts() {
        let list = "1: POSIX  ADVISORY  WRITE 7 00:2a:11 0 EOF\n2: FLOCK  ADVISORY  WRITE 7 00:2a:12 0 EOF\n";
        assert!(is_listed(list, 12));
        assert!(!is_listed(list, 11), "a lock of another kind");
        assert!(!is_listed(list, 2), "the number of a line, or a part of an inode");
    }

    const OTHER: &str = "1: FLOCK  ADVISORY  WRITE 7 00:2a:11 0 EOF\n";
    const THIRD: &str = "1: FLOCK  ADVISORY  WRITE 7 00:2a:13 0 EOF\n";
    const OURS: &str = "1: FLOCK  ADVISORY  WRITE 7 00:2a:12 0 EOF\n";

    /// What follows from lists that are read one after the other, each in so many pieces.
    fn told(lists: &[(&str, usize)]) -> (Result<bool, Hidden>, usize) {
        let mut reads = 0;
        let next = || {
            let (text, pieces) = lists[reads.min(lists.len() - 1)];
            reads += 1;
            Ok(List { text: text.to_owned(), is_of_one_moment: pieces == 1 })
        };
        (is_in(next, 12), reads)
    }

    #[test]
    fn a_list_in_pieces_is_read_again_before_a_lock_counts_as_missing() {
        assert_eq!(told(&[(OTHER, 1)]), (Ok(false), 1));
        assert_eq!(told(&[(OURS, 2)]), (Ok(true), 1));
        // A lock that was passed over while the list changed.
        assert_eq!(told(&[(OTHER, 2), (OURS, 2)]), (Ok(true), 2));
        assert_eq!(told(&[(OTHER, 2), (OTHER, 2)]), (Ok(false), 2));
        let changing: Vec<_> = [OTHER, THIRD].into_iter().cycle().take(TRIES).map(|text| (text, 2)).collect();
        assert_eq!(told(&changing), (Err(Hidden), TRIES));
        assert_eq!(told(&[("", 1)]), (Err(Hidden), 1));
    }

    #[test]
    fn the_pieces_of_a_list_are_counted() {
        // Each part of a chain is a piece of its own.
        let pieces =
            |first: &'static str, second: &'static str| read(first.as_bytes().chain(second.as_bytes())).unwrap();
        assert!(pieces(OTHER, "").is_of_one_moment);
        let both = pieces(OTHER, OURS);
        assert!(!both.is_of_one_moment && both.text == format!("{OTHER}{OURS}"));
        assert!(read(io::repeat(b'x')).is_err(), "a list without end");
    }

    #[test]
    fn a_list_of_any_form_is_read() {
        noise::each(noise::bytes(&[OURS, "1: POSIX  ADVISORY  WRITE 7 00:2a:11 0 EOF\n", "1: -> FLOCK"]), |bytes| {
            let _ = is_in(|| read(&bytes[..]), 12);
        });
    }
}
