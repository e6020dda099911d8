//! Which process and which socket are the recipient.

use std::fs;

use serde_json::json;

use super::fake::*;
use super::scene::Scene;
use crate::support::process::deserted_socket;
use crate::support::{has, run};

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
    dead.kill();
    let told = scene.check().refused("recipient_unavailable");
    assert!(told["detail"].as_str().unwrap().contains("zombie"), "{told}");
    assert_eq!(scene.discover("/nowhere").done()["sessions"], json!([]));
    dead.0.wait().unwrap();
    scene.outcome("not_submitted", "recipient_unavailable");
    assert_eq!(scene.discover("/nowhere").done()["sessions"], json!([]));
    let later = Process::start();
    let before = start_time(later.pid()).parse::<u64>().unwrap() - 1;
    scene.record(later.pid(), json!({"procStart": before.to_string()}));
    scene.outcome("not_submitted", "recipient_unavailable");
    let told = scene.discover("/nowhere").done();
    assert_eq!((&told["sessions"], &told["sources"][0]["rejected"]), (&json!([]), &json!(0)));
}

#[test]
fn of_several_processes_the_latest_terminal_gets_the_notice() {
    let scene = Scene::new();
    let old = scene.session(|_| {});
    let new = scene.session_of(Process::after(&old.process), |_| {});
    let helper = scene.session_of(Process::after(&new.process), |_| {});
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
    deserted_socket(&elsewhere);
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

/// In a sandbox with processes of its own a record of a session outside looks like one that was left behind.
#[test]
fn a_session_outside_of_a_sandbox_is_not_said_to_have_ended() {
    if !has("bwrap") {
        return;
    }
    let scene = Scene::new();
    let _session = scene.session(|_| {});
    let inside = |words: &[&str]| {
        let mut command = scene.sandbox.command("bwrap");
        command.args(["--bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-pid", "--die-with-parent"]);
        command.arg(env!("CARGO_BIN_EXE_htalk")).args(words).env("HTALK_DB", scene.sandbox.mailbox());
        run(command.env("CLAUDE_CONFIG_DIR", &scene.config), b"")
    };
    let told = inside(&["peer", "check", "b"]).refused("claude_session_not_visible");
    assert!(!told.to_string().contains("ended"), "{told}");
    let found = inside(&["peer", "discover", "--harness", "claude"]).done();
    let source = &found["sources"][0];
    assert_eq!((&found["sessions"], &source["status"]), (&json!([]), &json!("partial")), "{found}");
    assert!(source["detail"].as_str().unwrap().contains("can't be seen from here"), "{found}");
    let sent = inside(&["--as", "a", "send", "b", "--message", "x"]).json();
    assert_eq!(sent["notification_detail"], "claude_session_not_visible", "{sent}");
    // Where /proc shows what is outside, it is the recipient as ever.
    let mut command = scene.sandbox.command("bwrap");
    command.args(["--bind", "/", "/", "--unshare-pid", "--die-with-parent", env!("CARGO_BIN_EXE_htalk")]);
    run(command.args(["peer", "check", "b"]).env("HTALK_DB", scene.sandbox.mailbox()), b"").done();
    // A session that is not in any record is gone, seen from wherever.
    scene.add("c", OTHER);
    inside(&["peer", "check", "c"]).refused("recipient_unavailable");
}
