//! Which file of the program uses which: each room knows only the rooms that it may know, and no files use each other
//! in a circle.

use std::collections::BTreeSet;

use super::program::Program;
use super::sources;

/// The rooms of `src`, each with the rooms that it may use. A room is a module: its file and the folder of its name. A
/// file belongs to the innermost room that holds it.
///
/// Arrows point down: a room uses only rooms that stand below it in this table. A line, or an arrow, that nothing needs
/// any more is to be taken out.
const ROOMS: &[(&str, &[&str])] = &[
    ("main", &["cli", "front/mcp", "front"]),
    // Only names the rooms.
    ("lib", &[]),
    // Makes many calls, and names codes of its own.
    ("front/mcp", &["front", "call", "answer", "codes", "environment", "error", "platform"]),
    // Whoever makes calls and shows their answers knows no verb, no mailbox and no client.
    ("front", &["call", "answer", "environment", "error", "platform", "shell"]),
    ("cli", &["verbs", "call", "answer", "error", "seal"]),
    (
        "verbs",
        &[
            "call",
            "answer",
            "caller",
            "codes",
            "clients",
            "code",
            "mailbox",
            "environment",
            "error",
            "noise",
            "platform",
            "seal",
            "shell",
            "sql",
        ],
    ),
    ("call", &["answer", "codes", "code", "mailbox", "environment", "error", "platform"]),
    ("answer", &["error"]),
    ("caller", &["clients", "environment", "platform"]),
    ("codes", &["clients", "code", "mailbox", "sql"]),
    ("clients", &["code", "mailbox/other_database", "environment", "noise", "platform", "seal"]),
    ("code", &[]),
    // Another program's SQLite file; no look into the mailbox.
    ("mailbox/other_database", &["mailbox"]),
    ("mailbox", &["environment", "error", "platform", "sql"]),
    ("error", &[]),
    ("platform", &["environment", "noise", "seal"]),
    ("environment", &[]),
    ("seal", &[]),
    ("shell", &[]),
    ("sql", &[]),
    // Random input for tests.
    ("noise", &[]),
];

/// What only some rooms may use of other crates: a crate, something in one, a macro, or a method.
const OWNED: &[(&str, &[&str])] = &[
    ("rusqlite", &["mailbox", "error"]),
    ("refinery_core", &["mailbox"]),
    ("std::io::stdout", &["front"]),
    ("std::io::stderr", &["front"]),
    ("print!", &[]),
    ("println!", &[]),
    ("eprint!", &[]),
    ("eprintln!", &[]),
    ("dbg!", &[]),
    // How clap prints a usage error by itself.
    (".print", &[]),
    ("std::process::exit", &["front"]),
    ("nix::sys::signal::SigSet", &["platform"]),
    ("shlex", &["shell"]),
    ("rmcp", &["front/mcp"]),
    ("tokio", &["front/mcp"]),
];

/// Arrows from file to file that close a circle, and may stay until the circle is undone: then their lines go.
const BACKWARD: &[(&str, &str)] = &[];

/// Whether a room holds a file.
fn holds(room: &str, file: &str) -> bool {
    file.strip_prefix(room).is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
}

/// What is wrong with the rooms of a program: arrows that may not be, and lines that nothing needs.
fn faults(program: &Program, rooms: &[(&str, &[&str])], but: &[(&str, &str)]) -> Vec<String> {
    let room = |file: &str| {
        let at_home = (0..rooms.len()).filter(|at| holds(rooms[*at].0, file));
        at_home.max_by_key(|at| rooms[*at].0.len())
    };
    let (mut faults, mut needed) = (Vec::new(), BTreeSet::new());
    for file in program.files.keys() {
        let Some(home) = room(file) else {
            faults.push(format!("{file} belongs to no room"));
            continue;
        };
        let (name, may_use) = rooms[home];
        needed.insert((name, name));
        for used in program.uses(file).iter().filter(|used| !but.contains(&(file, used))) {
            let Some(used_room) = room(used).filter(|used_room| *used_room != home) else { continue };
            needed.insert((name, rooms[used_room].0));
            if !may_use.contains(&rooms[used_room].0) {
                faults.push(format!("{file} uses {used}: {name} may not use {}", rooms[used_room].0));
            }
        }
    }
    for (at, (name, may_use)) in rooms.iter().enumerate() {
        for used in [name].into_iter().chain(*may_use) {
            if !needed.contains(&(*name, *used)) {
                faults.push(format!("nothing in {name} uses {used}: take it out of the table"));
            }
        }
        let upward = may_use.iter().filter(|used| rooms[..=at].iter().any(|(above, _)| above == *used));
        faults.extend(upward.map(|used| format!("{name} uses {used}, which has to stand below it")));
    }
    faults
}

#[test]
fn each_room_keeps_to_itself() {
    let faults = faults(&Program::read(sources()), ROOMS, BACKWARD);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn what_a_room_owns_stays_in_it() {
    let program = Program::read(sources());
    for (owned, rooms) in OWNED {
        let is_owned =
            |name: &String| name.strip_prefix(owned).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"));
        let users: Vec<&String> =
            program.files.keys().filter(|file| program.foreign(file).iter().any(is_owned)).collect();
        let strangers: Vec<_> = users.iter().filter(|file| !rooms.iter().any(|room| holds(room, file))).collect();
        assert!(strangers.is_empty(), "{owned} belongs to {rooms:?}, and {strangers:?} use it");
        let idle: Vec<_> = rooms.iter().filter(|room| !users.iter().any(|file| holds(room, file))).collect();
        assert!(idle.is_empty(), "nothing in {idle:?} uses {owned}: take them out of the table");
    }
}

#[test]
fn no_files_use_each_other_in_a_circle() {
    let program = Program::read(sources());
    assert_eq!(program.circles(BACKWARD), BTreeSet::new());
    for left_out in BACKWARD {
        let others: Vec<_> = BACKWARD.iter().copied().filter(|arrow| arrow != left_out).collect();
        assert!(
            !program.circles(&others).is_empty(),
            "{left_out:?} closes no circle any more: take it out of the table"
        );
    }
}

#[test]
fn faults_of_rooms_and_circles_are_found() {
    let program = Program::of(&[
        ("main.rs", "use crate::a;"),
        ("a.rs", "use crate::b::{inner, T};"),
        ("b/mod.rs", "mod inner; fn f() { inner::f() }"),
        ("b/inner.rs", "use super::T; use crate::a;"),
    ]);
    let rooms: &[(&str, &[&str])] = &[("main", &["a"]), ("a", &["b"]), ("b", &[])];
    let arrow = ("b/inner.rs", "a.rs");
    assert_eq!(faults(&program, rooms, &[arrow]), [""; 0]);
    assert_eq!(faults(&program, rooms, &[]), ["b/inner.rs uses a.rs: b may not use a"]);
    let other: &[(&str, &[&str])] = &[("main", &[]), ("b", &["a"]), ("a", &["b", "main"])];
    let found = [
        "main.rs uses a.rs: main may not use a",
        "nothing in a uses main: take it out of the table",
        "a uses b, which has to stand below it",
        "a uses main, which has to stand below it",
    ];
    assert_eq!(faults(&program, other, &[]), found);
    assert_eq!(faults(&program, &rooms[1..], &[arrow]), ["main.rs belongs to no room"]);
    // That b passes on inner, and inner uses b, is no circle.
    assert_eq!(program.circles(&[arrow]), BTreeSet::new());
    let circle = ["a.rs", "b/inner.rs"].map(str::to_owned).to_vec();
    assert_eq!(program.circles(&[]), BTreeSet::from([circle]));
}
