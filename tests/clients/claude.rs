//! Claude Code, replayed: its session records, its messaging socket and its reports, as 2.1.332 was seen to make them,
//! and the ways in which each of them can be slow, broken or false.

use std::fs;
use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::process::write_program;
use crate::support::{Ran, Sandbox, run};

/// A process that stands for the client's: only its pid, its start time and its state matter.
struct Process(Child);

impl Process {
    fn start() -> Process {
        Process(Command::new("sleep").arg("600").stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap())
    }

    /// One that has the name of the client's program.
    fn client(scene: &Scene) -> Process {
        let program = scene.sandbox.root().join("claude");
        if !program.exists() {
            write_program(&program, "#!/bin/sh\nread line\n");
        }
        let process = Process(Command::new(program).stdin(Stdio::piped()).spawn().unwrap());
        let name = PathBuf::from(format!("/proc/{}/comm", process.pid()));
        while fs::read_to_string(&name).unwrap() != "claude\n" {
            thread::sleep(Duration::from_millis(1));
        }
        process
    }

    fn pid(&self) -> u32 {
        self.0.id()
    }

    fn signal(&self, name: &str) {
        assert!(Command::new("kill").args([name, &self.pid().to_string()]).status().unwrap().success());
        thread::sleep(Duration::from_millis(50));
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Field 22 of `/proc/PID/stat`.
fn start_time(pid: u32) -> String {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    stat.rsplit_once(')').unwrap().1.split_whitespace().nth(19).unwrap().to_owned()
}

/// One configuration directory with its sessions, a mailbox, the peer `a` that asks and the peer `b` that is a session.
struct Scene {
    sandbox: Sandbox,
    config: PathBuf,
    sockets: PathBuf,
    workspace: PathBuf,
}

const SESSION: &str = "7f9619ff-8b86-4d01-b42d-00cf4fc964ff";
const OTHER: &str = "0e8d1b46-9f3a-4a5e-8a40-5f1d3c7b2a11";

impl Scene {
    fn new() -> Scene {
        let sandbox = Sandbox::with_peers(&["a"]);
        let [config, sockets, workspace] = ["config", "tmp/cc-socks", "work"].map(|name| sandbox.root().join(name));
        for directory in [&config.join("sessions"), &sockets, &workspace] {
            fs::create_dir_all(directory).unwrap();
        }
        fs::set_permissions(&sockets, fs::Permissions::from_mode(0o700)).unwrap();
        let scene = Scene { sandbox, config, sockets, workspace };
        scene.add("b", SESSION);
        scene
    }

    fn add(&self, name: &str, session: &str) {
        let (home, workspace) = (self.config.to_str().unwrap(), self.workspace.to_str().unwrap());
        let words = ["--harness", "claude", "--session", session, "--workspace", workspace, "--home", home];
        self.sandbox.htalk(&[&["peer", "add", name], &words[..]].concat()).done();
    }

    fn record_path(&self, pid: u32) -> PathBuf {
        self.config.join(format!("sessions/{pid}.json"))
    }

    /// The record of a session as 2.1.332 writes it, with changes.
    fn record(&self, pid: u32, changes: Value) {
        let mut record = json!({
            "pid": pid, "sessionId": SESSION, "cwd": self.workspace, "startedAt": 1_795_979_340_798_u64,
            "procStart": start_time(pid), "version": "2.1.332", "peerProtocol": 1, "kind": "interactive",
            "entrypoint": "cli", "messagingSocketPath": self.socket_path(pid), "name": "work-57",
            "status": "idle", "updatedAt": 1_795_979_345_248_u64, "statusUpdatedAt": 1_795_979_345_248_u64,
        });
        for (key, value) in changes.as_object().unwrap() {
            record[key] = value.clone();
        }
        record.as_object_mut().unwrap().retain(|_, value| !value.is_null());
        fs::write(self.record_path(pid), record.to_string()).unwrap();
    }

    fn socket_path(&self, pid: u32) -> PathBuf {
        self.sockets.join(format!("{pid}.sock"))
    }

    /// A running session that treats each frame like this.
    fn session(&self, act: impl Fn(&Frame) + Send + 'static) -> Session {
        self.session_of(Process::start(), act)
    }

    fn session_of(&self, process: Process, act: impl Fn(&Frame) + Send + 'static) -> Session {
        self.record(process.pid(), json!({}));
        let frames = serve(&self.socket_path(process.pid()), act);
        Session { process, frames }
    }

    fn send(&self) -> Ran {
        self.sandbox.htalk(&["--as", "a", "send", "b", "--message", "a body that no notice carries"])
    }

    /// Sends, and checks how the notice ended.
    #[track_caller]
    fn outcome(&self, submission: &str, detail: &str) -> Value {
        let ran = self.send();
        let told = ran.json();
        let seen = (told["submission"].as_str(), told["notification_detail"].as_str());
        assert_eq!(seen, (Some(submission), Some(detail)), "{told}");
        assert_eq!(ran.code, if submission == "submitted" { 0 } else { 2 }, "{told}");
        told
    }

    fn check(&self) -> Ran {
        self.sandbox.htalk(&["peer", "check", "b"])
    }

    fn discover(&self, path: &str) -> Ran {
        let mut command = self.sandbox.htalk_command(&["peer", "discover", "--harness", "claude"]);
        run(command.env("CLAUDE_CONFIG_DIR", &self.config).env("PATH", path), b"")
    }

    /// The names in the directory of the sockets.
    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(&self.sockets)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// The session's transcript.
    fn transcript(&self) -> PathBuf {
        let folder: String = self.workspace.to_str().unwrap().replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        self.config.join("projects").join(folder).join(format!("{SESSION}.jsonl"))
    }
}

/// A running session and the frames that it got.
struct Session {
    process: Process,
    frames: Receiver<Value>,
}

impl Session {
    fn pid(&self) -> u32 {
        self.process.pid()
    }

    fn receipt(&self) -> String {
        format!("claude_socket_bytes_written:{}", self.pid())
    }

    /// All frames so far.
    fn frames(&self) -> Vec<Value> {
        self.frames.try_iter().collect()
    }
}

/// A frame and the connection that it came on.
struct Frame {
    line: Value,
    stream: UnixStream,
}

impl Frame {
    /// The socket on which the sender listens.
    fn sender(&self) -> PathBuf {
        PathBuf::from(self.line["from"].as_str().unwrap().strip_prefix("uds:").unwrap())
    }

    fn message_id(&self) -> &str {
        self.line["msg_id"].as_str().unwrap()
    }

    /// A report as 2.1.332 makes it, with changes.
    fn report(&self, changes: Value) -> Value {
        let mut report = json!({
            "type": "control", "action": "peer_message_status", "status": "held", "reason": "words for a person",
            "from": "uds:/tmp/cc-socks/1.sock", "orig_msg_id": self.message_id(),
        });
        for (key, value) in changes.as_object().unwrap() {
            report[key] = value.clone();
        }
        report
    }

    /// Connects to the sender and says this.
    fn say(&self, words: &str) {
        let mut stream = UnixStream::connect(self.sender()).unwrap();
        let _ = stream.write_all(words.as_bytes());
    }
}

/// Answers connections on a socket for as long as the test runs.
fn serve(path: &Path, act: impl Fn(&Frame) + Send + 'static) -> Receiver<Value> {
    let listener = UnixListener::bind(path).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
    let (sender, frames): (Sender<Value>, _) = channel();
    thread::spawn(move || {
        let mut open = Vec::new();
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut line = Vec::new();
            let mut byte = [0];
            while stream.read(&mut byte).unwrap_or(0) == 1 && byte[0] != b'\n' {
                line.push(byte[0]);
            }
            if line.is_empty() {
                continue;
            }
            let frame = Frame { line: serde_json::from_slice(&line).unwrap(), stream };
            act(&frame);
            let _ = sender.send(frame.line.clone());
            // The client leaves connections open.
            open.push(frame.stream);
        }
    });
    frames
}

/// What happens to a frame that a session reports on.
fn after(delay: u64, changes: Value) -> impl Fn(&Frame) + Send {
    move |frame| {
        thread::sleep(Duration::from_millis(delay));
        frame.say(&format!("{}\n", frame.report(changes.clone())));
    }
}

/// The lines that a session appends to its transcript when it took a frame.
fn append_queued(path: &Path, frame: &Frame) {
    let line = json!({"type": "queue-operation", "operation": "enqueue", "content": frame.line["message"]["content"]});
    let mut file = fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
    file.write_all(format!("{{\"type\":\"mode\"}}\n{line}\n").as_bytes()).unwrap();
}

#[test]
fn silence_for_less_than_half_a_second_is_submitted_with_the_pid() {
    let scene = Scene::new();
    let session = scene.session(|_| {});
    let begun = Instant::now();
    let told = scene.outcome("submitted", &session.receipt());
    let time = begun.elapsed();
    assert!((400..700).contains(&time.as_millis()), "{time:?}");
    assert_eq!(told["recipient_status"], "idle");
    let frames = session.frames();
    assert_eq!(frames.len(), 1, "one attempt");
    let (frame, id) = (&frames[0], told["id"].as_str().unwrap());
    assert_eq!((frame["type"].as_str(), frame["session_id"].as_str()), (Some("user"), Some(SESSION)));
    assert_eq!(frame["priority"], "next");
    let text = frame["message"]["content"].as_str().unwrap();
    assert!(
        text.lines().any(|line| line.starts_with("htalk --db ") && line.ends_with(&format!("show {id}"))),
        "{text}"
    );
    assert!(!text.contains("a body that no notice carries"));
    assert_eq!(scene.names(), [format!("{}.sock", session.pid())], "its own socket is gone");
}

#[test]
fn no_two_frames_can_be_taken_for_one() {
    let scene = Scene::new();
    let session = scene.session(|_| {});
    scene.outcome("submitted", &session.receipt());
    scene.outcome("submitted", &session.receipt());
    let frames = session.frames();
    for key in ["from", "uuid", "msg_id", "message"] {
        assert_ne!(frames[0][key], frames[1][key], "{key}");
    }
}

#[test]
fn it_listens_beside_the_session_under_its_own_pid_for_nobody_else() {
    let scene = Scene::new();
    let session = scene.session(|frame| {
        let metadata = fs::symlink_metadata(frame.sender()).unwrap();
        assert!(metadata.file_type().is_socket());
        assert_eq!(metadata.mode() & 0o777, 0o600);
        frame.say(&format!("{}\n", frame.report(json!({}))));
    });
    let child = scene.sandbox.start(&["--as", "a", "send", "b", "--message", "x"]);
    let expected = format!("uds:{}", scene.sockets.join(format!("{}.sock", child.id())).display());
    let told = crate::support::finish(child).json();
    assert_eq!(told["notification_detail"], "claude_held_for_person");
    assert_eq!(session.frames()[0]["from"], expected);
}

#[test]
fn what_a_session_reports_decides() {
    let unknown = "submission_unknown";
    for (delay, report, submission, detail) in [
        (21, json!({}), unknown, "claude_held_for_person"),
        (204, json!({}), unknown, "claude_held_for_person"),
        (10, json!({"status": "denied"}), "not_submitted", "claude_denied"),
        (10, json!({"status": "refused"}), "not_submitted", "claude_refused"),
        (10, json!({"status": "expired", "status_detail": "refused"}), "not_submitted", "claude_refused"),
        (10, json!({"status": "expired"}), "not_submitted", "claude_expired"),
        (10, json!({"status": "dropped", "drop_reason": "duplicate"}), "not_submitted", "claude_dropped:duplicate"),
        (305, json!({"status": "dropped", "drop_reason": "queue-full"}), "not_submitted", "claude_dropped:queue-full"),
        (10, json!({"status": "dropped", "drop_reason": "a\nb c"}), "not_submitted", "claude_dropped:unknown"),
        (10, json!({"status": "dropped"}), "not_submitted", "claude_dropped:unknown"),
        (10, json!({"status": "postponed"}), unknown, "claude_report_not_understood"),
        (10, json!({"status": 7}), unknown, "claude_report_not_understood"),
        (10, json!({"orig_msg_id": null}), unknown, "claude_report_not_understood"),
    ] {
        let scene = Scene::new();
        let session = scene.session(after(delay, report));
        scene.outcome(submission, detail);
        assert_eq!(scene.names(), [format!("{}.sock", session.pid())]);
    }
}

#[test]
fn a_list_of_dropped_messages_counts_too() {
    let scene = Scene::new();
    let _session = scene.session(|frame| {
        let report = json!({"status": "dropped", "drop_reason": "queue-full", "orig_msg_id": OTHER,
            "dropped_msg_ids": [OTHER, frame.message_id()]});
        frame.say(&format!("{}\n", frame.report(report)));
    });
    scene.outcome("not_submitted", "claude_dropped:queue-full");
}

#[test]
fn reports_about_something_else_and_late_ones_do_not_count() {
    for (delay, report) in [
        (10, json!({"orig_msg_id": OTHER})),
        (10, json!({"action": "peer_idle_notice"})),
        (10, json!({"type": "user"})),
        (600, json!({})),
    ] {
        let scene = Scene::new();
        let session = scene.session(move |frame| {
            thread::sleep(Duration::from_millis(delay));
            if let Ok(mut stream) = UnixStream::connect(frame.sender()) {
                let _ = stream.write_all(format!("{}\n", frame.report(report.clone())).as_bytes());
            }
        });
        scene.outcome("submitted", &session.receipt());
    }
}

#[test]
fn reports_in_pieces_without_end_or_without_sense() {
    type Act = fn(&Frame);
    let cases: [(Act, &str, &str); 7] = [
        // In three pieces, with pauses.
        (
            |frame| {
                let words = format!("{}\n", frame.report(json!({})));
                let mut stream = UnixStream::connect(frame.sender()).unwrap();
                for piece in words.as_bytes().chunks(words.len() / 2) {
                    stream.write_all(piece).unwrap();
                    thread::sleep(Duration::from_millis(60));
                }
            },
            "submission_unknown",
            "claude_held_for_person",
        ),
        // Without the newline, ended by the close.
        (|frame| frame.say(&frame.report(json!({})).to_string()), "submission_unknown", "claude_held_for_person"),
        // After another line on the same connection.
        (
            |frame| {
                let (first, second) = (frame.report(json!({"orig_msg_id": OTHER})), frame.report(json!({})));
                frame.say(&format!("{first}\n\n{second}\n"));
            },
            "submission_unknown",
            "claude_held_for_person",
        ),
        // On a second connection, while the first one says nothing.
        (
            |frame| {
                let silent = UnixStream::connect(frame.sender()).unwrap();
                frame.say(&format!("{}\n", frame.report(json!({}))));
                thread::sleep(Duration::from_millis(50));
                drop(silent);
            },
            "submission_unknown",
            "claude_held_for_person",
        ),
        (|frame| frame.say("{\"type\":\"control\"\n"), "submission_unknown", "claude_report_not_understood"),
        (|frame| frame.say("\u{0}\u{1}\n"), "submission_unknown", "claude_report_not_understood"),
        // A line that never ends.
        (|frame| frame.say(&"x".repeat(100_000)), "submission_unknown", "claude_report_not_understood"),
    ];
    for (act, submission, detail) in cases {
        let scene = Scene::new();
        let _session = scene.session(act);
        scene.outcome(submission, detail);
    }
}

#[test]
fn a_connection_that_is_opened_and_closed_says_nothing() {
    let scene = Scene::new();
    let session = scene.session(|frame| frame.say(""));
    scene.outcome("submitted", &session.receipt());
}

#[test]
fn a_line_of_the_transcript_ends_the_waiting() {
    let scene = Scene::new();
    let path = scene.transcript();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, "{\"type\":\"queue-operation\",\"operation\":\"enqueue\",\"content\":\"an older text\"}\n")
        .unwrap();
    let session = scene.session(move |frame| append_queued(&path, frame));
    let begun = Instant::now();
    scene.outcome("submitted", &session.receipt());
    assert!(begun.elapsed() < Duration::from_millis(300), "{:?}", begun.elapsed());
}

#[test]
fn a_transcript_that_shows_others_but_not_this_one_leaves_doubt() {
    let scene = Scene::new();
    let path = scene.transcript();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, "{\"type\":\"queue-operation\",\"operation\":\"enqueue\",\"content\":\"another\"}\n").unwrap();
    let session = scene.session(|_| {});
    scene.outcome("submission_unknown", "claude_not_confirmed");
    // One that has no such lines says nothing.
    fs::write(&path, "{\"type\":\"user\"}\n").unwrap();
    scene.outcome("submitted", &session.receipt());
}

#[test]
fn the_client_itself_is_believed_only_if_it_moved() {
    let scene = Scene::new();
    let still = scene.session_of(Process::client(&scene), |_| {});
    scene.outcome("submission_unknown", "claude_not_confirmed");
    scene.record(still.pid(), json!({"status": "busy"}));
    scene.outcome("submission_unknown", "claude_not_confirmed");
    drop(still);
    // Its record turns busy, as when a turn begins.
    let process = Process::client(&scene);
    let path = scene.record_path(process.pid());
    let moving = scene.session_of(process, move |_| {
        let busy = fs::read_to_string(&path).unwrap().replace("\"idle\"", "\"busy\"");
        fs::write(&path, busy).unwrap();
    });
    scene.outcome("submitted", &moving.receipt());
}

#[test]
fn a_busy_record_alone_does_not_end_the_waiting() {
    let scene = Scene::new();
    let process = Process::start();
    scene.record(process.pid(), json!({}));
    let (path, pid) = (scene.record_path(process.pid()), process.pid());
    let _frames = serve(&scene.socket_path(pid), move |frame| {
        let busy = fs::read_to_string(&path).unwrap().replace("\"idle\"", "\"busy\"");
        fs::write(&path, busy).unwrap();
        thread::sleep(Duration::from_millis(305));
        let report = frame.report(json!({"status": "dropped", "drop_reason": "queue-full"}));
        frame.say(&format!("{report}\n"));
    });
    scene.outcome("not_submitted", "claude_dropped:queue-full");
}

#[test]
fn a_closed_connection_is_no_report() {
    for how in [Shutdown::Write, Shutdown::Both] {
        let scene = Scene::new();
        let session = scene.session(move |frame| frame.stream.shutdown(how).unwrap());
        scene.outcome("submitted", &session.receipt());
    }
}

#[test]
fn a_frame_that_was_not_read_is_uncertain() {
    let scene = Scene::new();
    let process = Process::start();
    scene.record(process.pid(), json!({}));
    let listener = UnixListener::bind(scene.socket_path(process.pid())).unwrap();
    thread::spawn(move || {
        let mut byte = [0];
        for stream in listener.incoming() {
            // Closed with the rest unread, which the sender's side sees as a reset.
            let _ = stream.unwrap().read(&mut byte);
        }
    });
    scene.outcome("submission_unknown", "claude_socket_reset");
}

#[test]
fn a_session_that_never_looks_is_submitted_and_one_that_is_stopped_uncertain() {
    let scene = Scene::new();
    let process = Process::start();
    scene.record(process.pid(), json!({}));
    let _listener = UnixListener::bind(scene.socket_path(process.pid())).unwrap();
    scene.outcome("submitted", &format!("claude_socket_bytes_written:{}", process.pid()));
    process.signal("-STOP");
    let told = scene.outcome("submission_unknown", "claude_process_stopped");
    assert_eq!(told["recipient_status"], "unknown");
    assert_eq!(scene.check().done()["runtime_status"], "unknown");
}

#[test]
fn a_clear_between_the_look_and_the_write_is_never_submitted() {
    let scene = Scene::new();
    let process = Process::start();
    scene.record(process.pid(), json!({}));
    let path = scene.record_path(process.pid());
    let _frames = serve(&scene.socket_path(process.pid()), move |_| {
        let cleared = fs::read_to_string(&path).unwrap().replace(SESSION, OTHER);
        fs::write(&path, cleared).unwrap();
    });
    scene.outcome("submission_unknown", "recipient_identity_changed");
    // From then on the registered session is gone, though its process and socket are there.
    scene.outcome("not_submitted", "recipient_unavailable");
    scene.check().refused("recipient_unavailable");
}

#[test]
fn a_session_that_ends_after_the_write_is_uncertain() {
    let scene = Scene::new();
    let process = Process::start();
    scene.record(process.pid(), json!({}));
    let path = scene.record_path(process.pid());
    let _frames = serve(&scene.socket_path(process.pid()), move |_| fs::remove_file(&path).unwrap());
    scene.outcome("submission_unknown", "recipient_unavailable");
}

#[test]
fn the_dead_the_replaced_and_the_zombies_are_not_the_recipient() {
    let scene = Scene::new();
    let mut dead = Process::start();
    scene.record(dead.pid(), json!({}));
    dead.0.kill().unwrap();
    // Not waited for: a zombie, as under a terminal that does not look.
    thread::sleep(Duration::from_millis(50));
    let told = scene.check().refused("recipient_unavailable");
    assert!(told["detail"].as_str().unwrap().contains("zombie"), "{told}");
    assert_eq!(scene.discover("/nowhere").done()["sessions"], json!([]));
    dead.0.wait().unwrap();
    scene.outcome("not_submitted", "recipient_unavailable");
    assert_eq!(scene.discover("/nowhere").done()["sessions"], json!([]));
    let later = Process::start();
    scene.record(later.pid(), json!({"procStart": "1"}));
    scene.outcome("not_submitted", "recipient_unavailable");
    let told = scene.discover("/nowhere").done();
    assert_eq!((&told["sessions"], &told["sources"][0]["rejected"]), (&json!([]), &json!(0)));
}

#[test]
fn of_several_processes_the_latest_terminal_gets_the_notice() {
    let scene = Scene::new();
    let old = scene.session(|_| {});
    thread::sleep(Duration::from_millis(30));
    let new = scene.session(|_| {});
    thread::sleep(Duration::from_millis(30));
    let helper = scene.session(|_| {});
    scene.record(helper.pid(), json!({"entrypoint": "sdk-cli"}));
    scene.outcome("submitted", &new.receipt());
    assert_eq!((old.frames().len(), new.frames().len(), helper.frames().len()), (0, 1, 0));
    assert_eq!(scene.check().done()["pid"], new.pid());
    let found = scene.discover("/nowhere").done();
    assert_eq!(found["sessions"].as_array().unwrap().len(), 1, "{found}");
}

#[test]
fn a_version_without_a_socket_can_be_found_but_not_notified() {
    let scene = Scene::new();
    let process = Process::start();
    scene.record(process.pid(), json!({"version": "2.1.197", "messagingSocketPath": null, "status": "busy"}));
    let told = scene.outcome("not_submitted", "recipient_has_no_socket");
    assert_eq!(told["recipient_status"], "busy");
    let told = scene.check().refused("recipient_has_no_socket");
    assert!(told["detail"].as_str().unwrap().contains("2.1.197"), "{told}");
    let found = scene.discover("/nowhere").done();
    assert_eq!(found["sessions"][0]["session_id"], SESSION);
    assert_eq!(found["sessions"][0]["runtime_status"], "busy");
}

#[test]
fn a_socket_that_is_none_is_not_used() {
    let scene = Scene::new();
    let process = Process::start();
    let path = scene.socket_path(process.pid());
    scene.record(process.pid(), json!({}));
    scene.outcome("not_submitted", "recipient_socket_unavailable");
    fs::write(&path, "").unwrap();
    scene.outcome("not_submitted", "recipient_socket_unavailable");
    scene.check().refused("recipient_socket_unavailable");
    // A link to a real one, and one on which nobody listens.
    fs::remove_file(&path).unwrap();
    let elsewhere = scene.sockets.join("elsewhere.sock");
    drop(UnixListener::bind(&elsewhere).unwrap());
    std::os::unix::fs::symlink(&elsewhere, &path).unwrap();
    scene.outcome("not_submitted", "recipient_socket_unavailable");
    scene.record(process.pid(), json!({"messagingSocketPath": elsewhere}));
    scene.outcome("not_submitted", "recipient_socket_unavailable");
}

#[test]
fn a_session_in_another_directory_is_not_the_recipient() {
    let scene = Scene::new();
    let session = scene.session(|_| {});
    let link = scene.sandbox.root().join("link");
    std::os::unix::fs::symlink(&scene.workspace, &link).unwrap();
    scene.record(session.pid(), json!({"cwd": link}));
    scene.outcome("submitted", &session.receipt());
    scene.record(session.pid(), json!({"cwd": scene.sandbox.root()}));
    scene.outcome("not_submitted", "recipient_identity_changed");
    scene.check().refused("recipient_identity_changed");
}

#[test]
fn where_nobody_can_listen_only_the_transcript_confirms() {
    let scene = Scene::new();
    let session = scene.session(|_| {});
    fs::set_permissions(&scene.sockets, fs::Permissions::from_mode(0o777)).unwrap();
    scene.outcome("submission_unknown", "claude_no_report_possible");
    assert!(!session.frames()[0]["from"].as_str().unwrap().starts_with("uds:"));
    let path = scene.transcript();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let session = scene.session(move |frame| append_queued(&path, frame));
    scene.outcome("submitted", &session.receipt());
}

#[test]
fn a_killed_sender_leaves_nothing_for_long() {
    let scene = Scene::new();
    let session = scene.session(|_| {});
    // What another program left is not htalk's to remove, whatever pid it names.
    drop(UnixListener::bind(scene.sockets.join("999999.sock")).unwrap());
    drop(UnixListener::bind(scene.sockets.join(".htalk-x.sock")).unwrap());
    let before = scene.names();
    let id = uuid::Uuid::new_v4().to_string();
    let mut child = scene.sandbox.start(&["--as", "a", "send", "b", "--id", &id, "--message", "x"]);
    session.frames.recv_timeout(Duration::from_secs(5)).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(scene.names().len(), before.len() + 2, "{:?}", scene.names());
    let told = scene.sandbox.htalk(&["--as", "a", "show", &id]).done();
    assert_eq!(told["submission"], "submission_unknown");
    scene.outcome("submitted", &session.receipt());
    assert_eq!(scene.names(), before);
    // The retry of the killed one makes no second notice.
    session.frames();
    scene.sandbox.htalk(&["--as", "a", "send", "b", "--id", &id, "--message", "x"]).done();
    assert_eq!(session.frames().len(), 0);
}

#[test]
fn an_interrupted_sender_leaves_nothing() {
    let scene = Scene::new();
    let session = scene.session(|_| {});
    let child = scene.sandbox.start(&["--as", "a", "send", "b", "--message", "x"]);
    session.frames.recv_timeout(Duration::from_secs(5)).unwrap();
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let ran = crate::support::finish(child);
    assert_eq!((ran.code, ran.json()["persistence"].as_str()), (130, Some("saved")), "{ran:?}");
    assert_eq!(scene.names(), [format!("{}.sock", session.pid())]);
}

#[test]
fn names_of_running_senders_and_replaced_sockets_stay() {
    let scene = Scene::new();
    let session = scene.session(|_| {});
    let running = Process::start();
    let named = |pid: u32, start: &str| scene.sockets.join(format!(".htalk-{pid}-{start}.sock"));
    drop(UnixListener::bind(named(running.pid(), &start_time(running.pid()))).unwrap());
    // A killed sender's own name, and under its pid the socket of a client that came later.
    drop(UnixListener::bind(named(4_000_000, "5")).unwrap());
    drop(UnixListener::bind(scene.socket_path(4_000_000)).unwrap());
    // On this one somebody listens, in a pid namespace of their own.
    let _foreign = UnixListener::bind(named(4_000_001, "5")).unwrap();
    let mut kept = scene.names();
    kept.retain(|name| !name.starts_with(".htalk-4000000-"));
    scene.outcome("submitted", &session.receipt());
    assert_eq!(scene.names(), kept);
}

#[test]
fn broken_records_are_counted_and_hide_nothing() {
    let scene = Scene::new();
    let session = scene.session(|_| {});
    let broken: Vec<Process> = (0..5).map(|_| Process::start()).collect();
    let path = |at: usize| scene.record_path(broken[at].pid());
    fs::write(path(0), "{\"pid\":").unwrap();
    fs::write(path(1), "[]").unwrap();
    scene.record(broken[2].pid(), json!({"sessionId": "x"}));
    scene.record(broken[3].pid(), json!({"pid": 1}));
    fs::write(path(4), vec![b' '; 100_000]).unwrap();
    // Neither a key nor a link nor a FIFO is read.
    fs::write(scene.config.join("sessions/1.abc.key"), "secret").unwrap();
    std::os::unix::fs::symlink(scene.record_path(session.pid()), scene.config.join("sessions/1.json")).unwrap();
    assert!(Command::new("mkfifo").arg(scene.config.join("sessions/2.json")).status().unwrap().success());
    let found = scene.discover("/nowhere").done();
    assert_eq!(found["sessions"].as_array().unwrap().len(), 1);
    assert_eq!(found["sources"][0]["status"], "partial");
    assert_eq!(found["sources"][0]["rejected"], 7, "{found}");
    scene.outcome("submitted", &session.receipt());
}

#[test]
fn discovery_names_the_configuration_directory_and_each_state() {
    let scene = Scene::new();
    let processes: Vec<Process> = (0..4).map(|_| Process::start()).collect();
    for (process, state) in processes.iter().zip(["idle", "busy", "waiting", "postponed"]) {
        let session = format!("7f9619ff-8b86-4d01-b42d-{:012}", process.pid());
        scene.record(process.pid(), json!({"status": state, "sessionId": session}));
    }
    let found = scene.discover("/nowhere").done();
    let mut states: Vec<&str> =
        found["sessions"].as_array().unwrap().iter().map(|row| row["runtime_status"].as_str().unwrap()).collect();
    states.sort_unstable();
    assert_eq!(states, ["busy", "idle", "unknown", "waiting"]);
    let row = &found["sessions"][0];
    assert_eq!(row["home"], scene.config.to_str().unwrap());
    assert_eq!(row["workspace"], scene.workspace.to_str().unwrap());
    assert_eq!(found["sources"][0]["status"], "ok");
}

#[test]
fn without_readable_records_the_client_is_asked_and_never_for_long() {
    let scene = Scene::new();
    let process = Process::start();
    fs::remove_dir(scene.config.join("sessions")).unwrap();
    fs::write(scene.config.join("sessions"), "").unwrap();
    let programs = scene.sandbox.root().join("bin");
    fs::create_dir(&programs).unwrap();
    let program = programs.join("claude");
    let path = format!("{}:/usr/bin:/bin", programs.display());
    let script = |text: &str| write_program(&program, &format!("#!/bin/sh\n{text}\n"));
    let row = |pid: u32, session: &str, status: &str| {
        json!({"pid": pid, "cwd": scene.workspace, "kind": "interactive", "startedAt": 1, "sessionId": session,
            "status": status})
    };
    let rows = json!([row(process.pid(), SESSION, "waiting"), row(4_000_000, OTHER, "idle"), {"pid": "x"}]);
    script(&format!("[ \"$*\" = 'agents --json' ] && echo '{rows}'"));
    let found = scene.discover(&path).done();
    assert_eq!(found["sessions"].as_array().unwrap().len(), 1, "{found}");
    assert_eq!(found["sessions"][0]["runtime_status"], "waiting");
    let states: Vec<&Value> = found["sources"].as_array().unwrap().iter().map(|source| &source["status"]).collect();
    assert_eq!(states, ["unavailable", "ok"]);
    // To explain, never to reach: only the record names the socket.
    let ask = |words: &[&str]| run(scene.sandbox.htalk_command(words).env("PATH", &path), b"");
    let told = ask(&["peer", "check", "b"]).refused("claude_records_unreadable");
    assert!(told["detail"].as_str().unwrap().contains(&process.pid().to_string()), "{told}");
    let told = ask(&["--as", "a", "send", "b", "--message", "x"]).json();
    assert_eq!(told["notification_detail"], "claude_records_unreadable");
    for bad in ["echo nonsense", "exit 3", "yes", "sleep 61 & sleep 61"] {
        script(bad);
        let begun = Instant::now();
        let found = scene.discover(&path).json();
        assert_eq!(found["sessions"], json!([]), "{bad}: {found}");
        assert!(begun.elapsed() < Duration::from_secs(5), "{bad}: {:?}", begun.elapsed());
    }
    let left = Command::new("pgrep").args(["-f", "^sleep 61"]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&left.stdout), "");
}

#[test]
fn the_calling_session_is_recognised_by_its_process() {
    let scene = Scene::new();
    let record = |text: &str| {
        format!(
            "set -- $(cat /proc/$$/stat); \
             printf '{{\"pid\":%s,\"procStart\":\"%s\",\"sessionId\":\"{SESSION}\",\"cwd\":\"/\"}}' \
             $$ {text} > $CLAUDE_CONFIG_DIR/sessions/$$.json"
        )
    };
    let matching = record("${22}");
    let htalk = env!("CARGO_BIN_EXE_htalk");
    let call = |script: &str, session: &str| {
        let mut command = scene.sandbox.command("sh");
        command.env("HTALK_DB", scene.sandbox.mailbox()).env("CLAUDE_CONFIG_DIR", &scene.config);
        run(command.env("CLAUDE_CODE_SESSION_ID", session).args(["-c", script]), b"")
    };
    let told = call(&format!("{matching}; {htalk} inbox; exit $?"), SESSION).done();
    assert!(told["messages"].is_array(), "{told}");
    // Through shells in between, and with the id in another spelling.
    let deep = format!("{matching}; sh -c 'sh -c \"{htalk} inbox; exit \\$?\"; exit $?'; exit $?");
    call(&deep, &SESSION.to_uppercase()).done();
    // Another session, another process under that pid, no record, no variable.
    let none = "peer_required_use_as_or_HTALK_PEER";
    call(&format!("{matching}; {htalk} inbox; exit $?"), OTHER).refused(none);
    call(&format!("{}; {htalk} inbox; exit $?", record("1")), SESSION).refused(none);
    call(&format!("{htalk} inbox; exit $?"), SESSION).refused(none);
    call(&format!("{matching}; {htalk} inbox; exit $?"), "").refused(none);
    // The peer of another session of this client.
    scene.add("other", OTHER);
    let told = call(&format!("{matching}; {htalk} --as other inbox; exit $?"), SESSION);
    let told = told.refused("actor_conflicts_with_CLAUDE_CODE_SESSION_ID");
    let named =
        ["registered_peer", "registered_session_id", "current_session_id"].map(|key| told[key].as_str().unwrap());
    assert_eq!(named, ["other", OTHER, SESSION]);
    // Another client in between.
    let codex = scene.sandbox.root().join("codex");
    write_program(&codex, &format!("#!/bin/sh\n{htalk} inbox; exit $?\n"));
    call(&format!("{matching}; {}; exit $?", codex.display()), SESSION).refused(none);
}
