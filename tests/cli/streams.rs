//! Standard streams as an event loop of a parent makes them: non-blocking, with a reader that pauses and a writer that
//! takes its time.

use std::fs::File;
use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Read, Write, pipe};
use std::os::fd::{AsFd, OwnedFd};
use std::process::{Child, Stdio};

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use serde_json::Value;

use crate::clients::codex::world::World;
use crate::support::process::{Signal, signal, until};
use crate::support::{Sandbox, finish};

fn is_ready(stream: impl AsFd, event: PollFlags) -> bool {
    poll(&mut [PollFd::new(stream.as_fd(), event)], PollTimeout::ZERO).unwrap() > 0
}

fn is_nonblocking(stream: impl AsFd) -> bool {
    OFlag::from_bits_retain(fcntl(stream, FcntlArg::F_GETFL).unwrap()).contains(OFlag::O_NONBLOCK)
}

/// A pipe of the smallest size, with one end non-blocking or none.
fn small_pipe(set: impl Fn(&PipeReader, &PipeWriter)) -> (PipeReader, PipeWriter) {
    let (reader, writer) = pipe().unwrap();
    fcntl(&writer, FcntlArg::F_SETPIPE_SZ(4096)).unwrap();
    set(&reader, &writer);
    (reader, writer)
}

fn set_nonblocking(stream: impl AsFd) {
    fcntl(stream, FcntlArg::F_SETFL(OFlag::O_NONBLOCK)).unwrap();
}

/// A pipe whose reader pauses until it is full, and whose writer is non-blocking.
struct Slow {
    reader: PipeReader,
    writer: PipeWriter,
}

impl Slow {
    fn new() -> Slow {
        let (reader, writer) = small_pipe(|_, writer| set_nonblocking(writer));
        Slow { reader, writer }
    }

    /// The end for a command.
    fn end(&self) -> Stdio {
        OwnedFd::from(self.writer.try_clone().unwrap()).into()
    }

    /// Waits until it is full, and gives what can be read from then on. The flags are as they were set.
    #[track_caller]
    fn full(self) -> PipeReader {
        until("a full pipe", || !is_ready(&self.writer, PollFlags::POLLOUT));
        assert!(is_nonblocking(&self.writer));
        self.reader
    }
}

fn text(mut reader: impl Read) -> String {
    let mut text = String::new();
    reader.read_to_string(&mut text).unwrap();
    text
}

#[test]
fn a_long_answer_comes_whole_to_a_reader_that_pauses() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    for _ in 0..5 {
        sandbox.send("a", "b", &"x".repeat(30_000));
    }
    let words = ["--as", "b", "inbox", "--max-bytes", "1000000"];
    let expected = sandbox.htalk(&words);
    assert!(expected.out.len() > 150_000);
    let slow = Slow::new();
    let listing = sandbox.htalk_command(&words).stdout(slow.end()).stderr(Stdio::piped()).spawn().unwrap();
    assert_eq!(text(slow.full()), expected.out);
    let ran = finish(listing);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));

    // Help is longer than this pipe too.
    let slow = Slow::new();
    let helping = sandbox.htalk_command(&["--help"]).stdout(slow.end()).spawn().unwrap();
    if sandbox.htalk(&["--help"]).out.len() > 4096 {
        assert_eq!(text(slow.full()), sandbox.htalk(&["--help"]).out);
    }
    drop(finish(helping));
}

#[test]
fn standard_error_is_waited_for_as_well() {
    let sandbox = Sandbox::with_peers(&["a"]);
    let expected = sandbox.htalk(&["--as", "a", "frobnicate"]);
    assert_eq!((expected.code, expected.out.as_str()), (2, ""));
    let mut slow = Slow::new();
    // The usual text alone does not fill it.
    let filler = "f".repeat(4096 - expected.err.len() / 2);
    slow.writer.write_all(filler.as_bytes()).unwrap();
    let refused = sandbox.htalk_command(&["--as", "a", "frobnicate"]).stderr(slow.end()).spawn().unwrap();
    let mut reader = slow.reader;
    drop(slow.writer);
    // Either it waits already, or it finds room when it comes.
    let mut beginning = vec![0; filler.len()];
    reader.read_exact(&mut beginning).unwrap();
    assert_eq!(text(reader), expected.err);
    assert_eq!(finish(refused).code, 2);
}

#[test]
fn a_watch_goes_on_when_its_reader_pauses() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let sent: Vec<String> = (0..20).map(|_| sandbox.send("a", "b", "x")).collect();
    let slow = Slow::new();
    let watching = sandbox.htalk_command(&["--as", "b", "watch"]).stdout(slow.end()).spawn().unwrap();
    let mut lines = BufReader::new(slow.full()).lines().map(Result::unwrap);
    assert!(lines.next().unwrap().contains("ready"));
    for id in &sent {
        assert!(lines.next().unwrap().contains(id));
    }
    let last = sandbox.send("a", "b", "y");
    assert!(lines.next().unwrap().contains(&last));
    signal(&watching, Signal::SIGTERM);
    assert_eq!(lines.next(), None);
    assert_eq!(finish(watching).code, 143);
}

#[test]
fn a_reader_that_never_reads_keeps_no_interrupted_command() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let sent: Vec<String> = (0..20).map(|_| sandbox.send("a", "b", "x")).collect();
    for is_blocking in [true, false] {
        for words in [&["--as", "b", "watch"][..], &["--as", "b", "inbox"]] {
            let (reader, writer) = small_pipe(|_, writer| {
                if !is_blocking {
                    set_nonblocking(writer);
                }
            });
            let stdout = OwnedFd::from(writer.try_clone().unwrap());
            let child = sandbox.htalk_command(words).stdout(stdout).spawn().unwrap();
            until("a full pipe", || !is_ready(&writer, PollFlags::POLLOUT));
            signal(&child, Signal::SIGTERM);
            assert_eq!(finish(child).code, 143, "{words:?}");
            drop(writer);
            let printed = text(reader);
            if words.contains(&"watch") {
                // No line is cut. The first one fills the pipe, so the signal may come before any other.
                let lines: Vec<Value> = printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
                assert!(printed.ends_with('\n') && lines[0]["event"] == "ready", "{printed}");
                assert!(lines[1..].iter().zip(&sent).all(|(line, id)| line["id"] == id.as_str()), "{printed}");
            }
        }
    }
}

#[test]
fn what_is_being_printed_is_printed_whole_before_an_interrupt() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    sandbox.send("a", "b", &"x".repeat(30_000));
    let expected = sandbox.htalk(&["--as", "b", "inbox", "--max-bytes", "1000000"]).out;
    let slow = Slow::new();
    let mut command = sandbox.htalk_command(&["--as", "b", "inbox", "--max-bytes", "1000000"]);
    let child = command.stdout(slow.end()).spawn().unwrap();
    drop(command);
    let reader = slow.full();
    signal(&child, Signal::SIGINT);
    let printed = text(reader);
    let ran = finish(child);
    // On a machine that is slower than the patience of an interrupt the rest is missing; then it says so.
    assert!((ran.code == 0 && printed == expected) || ran.code == 130, "{} {}", ran.code, printed.len());
}

/// Gives a command its input in pieces, each after it has taken the one before and waits for more.
fn feed(child: Child, reader: PipeReader, mut writer: PipeWriter, pieces: &[&str]) -> crate::support::Ran {
    for piece in pieces {
        writer.write_all(piece.as_bytes()).unwrap();
        until("what was written is read", || !is_ready(&reader, PollFlags::POLLIN));
    }
    assert!(is_nonblocking(&reader), "the flags are the parent's");
    drop((reader, writer));
    finish(child)
}

#[test]
fn standard_input_that_comes_late_is_waited_for() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let pieces = ["one ", "two ", "three ", "four ", "five"];
    let request = sandbox.send("a", "b", "x");
    for words in [
        &["--as", "a", "send", "b", "--message-file", "-"][..],
        &["--as", "b", "reply", &request, "--message-file", "-"],
    ] {
        let (reader, writer) = small_pipe(|reader, _| set_nonblocking(reader));
        let mut command = sandbox.htalk_command(words);
        command.stdin(OwnedFd::from(reader.try_clone().unwrap())).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        drop(command);
        // It is read before anything is there: what is known is that it has opened the mailbox, the last thing before.
        let open = || std::fs::read_dir(format!("/proc/{}/fd", child.id())).unwrap();
        until("the open mailbox", || {
            open().filter_map(|file| std::fs::read_link(file.ok()?.path()).ok()).any(|file| file == sandbox.mailbox())
        });
        assert_eq!(feed(child, reader, writer, &pieces).done()["body"], pieces.concat());
    }
    // A socket, as some parents use for their pipes.
    let (mine, its) = std::os::unix::net::UnixStream::pair().unwrap();
    its.set_nonblocking(true).unwrap();
    let mut command = sandbox.htalk_command(&["--as", "a", "send", "b", "--message-file", "-"]);
    command.stdin(OwnedFd::from(its.try_clone().unwrap())).stdout(OwnedFd::from(its.try_clone().unwrap()));
    let child = command.spawn().unwrap();
    drop(command);
    let mut mine = File::from(OwnedFd::from(mine));
    for piece in pieces {
        mine.write_all(piece.as_bytes()).unwrap();
        until("what was written is read", || !is_ready(&its, PollFlags::POLLIN));
    }
    drop(its);
    nix::sys::socket::shutdown(std::os::fd::AsRawFd::as_raw_fd(&mine), nix::sys::socket::Shutdown::Write).unwrap();
    let answer: serde_json::Value = serde_json::from_str(&text(mine)).unwrap();
    assert_eq!(answer["body"], pieces.concat());
    assert_eq!(finish(child).code, 0);
}

#[test]
fn the_message_of_a_handoff_may_come_late_too() {
    let world = World::with_queue();
    world.done(&["handoff", "init"]);
    let (reader, writer) = small_pipe(|reader, _| set_nonblocking(reader));
    let mut command = world.command(&["--as", "a", "handoff", "prepare", "--to", "b", "--message-file", "-"]);
    command.stdin(OwnedFd::from(reader.try_clone().unwrap())).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    drop(command);
    let prepared = feed(child, reader, writer, &["one ", "two ", "three ", "four"]).done();
    assert_eq!(prepared["handoff"]["state"], "validated", "{prepared}");
}
