//! Where SQL stands, and what each statement and view says of itself.

use std::collections::BTreeSet;

use rusqlite::config::DbConfig;
use rusqlite::fallible_iterator::FallibleIterator;
use rusqlite::{Batch, Connection};

use super::rust::Source;
use super::{files, sources};
use crate::support::Sandbox;

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
        for (line, literal) in Source::read(&text).literals {
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
    let literals = Source::read(&source).literals.into_iter().map(|(_, literal)| literal);
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
        // The columns of a view are the keys of an answer, so it may be taken whole: a new one is then added in one
        // place. The columns of a table are named.
        for (at, _) in text.match_indices(".*") {
            let alias = text[..at].rsplit(' ').next().unwrap();
            assert!(text.contains(&format!("_v AS {alias}")), "{name} does not name its columns");
        }
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
        // The lists of the schema.
        "can",
        "visible",
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
            let is_small = |table| small.contains(&table) || line.ends_with(" CONSTANT ROWS");
            assert!(scanned.is_none_or(is_small), "{name}: {line}");
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
    let views: Vec<(String, String)> = views.map(|row| row.unwrap()).collect();
    let message_v = views.iter().find(|(view, _)| view == "message_v").map(|(_, text)| text.as_str()).unwrap();
    for (view, text) in &views {
        // The columns of a message are explained in message_v, which other views take whole.
        let takes_all = text.lines().any(|line| line.split("--").next().unwrap_or_default().contains('*'));
        let explained = if takes_all { format!("{text}\n{message_v}") } else { text.clone() };
        let first = text.lines().nth(1).unwrap_or_default();
        assert!(first.starts_with("-- ") && first.contains('.'), "{view} does not say what it is: {first:?}");
        let mut columns = connection.prepare("SELECT name FROM pragma_table_info(?1)").unwrap();
        let columns = columns.query_map([view], |row| row.get(0)).unwrap();
        for column in columns.map(|row| row.unwrap()).collect::<Vec<String>>() {
            let explains = |line: &str| {
                line.split_once(" -- ").is_some_and(|(code, words)| {
                    let name = code.trim_end_matches(',').rsplit(['.', ' ']).next();
                    name == Some(&column) && !words.trim().is_empty()
                })
            };
            assert!(explained.lines().any(explains), "{view}.{column} has no comment");
        }
    }
}
