//! What a sender leaves beside the session's socket, and what it removes there.

use std::os::unix::net::UnixListener;
use std::sync::atomic::{AtomicBool, Ordering};

use super::fake::*;
use super::scene::Scene;
use crate::support::finish;
use crate::support::process::{CEILING, Signal, deserted_socket, signal, soon};

#[test]
fn a_killed_sender_leaves_nothing_for_long() {
    let scene = Scene::new();
    let stops = AtomicBool::new(true);
    let session = scene.session(move |frame| {
        // The first sender, so that it is still there to be killed.
        if stops.swap(false, Ordering::Relaxed) {
            frame.stop_sender();
        }
    });
    // What another program left is not htalk's to remove, whatever pid it names.
    deserted_socket(&scene.sockets.join("999999.sock"));
    deserted_socket(&scene.sockets.join(".htalk-x.sock"));
    let before = scene.names();
    let id = uuid::Uuid::new_v4().to_string();
    let mut child = scene.sandbox.start(&["--as", "a", "send", "b", "--id", &id, "--message", "x"]);
    session.frames.recv_timeout(CEILING).unwrap();
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
    // In the time in which it waits for a report, which a busy machine lets pass now and then.
    let ran = soon(REPORT_TIME, || {
        let child = scene.sandbox.start(&["--as", "a", "send", "b", "--message", "x"]);
        session.frames.recv_timeout(CEILING).unwrap();
        signal(&child, Signal::SIGINT);
        finish(child)
    });
    assert_eq!(ran.ended(130)["persistence"], "saved");
    assert_eq!(scene.names(), [format!("{}.sock", session.pid())]);
}

#[test]
fn names_of_running_senders_and_replaced_sockets_stay() {
    let scene = Scene::new();
    let session = scene.session(|_| {});
    let running = Process::start();
    let named = |pid: u32, start: &str| scene.sockets.join(format!(".htalk-{pid}-{start}.sock"));
    deserted_socket(&named(running.pid(), &start_time(running.pid())));
    // A killed sender's own name, and under its pid the socket of a client that came later.
    deserted_socket(&named(4_000_000, "5"));
    deserted_socket(&scene.socket_path(4_000_000));
    // On this one somebody listens, in a pid namespace of their own.
    let _foreign = UnixListener::bind(named(4_000_001, "5")).unwrap();
    let mut kept = scene.names();
    kept.retain(|name| !name.starts_with(".htalk-4000000-"));
    scene.outcome("submitted", &session.receipt());
    assert_eq!(scene.names(), kept);
}
