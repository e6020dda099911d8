//! A full disk: nothing is half written, reading goes on, and writing again once there is room.

use crate::support::Sandbox;
use crate::support::namespace::Namespace;

const ADD: [&str; 6] = ["--harness", "test", "--delivery", "pull", "peer", "add"];

fn add(name: &str) -> Vec<&str> {
    [&ADD[4..], &[name], &ADD[..4]].concat()
}

#[test]
fn a_send_is_saved_or_refused() {
    let sandbox = Sandbox::new();
    let Some(disk) = Namespace::disk(&sandbox, 2000) else { return };
    for name in ["a", "b"] {
        disk.htalk(&add(name)).done();
    }
    // A body of its own size each, so that the room ends at different places.
    let bodies: Vec<String> = (0..40).map(|index| "x".repeat(1 + index * 791)).collect();
    disk.fill(150);
    let (mut saved, mut refused) = (0, 0);
    for body in &bodies {
        let ran = disk.htalk(&["--as", "a", "send", "b", "--message", body]);
        match ran.code {
            0 => saved += 1,
            _ => {
                refused += 1;
                let answer = ran.refused("database_full");
                assert!(answer["next_action"].as_str().unwrap().contains("Free some space"), "{answer}");
            }
        }
        let total = disk.htalk(&["--as", "b", "inbox", "--summary"]).done()["total"].clone();
        assert_eq!(total, saved, "after {refused} refusals");
    }
    assert!(saved > 0 && refused > 0, "{saved} {refused}");
    disk.sh("rm \"$1/filler\"");
    disk.htalk(&["--as", "a", "send", "b", "--message", "room again"]).done();
    let open = "SELECT count(*) FROM open_mail; PRAGMA integrity_check;
        SELECT * FROM (SELECT * FROM open_by_facts_v EXCEPT SELECT * FROM open_mail);";
    assert_eq!(disk.sqlite(open).text(), format!("{}\nok", saved + 1));
}

/// The side files are gone and there is no room to make them.
#[test]
fn reading_needs_no_room() {
    let sandbox = Sandbox::new();
    let Some(disk) = Namespace::disk(&sandbox, 1000) else { return };
    for name in ["a", "b"] {
        disk.htalk(&add(name)).done();
    }
    let id = disk.htalk(&["--as", "a", "send", "b", "--message", "x"]).done()["id"].as_str().unwrap().to_owned();
    disk.sqlite("SELECT 1 FROM messages;").text();
    disk.fill(0);
    for words in [&["--as", "b", "inbox"][..], &["--as", "a", "sent"], &["--as", "b", "show", &id], &["peer", "list"]] {
        disk.htalk(words).done();
    }
    disk.htalk(&["--as", "b", "ack", &id]).refused("database_full");
    disk.htalk(&["--as", "b", "reply", &id, "--message", "y"]).refused("database_full");
    disk.sh("rm \"$1/filler\"");
    disk.htalk(&["--as", "b", "reply", &id, "--message", "y"]).done();
}

#[test]
fn a_first_registration_is_whole_or_not_there() {
    let sandbox = Sandbox::new();
    let Some(disk) = Namespace::disk(&sandbox, 1000) else { return };
    let mut done = 0;
    for free in (0..600).step_by(40) {
        disk.fill(free);
        let ran = disk.htalk(&add("a"));
        match ran.code {
            0 => done += 1,
            _ => drop(ran.refused("database_full")),
        }
        disk.sh("rm \"$1/filler\"");
        disk.htalk(&add("a")).done();
        assert_eq!(disk.htalk(&["peer", "list"]).done()["peers"].as_array().unwrap().len(), 1);
        disk.sh("rm -rf \"$1\"/*");
    }
    assert!(done > 0);
}
