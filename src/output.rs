//! The only place that prints: one object on one line, written in one go.

use std::io::{self, Write};
use std::os::fd::AsFd;
use std::sync::Mutex;
use std::time::Duration;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use serde_json::Value;
use serde_json::ser::{CompactFormatter, Formatter, Serializer};

/// Whether this run's one object is out. Held while it is written, so that an interrupt neither cuts nor follows it.
static PRINTED: Mutex<bool> = Mutex::new(false);

/// The text of a JSON value as it is printed, without a line end.
pub fn text(value: &Value) -> String {
    let mut bytes = Vec::with_capacity(512);
    let mut serializer = Serializer::with_formatter(&mut bytes, Inert);
    // Values of this program always serialize: their keys are strings.
    let _ = serde::Serialize::serialize(value, &mut serializer);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Prints the one object of this run. False if an interrupt was faster.
pub fn object(value: &Value) -> bool {
    let mut printed = PRINTED.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if *printed {
        return false;
    }
    *printed = true;
    // A reader that has gone needs no answer any more.
    let _ = line(value);
    true
}

/// Prints one of several lines; an error when nobody reads them any more.
pub fn line(value: &Value) -> io::Result<()> {
    plain(&(text(value) + "\n"))
}

/// Prints text as it is. A reader that has gone is an error for the caller; where the text can't be written for another
/// reason, a full disk say, somebody expects it: that ends the process as a failure.
pub fn plain(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    if let Err(error) = written.as_ref()
        && error.kind() != io::ErrorKind::BrokenPipe
    {
        let _ = writeln!(io::stderr(), "htalk: error: can not write the result: {error}");
        std::process::exit(2);
    }
    written
}

/// Prints text about wrong usage as it is, on standard error.
pub fn usage(text: &str) -> io::Result<()> {
    io::stderr().lock().write_all(text.as_bytes())
}

/// Sleeps for so long (at most a minute); false as soon as nobody reads this program's output any more.
pub fn stays_read(limit: Duration) -> bool {
    let stdout = io::stdout();
    let mut polled = [PollFd::new(stdout.as_fd(), PollFlags::empty())];
    let milliseconds = limit.as_millis().min(60_000) as u16;
    !matches!(poll(&mut polled, PollTimeout::from(milliseconds)), Ok(1..))
}

/// Holds back all printing for the rest of the process: an interrupted run that has nothing to say must not be followed
/// by a result. False if the result is out already.
pub fn silence() -> bool {
    let mut printed = PRINTED.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    !std::mem::replace(&mut *printed, true)
}

/// Compact JSON whose strings can't steer a terminal: C0 is escaped anyway, DEL, C1 and bidirectional overrides here.
struct Inert;

impl Formatter for Inert {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        let mut rest = fragment;
        while let Some((at, steering)) = rest.char_indices().find(|(_, character)| steers(*character)) {
            writer.write_all(&rest.as_bytes()[..at])?;
            write!(writer, "\\u{:04x}", u32::from(steering))?;
            rest = &rest[at + steering.len_utf8()..];
        }
        CompactFormatter.write_string_fragment(writer, rest)
    }
}

fn steers(character: char) -> bool {
    matches!(character, '\u{7f}'..='\u{9f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
