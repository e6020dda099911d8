//! What goes wrong behind the effect: the answer names the effect all the same, and never says to repeat it.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::process::{Child, Stdio};
use std::thread;

use serde_json::json;

use super::fake::inbox::Inbox;
use super::scene::Scene;
use crate::support::namespace::Namespace;
use crate::support::process::{Signal, signal, until};
use crate::support::shell::Shell;
use crate::support::{Ran, finish, has};

/// It was refused with this code, and tells that this one was submitted.
#[track_caller]
fn names_its_effect(ran: &Ran, code: &str, id: &str) {
    let told = ran.refused_by(1, code);
    assert_eq!((&told["correlation_id"], &told["submission"]), (&json!(id), &json!("submitted")), "{told}");
    let status = told["recovery"]["status"].as_str().unwrap_or_default();
    assert!(status.ends_with(&format!(" handoff status {id}")), "{told}");
    let next = told["next_action"].as_str().unwrap();
    assert!(next.contains("Do not resend") && !next.to_lowercase().contains("repeat"), "{told}");
}

/// A sender that is stopped once its frame is there and before its outcome is recorded; its session, and its id.
fn stopped(scene: &Scene) -> Option<(Child, Inbox, String)> {
    let inbox = Inbox::freezing(scene)?;
    let sender = scene.start("send --to r --message-file m --wait-for acknowledged --wait-timeout 60");
    let id = inbox.receipt().value("correlation_id");
    Some((sender, inbox, id))
}

/// A sender that waits, its outcome recorded; its session, and its id.
fn waiting(scene: &Scene, seconds: u32) -> Option<(Child, Inbox, String)> {
    let inbox = Inbox::open(scene)?;
    let sender = scene.start(&format!("send --to r --message-file m --wait-for acknowledged --wait-timeout {seconds}"));
    let id = inbox.receipt().value("correlation_id");
    until("the outcome", || scene.status(&id)["handoff"]["submission"]["status"] == "submitted");
    Some((sender, inbox, id))
}

#[test]
fn a_mailbox_that_is_gone_or_another_one() {
    for (change, code) in [
        ("rm mail.sqlite3*", "database_not_found"),
        ("cp mail.sqlite3 copy; mv copy mail.sqlite3", "database_unavailable"),
        ("htalk handoff quarantine >quarantined", "handoff_history_unavailable"),
    ] {
        let scene = Scene::new();
        let Some((sender, _inbox, id)) = stopped(&scene) else { return };
        scene.sandbox.sh(change).text();
        signal(&sender, Signal::SIGCONT);
        names_its_effect(&finish(sender), code, &id);
        // A quarantine while it waits is recorded, and so no error.
        if code != "handoff_history_unavailable" {
            let scene = Scene::new();
            let Some((sender, _inbox, id)) = waiting(&scene, 60) else { return };
            scene.sandbox.sh(change).text();
            names_its_effect(&finish(sender), code, &id);
        }
    }
}

#[test]
fn a_mailbox_that_stays_locked() {
    if !has("python3") {
        return;
    }
    // Each of them waits for the lock as long as htalk does.
    thread::scope(|scope| {
        scope.spawn(|| {
            let scene = Scene::new();
            let Some((sender, _inbox, id)) = stopped(&scene) else { return };
            let _lock = Shell::lock(&scene.sandbox);
            signal(&sender, Signal::SIGCONT);
            names_its_effect(&finish(sender), "database_busy", &id);
        });
        scope.spawn(|| {
            let scene = Scene::new();
            let Some((sender, _inbox, id)) = waiting(&scene, 20) else { return };
            let _lock = Shell::lock(&scene.sandbox);
            names_its_effect(&finish(sender), "database_busy", &id);
        });
    });
}

#[test]
fn a_disk_that_is_full() {
    let scene = Scene::new();
    DirBuilder::new().mode(0o700).create(scene.at("disk")).unwrap();
    let Some(place) = Namespace::disk_at(&scene.sandbox, "disk", 2000) else { return };
    let Some(inbox) = Inbox::freezing(&scene) else { return };
    let id = scene.prepare("--to r");
    place.sh("cp \"$1\"/mail.sqlite3* \"$1/disk\"");
    let mut command = place.command(env!("CARGO_BIN_EXE_htalk"));
    command.env("HOME", scene.at("home")).env("HTALK_DB", scene.at("disk/mail.sqlite3"));
    // Without a receipt: there, what belongs to the real root belongs to nobody known.
    command.args(["--as", "b", "handoff", "send", &id, "--to", "r", "--message-file"]).arg(scene.at("m"));
    let sender = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    inbox.notice();
    place.sh("dd if=/dev/zero of=\"$1/disk/filler\" bs=1k status=none 2>/dev/null || true");
    signal(&sender, Signal::SIGCONT);
    names_its_effect(&finish(sender), "database_full", &id);
}
