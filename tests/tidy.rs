//! The rules of the house.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use rusqlite::config::DbConfig;
use rusqlite::fallible_iterator::FallibleIterator;
use rusqlite::{Batch, Connection};

use crate::support::Sandbox;

/// All files below a folder of the repository, as (path from the top, text).
pub fn files(folder: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(&folder)).unwrap() {
            let entry = entry.unwrap();
            let path = format!("{folder}/{}", entry.file_name().to_str().unwrap());
            if entry.file_type().unwrap().is_dir() {
                folders.push(path);
            } else if let Ok(text) = fs::read_to_string(entry.path()) {
                found.push((path, text));
            }
        }
    }
    found.sort();
    assert!(!found.is_empty(), "{folder} is empty");
    found
}

/// The Rust files of the program, as (path, text).
pub fn sources() -> Vec<(String, String)> {
    files("src")
}

/// A Rust text without its comments, and its string literals with the line of each.
fn read_rust(text: &str) -> (String, Vec<(usize, String)>) {
    let (mut code, mut literals) = (String::new(), Vec::new());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let line = text[..text.len() - rest.len()].lines().count().max(1);
        let mut end = first.len_utf8();
        if rest.starts_with("//") {
            rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
            continue;
        }
        if first == '"' {
            let mut escaped = false;
            let close = rest[1..].find(|character| {
                let closes = character == '"' && !escaped;
                escaped = character == '\\' && !escaped;
                closes
            });
            end = 1 + close.expect("a string has an end");
            literals.push((line, rest[1..end].to_owned()));
            end += 1;
        } else if let Some(hashes) = raw_string(rest) {
            let closing = format!("\"{}", "#".repeat(hashes));
            let open = 2 + hashes;
            let close = open + rest[open..].find(&closing).expect("a raw string has an end");
            literals.push((line, rest[open..close].to_owned()));
            end = close + closing.len();
        } else if first == '\'' {
            // A character, or else a lifetime.
            let after = rest[1..].chars().next().unwrap_or_default();
            let length = match after {
                '\\' => rest[2..].char_indices().skip(1).find(|(_, at)| *at == '\'').map(|(at, _)| at + 3),
                _ => rest[1 + after.len_utf8()..].starts_with('\'').then_some(2 + after.len_utf8()),
            };
            end = length.unwrap_or(1);
        }
        code.push_str(&rest[..end]);
        rest = &rest[end..];
    }
    (code, literals)
}

/// The number of hashes of the raw string that begins here.
fn raw_string(rest: &str) -> Option<usize> {
    let hashes = rest.strip_prefix('r')?.chars().take_while(|character| *character == '#').count();
    rest[1 + hashes..].starts_with('"').then_some(hashes)
}

#[test]
fn each_room_keeps_to_itself() {
    // What a room owns, and where it may stand.
    let owned: [(&[&str], &[&str]); 4] = [
        (&["rusqlite"], &["src/db/", "src/error.rs"]),
        (&["refinery"], &["src/db/"]),
        (
            &["print!(", "println!(", "eprint!(", "eprintln!(", "dbg!(", "io::stdout", "io::stderr", ".print()"],
            &["src/output.rs"],
        ),
        (&["crate::clients", "clients::"], &["src/commands/", "src/clients/", "src/caller.rs", "src/interrupt.rs"]),
    ];
    for (path, text) in sources() {
        let (code, _) = read_rust(&text);
        for (words, rooms) in owned {
            for word in words {
                let at_home = rooms.iter().any(|room| path.starts_with(room));
                assert!(at_home || !code.contains(word), "{path} uses {word}, which belongs to {rooms:?}");
            }
        }
        // Reading another program's SQLite file is no look into the mailbox.
        let code = code.replace("crate::db::foreign", "");
        for room in ["crate::db", "crate::sql", "crate::output", "crate::commands"] {
            assert!(!(path.starts_with("src/clients/") && code.contains(room)), "{path}: clients know no {room}");
        }
    }
}

#[test]
fn no_sql_in_rust_strings() {
    let beginnings = [
        "select ",
        "insert into ",
        "insert or ",
        "replace into ",
        "update or ",
        "delete from ",
        "create table ",
        "create index ",
        "create view ",
        "create trigger ",
        "create temp",
        "alter table ",
        "drop table ",
        "drop view ",
        "drop trigger ",
        "pragma ",
        "begin immediate",
        "with recursive ",
        "vacuum",
        "attach ",
        "savepoint ",
    ];
    let parts = [" from ", " where ", " values ", " order by ", " set "];
    for (path, text) in sources() {
        for (line, literal) in read_rust(&text).1 {
            let words = literal.trim().to_lowercase();
            let is_sql = beginnings.iter().any(|beginning| words.starts_with(beginning))
                || parts.iter().any(|part| literal.contains(&part.to_uppercase()));
            assert!(!is_sql, "{path}:{line}: SQL belongs into sql/queries: {literal:?}");
        }
    }
}

/// The statements of sql/queries, as (name, text).
fn queries() -> Vec<(String, String)> {
    let name = |path: String| path.trim_start_matches("sql/queries/").trim_end_matches(".sql").to_owned();
    files("sql/queries").into_iter().map(|(path, text)| (name(path), text)).collect()
}

/// A new mailbox with the ledger of handoffs, opened by the SQLite that htalk is built with.
fn mailbox() -> (Sandbox, Connection) {
    let sandbox = Sandbox::with_ledger(&["a"]);
    let connection = Connection::open(sandbox.mailbox()).unwrap();
    (sandbox, connection)
}

#[test]
fn every_statement_is_used_by_its_name() {
    let stored: BTreeSet<String> = queries().into_iter().map(|(name, _)| name).collect();
    let (_, source) = sources().into_iter().find(|(path, _)| path == "src/sql.rs").unwrap();
    let literals = read_rust(&source).1.into_iter().map(|(_, literal)| literal);
    let named: BTreeSet<String> =
        literals.filter_map(|literal| literal.strip_prefix("queries/").map(str::to_owned)).collect();
    assert_eq!(stored, named);
    let program: String =
        sources().into_iter().filter(|(path, _)| path != "src/sql.rs").map(|(_, text)| text).collect();
    for name in stored {
        assert!(program.contains(&format!("sql::{}", name.to_uppercase())), "nothing runs {name}");
    }
}

#[test]
fn every_statement_says_what_it_is() {
    let (_sandbox, connection) = mailbox();
    for (name, text) in queries() {
        let mut batch = Batch::new(&connection, &text);
        let statement = batch.next().unwrap_or_else(|error| panic!("{name}: {error}")).expect(&name);
        let says = if statement.readonly() { "-- Reads. " } else { "-- Writes. " };
        assert!(text.starts_with(says), "{name} does not begin with {says:?}");
        for index in 1..=statement.parameter_count() {
            let parameter = statement.parameter_name(index);
            assert!(parameter.is_some_and(|name| name.starts_with(':')), "{name}: parameter {index} is {parameter:?}");
        }
        assert!(batch.next().unwrap().is_none(), "{name} is more than one statement");
        assert!(!text.contains("SELECT *"), "{name} does not name its columns");
        assert!(text.lines().count() < 40, "{name} is long");
    }
}

#[test]
fn only_statements_about_handoffs_need_the_ledger() {
    let sandbox = Sandbox::with_peers(&["a"]);
    let connection = Connection::open(sandbox.mailbox()).unwrap();
    for (name, text) in queries() {
        let words = connection.prepare(&text).err().map(|error| error.to_string()).unwrap_or_default();
        let lacks = words.contains("no such table: handoff") || words.contains("no such table: main.handoff");
        assert_eq!(lacks, name.starts_with("handoff_"), "{name}: {words}");
        assert!(lacks || words.is_empty(), "{name}: {words}");
    }
}

#[test]
fn no_statement_scans_what_grows() {
    // Tables that stay small, by the names that plans call them; all others grow with the mail.
    let small = [
        "peers",
        "p",
        "peer_retirements",
        "t",
        "waits",
        "error_codes",
        "sqlite_sequence",
        "handoff_epochs",
        // One row each, of handoff_get.
        "stored",
        "seen",
        "CONSTANT",
    ];
    let (_sandbox, connection) = mailbox();
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRIGGER_EQP, true).unwrap();
    // The look for rows that a new peer would save from a violation is planned with foreign keys on. It is never taken:
    // there is no violation to be saved from.
    connection.pragma_update(None, "foreign_keys", "off").unwrap();
    let mut lines = 0;
    for (name, text) in queries() {
        let mut plan = connection.prepare(&format!("EXPLAIN QUERY PLAN {text}")).unwrap();
        let mut rows = plan.raw_query();
        while let Some(row) = rows.next().unwrap() {
            let line: String = row.get(3).unwrap();
            let scanned = line.strip_prefix("SCAN ").map(|rest| rest.split(' ').next().unwrap());
            assert!(scanned.is_none_or(|table| small.contains(&table)), "{name}: {line}");
            assert!(!line.contains("AUTOMATIC"), "{name}: {line}");
            lines += 1;
        }
    }
    assert!(lines > 100, "plans of triggers are missing: {lines} lines");
}

#[test]
fn every_view_and_view_column_has_a_comment() {
    let (_sandbox, connection) = mailbox();
    let mut views = connection.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'view'").unwrap();
    let views = views.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    for (view, text) in views.map(|row| row.unwrap()).collect::<Vec<(String, String)>>() {
        let first = text.lines().nth(1).unwrap_or_default();
        assert!(first.starts_with("-- ") && first.contains('.'), "{view} does not say what it is: {first:?}");
        let mut columns = connection.prepare("SELECT name FROM pragma_table_info(?1)").unwrap();
        let columns = columns.query_map([&view], |row| row.get(0)).unwrap();
        for column in columns.map(|row| row.unwrap()).collect::<Vec<String>>() {
            let explains = |line: &str| {
                line.split_once(" -- ").is_some_and(|(code, words)| {
                    let name = code.trim_end_matches(',').rsplit(['.', ' ']).next();
                    name == Some(&column) && !words.trim().is_empty()
                })
            };
            assert!(text.lines().any(explains), "{view}.{column} has no comment");
        }
    }
}

#[test]
fn lines_have_at_most_120_characters() {
    let texts = ["src", "sql", "tests"].into_iter().flat_map(files);
    let is_written = |path: &str| {
        // Dumps of old mailboxes are data.
        (path.ends_with(".rs") || path.ends_with(".sql")) && !path.starts_with("tests/mailboxes/")
    };
    for (path, text) in texts.filter(|(path, _)| is_written(path)) {
        for (index, line) in text.lines().enumerate() {
            let length = line.chars().count();
            assert!(length <= 120, "{path}:{}: {length} characters", index + 1);
            assert!(
                !line.ends_with([' ', '\t', '\r']) || line.starts_with("//"),
                "{path}:{}: blank at its end",
                index + 1
            );
        }
    }
}

#[test]
fn the_top_level_holds_what_the_design_lists() {
    let listed = ["Cargo.toml", "Cargo.lock", "LICENSE", "README.md", "sql", "src", "tests", "docs", ".ci"];
    // Settings that cargo, rustfmt and git look for nowhere else, and what they make.
    let of_tools = [".cargo", ".rustfmt.toml", ".gitignore", ".git", "target"];
    for entry in fs::read_dir(env!("CARGO_MANIFEST_DIR")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(listed.contains(&&*name) || of_tools.contains(&&*name), "{name} does not belong to the top level");
    }
    for name in listed {
        assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join(name).exists(), "{name} is missing");
    }
}

#[test]
fn rust_is_read_rightly() {
    let text =
        "let a = \"one \\\" two\"; // \"not this\"\nlet b: &'a str = r#\"raw \"x\"\"#; let c = ('\"', '\\'', \"3\");";
    let literals = [(1, "one \\\" two".to_owned()), (2, "raw \"x\"".to_owned()), (2, "3".to_owned())];
    assert_eq!(read_rust(text).1, literals);
    assert!(!read_rust(text).0.contains("not this"));
}
