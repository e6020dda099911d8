//! Many calls in one process: each with an actor, a mailbox and a way to be cancelled of its own.
//!
//! The calls are counted in a process of their own: this test binary again, with just one test.

use std::cell::Cell;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use htalk::answer::{Answer, Status};
use htalk::call::{Call, Front, Handle, Progress, ReaderGone, Shared};
use htalk::cli;
use htalk::environment::Environment;
use htalk::front::json;
use serde_json::{Map, Value};

use crate::clients::opencode::fake::{Fake, Server, session};
use crate::support::process::{CEILING, until};
use crate::support::{Sandbox, finish};

/// How many calls each thread makes.
const ROUNDS: usize = 125;

/// How many threads make calls at a time.
const THREADS: usize = 8;

/// A front that keeps the lines of its call.
#[derive(Default)]
struct Listening {
    lines: Mutex<Vec<Value>>,
}

impl Front for Listening {
    fn show(&self, call: &Progress, object: &Map<String, Value>) -> String {
        json::object(call, object)
    }

    fn line(&self, line: &Value) -> Result<(), ReaderGone> {
        self.lines.lock().unwrap().push(line.clone());
        Ok(())
    }

    fn text(&self, _: &str) -> Result<(), ReaderGone> {
        Ok(())
    }

    fn sleep(&self, limit: Duration) -> Result<(), ReaderGone> {
        thread::sleep(limit.min(Duration::from_millis(10)));
        Ok(())
    }

    fn input(&self) -> io::Result<OwnedFd> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// A mailbox and the one who calls.
#[derive(Clone)]
struct Caller {
    mailbox: PathBuf,
    actor: String,
    shared: Shared,
}

/// How a call ended, and its answer as a shell would see it.
struct Told {
    answer: Answer,
    text: String,
}

impl Caller {
    fn call(&self, words: &[&str]) -> Told {
        self.call_with(&Handle::default(), &Arc::default(), words)
    }

    fn call_with(&self, handle: &Handle, front: &Arc<Listening>, words: &[&str]) -> Told {
        let line = ["htalk", "--db", self.mailbox.to_str().unwrap(), "--as", &self.actor];
        let Ok(cli::Asked::Verb(request)) = cli::parse(line.iter().chain(words).map(Into::into)) else { panic!() };
        let environment = Environment::given([("HOME", "/nonexistent")]);
        let call = Call::new(handle.clone(), request.wanted, environment, front.clone(), &self.shared);
        let answer = call.run(request.refused, request.verb);
        let text = json::object(&handle.progress(), answer.object.as_ref().unwrap_or(&Map::new()));
        Told { answer, text }
    }

    /// Makes a call that must end well; its answer must name this caller and this mailbox and no other.
    fn done(&self, words: &[&str]) -> Value {
        let told = self.call(words);
        assert_eq!(told.answer.status, Status::Done, "{words:?}: {}", told.text);
        self.assert_own(&told.text);
        told.answer.object.unwrap().into()
    }

    fn assert_own(&self, text: &str) {
        let mut commands = 0;
        for command in text.split("\"htalk --db ").skip(1) {
            let named: Vec<&str> = command.split(' ').take(3).collect();
            assert_eq!(named, [self.mailbox.to_str().unwrap(), "--as", &self.actor], "{text}");
            commands += 1;
        }
        assert!(commands > 0 || text.contains("\"messages\":[]"), "no command in {text}");
    }
}

fn id(object: &Value) -> &str {
    object["id"].as_str().unwrap()
}

/// One thread's calls: it asks the next peer, answers its own mail, waits, and cancels some of its waits.
fn make_calls(caller: &Caller, next: &str, cancelled: &AtomicUsize) -> usize {
    let calls = Cell::new(0);
    let count = |told: Value| {
        calls.set(calls.get() + 1);
        told
    };
    for round in 0.. {
        let to_client = round % 8 == 3;
        let recipient = if to_client { "oc" } else { next };
        let body = format!("{} asks in round {round}", caller.actor);
        let asked = count(caller.done(&["send", recipient, "--message", &body]));
        assert_eq!((asked["sender"].as_str(), asked["body"].as_str()), (Some(&*caller.actor), Some(&*body)));
        let submission = if to_client { "submitted" } else { "not_submitted" };
        assert_eq!(asked["submission"], submission, "{asked}");
        if round % 5 == 1 {
            count(cancel_a_wait(caller, id(&asked), cancelled));
        } else {
            let waited = count(caller.done(&["wait", id(&asked), "--seconds", "0.02"]));
            assert!(waited["reply"].is_object() || waited["wait_ended"] == "timeout", "{waited}");
        }
        let inbox = count(caller.done(&["inbox", "--limit", "2"]));
        for message in inbox["messages"].as_array().unwrap() {
            assert_eq!(message["recipient"], *caller.actor);
            let read = count(caller.done(&["ack", id(message)]));
            assert!(read["ack_at"].is_f64());
            if message["in_reply_to"].is_null() && message["sender"] != "shell" {
                let answered = count(caller.done(&["reply", id(message), "--message", "Yes."]));
                assert_eq!(answered["in_reply_to"], message["id"]);
            }
        }
        if calls.get() >= ROUNDS {
            break;
        }
    }
    calls.get()
}

/// Waits for long in a thread of its own, and cancels that as soon as it is registered.
fn cancel_a_wait(caller: &Caller, id: &str, cancelled: &AtomicUsize) -> Value {
    let (handle, begin) = (Handle::default(), Instant::now());
    let told = thread::scope(|threads| {
        let waiting = threads.spawn(|| caller.call_with(&handle, &Arc::default(), &["wait", id, "--seconds", "45"]));
        let is_hung_up = || {
            let entries = caller.mailbox.parent().unwrap().read_dir().unwrap();
            entries.flatten().any(|entry| entry.file_name().to_string_lossy().contains("-wait-"))
        };
        until("the wait", || waiting.is_finished() || is_hung_up());
        handle.cancel();
        waiting.join().unwrap()
    });
    assert!(begin.elapsed() < Duration::from_secs(40), "a cancelled wait goes on");
    // Where the answer was there at once, there was nothing to cancel.
    let object: Value = told.answer.object.unwrap().into();
    if told.answer.status == Status::Interrupted {
        cancelled.fetch_add(1, Ordering::Relaxed);
        assert_eq!((&object["state"], object["message_id"].as_str()), (&"interrupted".into(), Some(id)));
        caller.assert_own(&told.text);
    }
    object
}

/// What this process has open and running.
fn belongings() -> (usize, usize) {
    let entries = |place: &str| Path::new(place).read_dir().unwrap().count();
    (entries("/proc/self/fd"), entries("/proc/self/task"))
}

#[test]
#[ignore = "run in a process of its own by the test below"]
fn calls_in_this_process() {
    let sandboxes = [Sandbox::new(), Sandbox::new()];
    let workspace = sandboxes[0].root().to_str().unwrap().to_owned();
    let mut writers = Vec::new();
    let mut callers = Vec::new();
    let mut fakes = Vec::new();
    let shared = Shared::keeping(4);
    for (place, sandbox) in sandboxes.iter().enumerate() {
        let session_id = format!("ses_{place}");
        let server = Server::with(vec![session(&session_id, &workspace)]);
        let fake = Fake::new(move |request| server.answer(request));
        let names: Vec<String> = (0..THREADS).filter(|n| n % 2 == place).map(|n| format!("p{n}")).collect();
        for name in names.iter().map(String::as_str).chain(["shell"]) {
            sandbox.htalk(&["peer", "add", name, "--harness", "test", "--delivery", "pull"]).done();
        }
        let words = ["--harness", "opencode", "--session", &session_id, "--workspace", &workspace, "--url", fake.url()];
        sandbox.htalk(&[&["peer", "add", "oc"], &words[..]].concat()).done();
        fakes.push(fake);
        for (at, name) in names.iter().enumerate() {
            let caller = Caller { mailbox: sandbox.mailbox(), actor: name.clone(), shared: shared.clone() };
            callers.push((caller, names[(at + 1) % names.len()].clone()));
        }
        // Another program writes all the while, by the plain shell.
        let insert =
            format!("INSERT INTO messages (sender, recipient, body) VALUES ('shell', '{}', 'hello');", names[0]);
        let script = format!(
            "while [ -e mail.sqlite3 ] && ! [ -e stop ]; do echo \"{insert}\"; sleep 0.01; done |
             sqlite3 -cmd '.timeout 20000' \"$0\""
        );
        let mut command = sandbox.command("sh");
        let writer = command.args(["-c", &script]).arg(sandbox.mailbox()).stdout(Stdio::piped()).stderr(Stdio::piped());
        writers.push((sandbox, writer.spawn().unwrap()));
    }
    let before = belongings();
    let cancelled = AtomicUsize::new(0);
    let calls: usize = thread::scope(|threads| {
        let started: Vec<_> =
            callers.iter().map(|(caller, next)| threads.spawn(|| make_calls(caller, next, &cancelled))).collect();
        started.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert!(calls >= 1000, "{calls} calls");
    assert!(cancelled.into_inner() > 0, "no wait was cancelled");
    drop((callers, shared));
    // The servers' own threads end when their connections do.
    until("the end of what the calls began", || belongings() <= before);
    for (sandbox, writer) in writers {
        std::fs::write(sandbox.root().join("stop"), "").unwrap();
        finish(writer).text();
        assert_eq!(sandbox.sqlite("PRAGMA integrity_check;").text(), "ok");
        assert_eq!(sandbox.sqlite("SELECT count(*) FROM waits;").text(), "0");
        let inserted = sandbox.sqlite("SELECT count(*) FROM messages WHERE sender = 'shell';");
        assert!(inserted.text().parse::<usize>().unwrap() > 0, "the shell wrote nothing");
    }
    for (fake, sandbox) in fakes.iter().zip(&sandboxes) {
        let prompts = fake.prompts();
        assert!(!prompts.is_empty());
        for prompt in prompts {
            let text = String::from_utf8(prompt.body).unwrap();
            assert!(text.contains(&format!("htalk --db {} --as oc show ", sandbox.mailbox().display())), "{text}");
        }
    }
}

#[test]
fn a_thousand_calls_in_one_process() {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "calls::calls_in_this_process", "--ignored", "--nocapture", "--test-threads=1"]);
    let ran = finish(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap());
    assert!(ran.code == 0 && ran.out.contains("1 passed"), "{ran:?}");
}

/// A watch in a thread, with the lines that it gives; it ends when this is dropped.
struct Watching {
    handle: Handle,
    front: Arc<Listening>,
    ended: Receiver<Status>,
}

impl Watching {
    fn start(caller: &Caller) -> Watching {
        let (handle, front): (Handle, Arc<Listening>) = Default::default();
        let (sender, ended): (Sender<Status>, _) = channel();
        let (caller, its_handle, its_front) = (caller.clone(), handle.clone(), front.clone());
        thread::spawn(move || sender.send(caller.call_with(&its_handle, &its_front, &["watch"]).answer.status));
        let watching = Watching { handle, front, ended };
        until("the first line", || !watching.front.lines.lock().unwrap().is_empty());
        watching
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.handle.cancel();
        assert_eq!(self.ended.recv_timeout(CEILING), Ok(Status::Interrupted));
    }
}

/// SQLite changes the journal only while nobody else has the file open, which it sees by a lock. A close of the file
/// by the process that holds this lock would drop it, and the write-ahead log would vanish under its reader.
#[test]
fn a_call_drops_no_lock_of_another_call() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    sandbox.htalk(&["--as", "b", "send", "a", "--message", "hello"]).done();
    let caller = Caller { mailbox: sandbox.mailbox(), actor: "a".into(), shared: Shared::default() };
    let watching = Watching::start(&caller);
    // Another connection, opened and closed meanwhile.
    caller.done(&["inbox"]);
    caller.done(&["send", "b", "--message", "hello"]);
    let changed = sandbox.sqlite("PRAGMA journal_mode = delete;");
    assert!(changed.err.contains("locked"), "{changed:?}");
    drop(watching);
    assert_eq!(sandbox.sqlite("PRAGMA journal_mode = delete;").text(), "delete");
}

#[test]
fn a_cancelled_call_leaves_the_others_alone() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let caller = |name: &str| Caller { mailbox: sandbox.mailbox(), actor: name.into(), shared: Shared::default() };
    let (one, other) = (Watching::start(&caller("a")), Watching::start(&caller("b")));
    drop(one);
    sandbox.htalk(&["--as", "a", "send", "b", "--message", "hello"]).done();
    until("the message", || other.front.lines.lock().unwrap().len() == 2);
    assert_eq!(other.front.lines.lock().unwrap()[1]["sender"], "a");
}
