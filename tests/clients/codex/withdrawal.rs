//! A notice that is taken back once its message is acknowledged.

use std::fs;
use std::process::Stdio;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::json;

use super::fake::*;
use super::world::*;
use crate::support::finish;
use crate::support::process::{Signal, assert_within, awaited, is_alive, signal, until};

#[test]
fn an_acknowledged_notice_is_taken_back_by_the_socket() {
    let world = World::with_peer(&[]);
    let server = world.serve(well);
    let notice = world.send();
    let cleanup = world.ack(&notice.id);
    assert_eq!(
        (cleanup["status"].as_str(), cleanup["queue_id"].as_str()),
        (Some("removed"), Some(QUEUED)),
        "{cleanup}"
    );
    let asked = server.request("thread/queue/delete")["params"].clone();
    assert_eq!(asked, json!({"threadId": THREAD, "queuedSubmissionId": QUEUED}));

    let deleted = |answer: Act| {
        let answer = Mutex::new(Some(answer));
        let world = World::with_peer(&[]);
        let _server =
            world.serve(but("thread/queue/delete", move |_, _| answer.lock().unwrap().take().into_iter().collect()));
        let id = world.send().id;
        world.ack(&id)
    };
    assert_eq!(deleted(Act::Result(json!({"deleted": false})))["status"], "absent");
    let doubt = deleted(Act::Hang);
    assert_eq!(
        (&doubt["status"], &doubt["detail"]),
        (&json!("unknown"), &json!("codex_withdrawal_unconfirmed:closed"))
    );
    let refused = deleted(Act::Error(-32600, format!("session {THREAD} is archived. Run …")));
    assert_eq!((&refused["status"], &refused["detail"]), (&json!("unknown"), &json!("recipient_session_archived")));
}

#[test]
fn without_a_server_a_withdrawal_starts_its_own() {
    let world = World::with_peer(&[]);
    world.known();
    // `codex app-server --stdio` ends when its input does; this one would stay for a while.
    world.codex(&format!(
        "if [ \"$1\" = queue ]; then echo 'Queued message {QUEUED} for thread {THREAD}.'; exit; fi\n\
         echo $$ >{0}/pid\n\
         while read -r line; do case $line in\n\
         *'\"initialize\"'*) echo '{{\"id\":1,\"result\":{{\"userAgent\":\"rig/0.171.0\"}}}}' ;;\n\
         *thread/queue/delete*) echo '{{\"method\":\"x\"}}'; echo '{{\"id\":2,\"result\":{{\"deleted\":true}}}}' ;;\n\
         esac; done; exec sleep 600",
        world.root().display()
    ));
    let notice = world.send();
    let start = Instant::now();
    let cleanup = world.ack(&notice.id);
    assert_eq!(cleanup["status"], "removed", "{cleanup}");
    assert_within(Duration::from_secs(1), start);
    assert!(world.calls().contains("[app-server]\n[--stdio]\n"), "{}", world.calls());
    assert!(!is_alive(awaited(&world.at("pid"))));

    world.codex("exit 1");
    assert_eq!(world.send().submission, "submission_unknown");
    let world = World::with_peer(&[]);
    world.known();
    world.codex(&format!("[ $1 = queue ] && echo 'Queued message {QUEUED} for thread {THREAD}.'"));
    let notice = world.send();
    let cleanup = world.ack(&notice.id);
    assert_eq!(
        (&cleanup["status"], &cleanup["detail"]),
        (&json!("unavailable"), &json!("codex_app_server_not_started"))
    );
    fs::remove_file(world.at("bin/codex")).unwrap();
    let cleanup = world.ack(&notice.id);
    assert_eq!((&cleanup["status"], &cleanup["detail"]), (&json!("unavailable"), &json!("adapter_unavailable")));
}

#[test]
fn an_interrupted_withdrawal_names_the_way_to_try_it_again() {
    let world = World::with_peer(&[]);
    let server = world.serve(but("thread/queue/delete", |_, _| Vec::new()));
    let id = world.send().id;
    let asked = || server.methods().iter().filter(|method| *method == "thread/queue/delete").count();
    for (times, (with, code)) in [(Signal::SIGINT, 130), (Signal::SIGTERM, 143)].into_iter().enumerate() {
        let mut command = world.command(&["--as", "b", "ack", &id]);
        let ack = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        until("the request", || asked() > times);
        signal(&ack, with);
        let told = finish(ack).ended(code);
        assert_eq!((&told["state"], &told["persistence"]), (&json!("interrupted"), &json!("saved")));
        let again = told["recovery"]["retry_notification_cleanup"].as_str().unwrap();
        assert!(again.ends_with(&format!("--as b ack {id}")), "{told}");
        assert!(told["next_action"].as_str().unwrap().contains("retry_notification_cleanup"), "{told}");
    }
}
