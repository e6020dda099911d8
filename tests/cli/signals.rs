//! Signals besides the usual interrupts: what is ignored stays ignored, who is stopped is in nobody's way, and whatever
//! asks for the end gets an answer.

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::kill;
use nix::unistd::Pid;
use serde_json::json;

use crate::clients::codex::fake::{Act, but, receipt};
use crate::clients::codex::world::World;
use crate::support::process::{Signal, awaited, signal, state, until};
use crate::support::shell::Shell;
use crate::support::{Sandbox, finish};

fn registrations(sandbox: &Sandbox) -> (String, usize) {
    let files = std::fs::read_dir(sandbox.root()).unwrap().map(|file| file.unwrap().file_name());
    let bells = files.filter(|name| name.to_string_lossy().contains("-wait-")).count();
    (sandbox.sqlite(".timeout 10000\nSELECT count(*) FROM waits;").text().to_owned(), bells)
}

fn stop(child: &Child) {
    signal(child, Signal::SIGSTOP);
    until("a stopped process", || state(child.id()) == Some('T'));
}

#[test]
fn what_was_ignored_from_the_start_stays_ignored() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let name = |signal: Signal| signal.as_str().trim_start_matches("SIG").to_owned();
    for ignored in [Signal::SIGINT, Signal::SIGHUP, Signal::SIGTERM, Signal::SIGUSR1] {
        let script = format!("trap '' {}; exec \"$0\" --as b watch", name(ignored));
        let mut command = sandbox.command("sh");
        command.args(["-c", &script, env!("CARGO_BIN_EXE_htalk")]).env("HTALK_DB", sandbox.mailbox());
        let mut watching = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(watching.stdout.take().unwrap()).lines().map(Result::unwrap);
        assert!(lines.next().unwrap().contains("ready"));
        signal(&watching, ignored);
        let id = sandbox.send("a", "b", "x");
        until("the message", || lines.next().expect("it goes on").contains(&id));
        let end = if ignored == Signal::SIGTERM { Signal::SIGINT } else { Signal::SIGTERM };
        signal(&watching, end);
        assert_eq!(finish(watching).code, 128 + end as i32);
    }
}

#[test]
fn whatever_asks_for_the_end_is_answered() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let request = sandbox.send("a", "b", "x");
    for with in [Signal::SIGALRM, Signal::SIGUSR1, Signal::SIGUSR2, Signal::SIGVTALRM, Signal::SIGPROF] {
        let waiting = sandbox.start(&["--as", "a", "wait", &request]);
        until("the registration", || registrations(&sandbox) == ("1".to_owned(), 1));
        signal(&waiting, with);
        let object = finish(waiting).ended(128 + with as i32);
        assert_eq!((&object["state"], &object["message_id"]), (&json!("interrupted"), &json!(request)));
        assert_eq!(object["persistence"], "saved");
        assert_eq!(registrations(&sandbox), ("0".to_owned(), 0));
    }
}

#[test]
fn a_wait_for_a_saved_request_says_so_even_before_it_is_registered() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let request = sandbox.send("a", "b", "x");
    let unknown = uuid::Uuid::new_v4().to_string();
    let _lock = Shell::lock(&sandbox);
    for (id, persistence) in [(request.as_str(), "saved"), (&request[..8], "saved"), (&unknown, "unknown")] {
        let waiting = sandbox.start(&["--as", "a", "wait", id]);
        let queue = sandbox.root().join("mail.sqlite3-queue");
        // In the queue: it has looked.
        until("the queue", || {
            let files = std::fs::read_dir(format!("/proc/{}/fd", waiting.id())).unwrap();
            files.filter_map(|file| std::fs::read_link(file.ok()?.path()).ok()).any(|file| file == queue)
        });
        signal(&waiting, Signal::SIGINT);
        assert_eq!(finish(waiting).ended(130)["persistence"], persistence);
    }
}

#[test]
fn who_is_stopped_goes_on_where_it_was() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let request = sandbox.send("a", "b", "x");
    // In a group of its own, as a shell with job control starts it: in a group without such a parent nobody is stopped.
    let mut command = sandbox.htalk_command(&["--as", "a", "wait", &request]);
    let waiting = command.process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    until("the registration", || registrations(&sandbox) == ("1".to_owned(), 1));
    for (with, seen) in [(Signal::SIGTSTP, 'T'), (Signal::SIGCONT, 'S'), (Signal::SIGTSTP, 'T')] {
        signal(&waiting, with);
        until("its state", || state(waiting.id()) == Some(seen));
    }
    let answer = sandbox.reply("b", &request, "y");
    signal(&waiting, Signal::SIGCONT);
    assert_eq!(finish(waiting).done()["reply"]["id"], answer);
    assert_eq!(registrations(&sandbox), ("0".to_owned(), 0));

    // A signal that comes meanwhile is answered when it goes on.
    let second = sandbox.send("a", "b", "z");
    let waiting = sandbox.start(&["--as", "a", "wait", &second]);
    until("the registration", || registrations(&sandbox) == ("1".to_owned(), 1));
    stop(&waiting);
    signal(&waiting, Signal::SIGHUP);
    signal(&waiting, Signal::SIGCONT);
    assert_eq!(finish(waiting).ended(129)["message_id"], second.as_str());
}

#[test]
fn who_is_stopped_in_the_middle_of_a_notice_goes_on_with_it() {
    let world = World::with_peer(&[]);
    let pid = Arc::new(AtomicU32::new(0));
    let sending = Arc::clone(&pid);
    // The server answers once its client has waited for that, was stopped and goes on.
    let _server = world.serve(but("thread/queue/add", move |_, request| {
        let has_state = |wanted| until("its state", || state(sending.load(Ordering::SeqCst)) == Some(wanted));
        let signal = |with| kill(Pid::from_raw(sending.load(Ordering::SeqCst) as i32), with).unwrap();
        has_state('S');
        signal(Signal::SIGSTOP);
        has_state('T');
        signal(Signal::SIGCONT);
        has_state('S');
        vec![Act::Result(receipt(&request["params"]))]
    }));
    let mut command = world.command(&["--as", "a", "send", "b", "--message", "x"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    pid.store(child.id(), Ordering::SeqCst);
    assert_eq!(finish(child).done()["submission"], "submitted");
}

/// How long sixteen writers take who come at once. Nobody of them fails.
fn sixteen(sandbox: &Sandbox) -> Duration {
    let begun = Instant::now();
    thread::scope(|scope| {
        let writers: Vec<_> = (0..16)
            .map(|_| {
                scope.spawn(|| {
                    for _ in 0..2 {
                        sandbox.htalk(&["--as", "a", "send", "b", "--message", "x"]).done();
                    }
                })
            })
            .collect();
        writers.into_iter().for_each(|writer| writer.join().unwrap());
    });
    begun.elapsed()
}

#[test]
fn a_stopped_process_in_the_queue_is_in_nobodys_way() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let free = sixteen(&sandbox);
    let mut lock = Shell::lock(&sandbox);
    let stopped = sandbox.start(&["--as", "a", "send", "b", "--message", "from the queue"]);
    let queue = sandbox.root().join("mail.sqlite3-queue");
    // Whoever has the lock of the file is the head.
    until("the head of the queue", || {
        let file = std::fs::File::open(&queue);
        file.is_ok_and(|file| nix::fcntl::Flock::lock(file, nix::fcntl::FlockArg::LockExclusiveNonblock).is_err())
    });
    stop(&stopped);
    // These find the lock taken, and line up behind it.
    let mut behind = Vec::new();
    for _ in 0..8 {
        behind.push(sandbox.start(&["--as", "a", "send", "b", "--message", "behind"]));
    }
    for child in &behind {
        until("its place in the queue", || {
            let files = std::fs::read_dir(format!("/proc/{}/fd", child.id())).unwrap();
            files.filter_map(|file| std::fs::read_link(file.ok()?.path()).ok()).any(|file| file == queue)
        });
    }
    lock.tell("ROLLBACK;");
    let released = Instant::now();
    for child in behind {
        finish(child).done();
    }
    // A ceiling, for a machine may be slow; who waits for the stopped one gives up only after ten seconds.
    let ceiling = (free * 10).min(Duration::from_secs(8));
    assert!(released.elapsed() < ceiling, "{:?} where {free:?} are enough", released.elapsed());
    let with_stopped = sixteen(&sandbox);
    assert!(with_stopped < ceiling, "{with_stopped:?} where {free:?} are enough");
    signal(&stopped, Signal::SIGCONT);
    // It may go on, or find that its time is over.
    let late = finish(stopped);
    assert!(late.code == 0 || late.json()["error"] == "database_busy", "{late:?}");
    let total = 32 + 8 + 32 + i64::from(late.code == 0);
    assert_eq!(sandbox.htalk(&["--as", "b", "inbox"]).done()["total"], total);
    sandbox.assert_sound();
}

#[test]
fn a_command_of_a_client_gets_its_signals_unheld() {
    let world = World::with_queue();
    world.codex("grep -E '^Sig(Blk|Ign)' /proc/self/status > \"$HOME/mask\"; echo $$ > \"$HOME/pid\"");
    world.send();
    awaited(&world.at("home/pid"));
    let mask = std::fs::read_to_string(world.at("home/mask")).unwrap();
    let blocked = mask.lines().find_map(|line| line.strip_prefix("SigBlk:")).unwrap().trim();
    assert_eq!(u64::from_str_radix(blocked, 16), Ok(0), "{mask}");
}
