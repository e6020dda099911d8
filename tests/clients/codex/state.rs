//! Codex's own state database: who is a recipient, and where it lies.

use std::fs;
use std::os::unix::fs::symlink;

use nix::sys::stat::Mode;
use nix::unistd::mkfifo;

use super::fake::*;
use super::world::*;
use crate::support::shell::Shell;

#[test]
fn the_state_database_says_who_is_a_recipient() {
    for (source, archived, by, code) in [
        ("cli", 1, "user", "recipient_session_archived"),
        ("exec", 0, "user", "codex_session_not_started_by_a_person"),
        ("{\"subagent\":\"review\"}", 0, "user", "codex_session_not_started_by_a_person"),
        ("{\"custom\":\"bot\"}", 0, "user", "codex_session_not_started_by_a_person"),
        ("vscode", 0, "thread_title", "codex_session_not_started_by_a_person"),
    ] {
        let world = World::with_peer(&[]);
        world.codex("exit 9");
        world.state("home/.codex", &[&world.row(source, archived, by)]);
        world.send().is("not_submitted", code);
        assert_eq!(world.calls(), "");
    }
    for source in ["cli", "vscode", "{\"custom\":\"atlas\"}", "{\"custom\":\"chatgpt\"}"] {
        let world = World::with_peer(&[]);
        world.queues();
        world.state("home/.codex", &[&world.row(source, 0, "user")]);
        assert_eq!(world.send().submission, "submitted", "{source}");
    }
    let world = World::with_peer(&[]);
    world.queues();
    symlink(world.at("ws"), world.at("link")).unwrap();
    world.state("home/.codex", &[&format!("'{THREAD}','cli','{}',0,NULL", world.at("link").display())]);
    assert_eq!(world.send().submission, "submitted", "through a symlink, and nobody says who started it");
    let world = World::with_peer(&[]);
    world.state("home/.codex", &[&format!("'{THREAD}','cli','{}',0,'user'", world.at("other").display())]);
    world.send().is("not_submitted", "recipient_identity_changed");
    let world = World::with_peer(&[]);
    world.state("home/.codex", &[]);
    world.send().is("not_submitted", "recipient_not_in_codex_state");
}

#[test]
fn other_layouts_are_read_as_far_as_they_go() {
    let make = |columns: &str, values: &str, name: &str| {
        let world = World::with_peer(&[]);
        world.queues();
        let values = values.replace("WS", world.at("ws").to_str().unwrap()).replace("ID", THREAD);
        world.sqlite(
            &world.at("home/.codex").join(name),
            &format!("CREATE TABLE threads({columns}); INSERT INTO threads VALUES({values});"),
        );
        world
    };
    let older =
        make("id TEXT PRIMARY KEY, cwd TEXT, source TEXT, archived INTEGER", "'ID','WS','cli',0", "state_3.sqlite");
    assert_eq!(older.send().submission, "submitted");
    let newer = make("id, source, cwd, archived, ephemeral, x", "'ID','cli','WS',0,1,7", "state_12.sqlite");
    newer.send().is("not_submitted", "recipient_session_ephemeral");
    make("id, cwd, source", "'ID','WS','cli'", "state_5.sqlite")
        .send()
        .is("not_submitted", "codex_state_layout_unknown");
    let world = World::with_peer(&[]);
    world.known();
    world.sqlite(&world.at("home/.codex/state_10.sqlite"), "CREATE TABLE other(x);");
    world.send().is("not_submitted", "codex_state_layout_unknown");
    let world = World::with_peer(&[]);
    fs::write(world.at("home/.codex/state_5.sqlite"), "no database at all, but long enough to be looked at").unwrap();
    world.send().is("not_submitted", "codex_state_unreadable");
    fs::remove_file(world.at("home/.codex/state_5.sqlite")).unwrap();
    mkfifo(&world.at("home/.codex/state_5.sqlite"), Mode::S_IRWXU).unwrap();
    world.send().is("not_submitted", "codex_state_unreadable");
}

#[test]
fn reading_leaves_no_trace() {
    let world = World::with_peer(&[]);
    let path = world.state("home/.codex", &[&world.row("cli", 0, "user")]);
    world.sqlite(&path, "PRAGMA journal_mode=WAL; UPDATE threads SET title='x';");
    let before = fs::read(&path).unwrap();
    world.queues();
    world.done(&["peer", "check", "b"]);
    world.run(&["peer", "discover"]);
    let mut names: Vec<_> =
        fs::read_dir(world.at("home/.codex")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["state_5.sqlite", "thread-writer-locks"]);
    assert_eq!(fs::read(&path).unwrap(), before);
    // And what lies in a live write-ahead log is seen.
    let mut writer = Shell::open(world.sandbox(), &path);
    writer.tell("UPDATE threads SET archived=1;");
    world.send().is("not_submitted", "recipient_session_archived");
}

#[test]
fn the_database_is_looked_for_where_codex_keeps_it() {
    // `sqlite_home` beats the variable and is relative to the configuration directory.
    let world = World::with_peer(&[]);
    world.queues();
    fs::create_dir_all(world.at("home/.codex/db")).unwrap();
    fs::write(world.at("home/.codex/config.toml"), "sqlite_home = \"db\"\n").unwrap();
    world.state("home/.codex/db", &[&world.row("cli", 0, "user")]);
    let other = world.at("other").display().to_string();
    assert_eq!(world.send_with(&[("CODEX_SQLITE_HOME", &other)]).submission, "submitted");
    fs::write(world.at("home/.codex/config.toml"), "sqlite_home = \"~/.codex/db\"\n").unwrap();
    assert_eq!(world.send().submission, "submitted");
    fs::write(world.at("home/.codex/config.toml"), "key = \"hush\nnot TOML").unwrap();
    world.send().is("not_submitted", "codex_config_unreadable");
    let answer = world.run(&["peer", "check", "b"]).refused("codex_config_unreadable");
    assert!(!answer.to_string().contains("hush"), "{answer}");

    // The variable: trimmed, and relative to the session's directory; the command gets what was found.
    let world = World::with_peer(&[]);
    world.queues();
    fs::create_dir_all(world.at("ws/db")).unwrap();
    world.state("ws/db", &[&world.row("cli", 0, "user")]);
    assert_eq!(world.send_with(&[("CODEX_SQLITE_HOME", " db ")]).submission, "submitted");
    assert!(world.calls().contains(&format!("sqlite={} ", world.at("ws/db").display())), "{}", world.calls());

    // A configuration directory that was named for the peer comes before the caller's variables.
    let world = World::new();
    fs::create_dir_all(world.at("mine")).unwrap();
    world.add_peer(&["--home", "ROOT/mine"]);
    world.queues();
    world.state("mine", &[&world.row("cli", 0, "user")]);
    world.state("other", &[&world.row("cli", 1, "user")]);
    let other = world.at("other").display().to_string();
    assert_eq!(world.send_with(&[("CODEX_SQLITE_HOME", &other), ("CODEX_HOME", &other)]).submission, "submitted");
    let calls = world.calls();
    assert!(calls.contains(&format!("home={} sqlite= ", world.at("mine").display())), "{calls}");

    // Else the caller's.
    let world = World::with_peer(&[]);
    world.queues();
    world.state("other", &[&world.row("cli", 0, "user")]);
    let other = world.at("other").display().to_string();
    assert_eq!(world.send_with(&[("CODEX_HOME", &other)]).submission, "submitted");
    assert!(world.calls().contains(&format!("home={other} ")), "{}", world.calls());
}
