//! Which process and which socket are the recipient.

use std::fs;

use serde_json::json;

use super::fake::*;
use super::scene::Scene;
use crate::support::process::deserted_socket;

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
    scene.record(later.pid(), json!({"procStart": "1"}));
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
