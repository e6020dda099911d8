//! What the repository keeps in a second form. `HTALK_UPDATE=1 cargo test --release` writes the files anew.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use htalk::code::Kind;

use crate::support::{Sandbox, code_tables as codes};
use crate::tidy;

/// The schema of a mailbox in the order of its manual: under each heading its tables, each with its indexes and rules,
/// and its views.
const TOPICS: [(&str, &[&str]); 10] = [
    (
        "Peers: who takes part, and where each one is",
        &[
            "peers",
            "peer_addresses",
            "address_form_v",
            "session_v",
            "harnesses",
            "peer_retirements",
            "peer_v",
            "peer_address_v",
        ],
    ),
    (
        "Messages: requests, answers and notes",
        &["messages", "body_limit_v", "visible", "message_v", "sent_v", "conversation_v", "actions", "recovery_v"],
    ),
    ("Conversations: what belongs together", &["thread_mail", "root_by_facts_v", "thread_v"]),
    (
        "Batches and cancellations: several recipients, and what was taken back",
        &["batches", "batch_v", "cancellations"],
    ),
    ("Acknowledgments: what was read", &["acks"]),
    ("Notices: how a recipient's client was told", &["notice_claims", "notice_outcomes", "nudge_v", "notice_cleanups"]),
    ("Waits: who waits for an answer, and what a wait returned", &["waits", "waiting_v", "wait_returns"]),
    ("Open mail: what is in an inbox", &["open_mail", "open_by_facts_v", "inbox_v"]),
    ("Codes: what a refusal means", &["error_codes"]),
    ("The migrations that were run", &["refinery_schema_history"]),
];

/// One object of the schema, with the table that it belongs to.
const OBJECTS: &str = "
    SELECT tbl_name || '|' || name || '|' || type || '|' || hex(sql) FROM sqlite_schema
    WHERE sql IS NOT NULL AND name NOT GLOB 'sqlite_*'
    ORDER BY CASE type WHEN 'table' THEN 1 WHEN 'index' THEN 2 ELSE 3 END, rowid;
";

/// What the ledger of handoffs adds to the mailbox in the file `plain`, or replaces in it: each table with its indexes
/// and rules in the order in which they were made, then the views with theirs.
const LEDGER: &str = "
    SELECT iif(EXISTS (SELECT 1 FROM plain.sqlite_schema AS p WHERE p.name = s.name),
      'DROP ' || upper(type) || ' ' || name || ';' || char(10), '') || sql || ';' || char(10)
    FROM main.sqlite_schema AS s
    WHERE sql IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM plain.sqlite_schema AS p WHERE p.name = s.name AND p.sql = s.sql)
    ORDER BY EXISTS (SELECT 1 FROM main.sqlite_schema AS v WHERE v.type = 'view' AND v.name = s.tbl_name),
      (SELECT t.rowid FROM main.sqlite_schema AS t WHERE t.name = s.tbl_name),
      CASE type WHEN 'trigger' THEN 3 WHEN 'index' THEN 2 ELSE 1 END, rowid;
";

const LEDGER_HEAD: &str = "\
-- What the ledger of handoffs (sql/handoff) adds to a mailbox, and what it replaces. Generated like schema.sql by
-- HTALK_UPDATE=1 cargo test --release; don't edit it.

";

const SCHEMA_HEAD: &str = "\
-- The whole schema after every migration, by topic. Generated from a new mailbox by HTALK_UPDATE=1 cargo test
-- --release; don't edit it. Tests prove that it is up to date, and that an upgraded mailbox has the same.
";

const ERRORS_HEAD: &str = "\
# Codes

Every refusal names one of these codes in `error`; the sentence of the last column comes with it as `next_action`.
A code can also be the `notification_detail` of a message, or the `error` of a source of `peer discover`.
A part after a colon is filled in at run time.

The kind of a code says what it is about.
The exit of a refusal follows from it, and it is another one for `handoff` verbs: there 2 says that the \
call was wrong or that there is no usable mailbox, and 1 that the answer is no.

| Kind | About | Exit | Exit of a `handoff` verb |
| --- | --- | --- | --- |
";

const ERRORS_TABLE: &str = "
Codes that a rule of the mailbox makes stand in its table `error_codes` (those of handoffs after `htalk handoff \
init`), all others in the program.
This page is generated from both by `HTALK_UPDATE=1 cargo test --release`.

| Code | Kind | Exit | Of a `handoff` verb | Meaning | Next step |
| --- | --- | --- | --- | --- | --- |
";

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// Compares a generated file with what it should hold, or writes it where that is asked for.
fn assert_generated(name: &str, text: &str) {
    if std::env::var_os("HTALK_UPDATE").is_some_and(|value| value == "1") {
        fs::write(file(name), text).unwrap();
    }
    let stored = fs::read_to_string(file(name)).unwrap_or_default();
    let differs = stored.lines().zip(text.lines()).position(|(stored, fresh)| stored != fresh);
    assert!(
        stored == text,
        "{name} is out of date at line {:?}: HTALK_UPDATE=1 writes it anew",
        differs.map(|at| at + 1)
    );
}

/// The schema without order, to be compared.
fn objects(sandbox: &Sandbox) -> BTreeSet<String> {
    sandbox.sqlite(OBJECTS).text().lines().map(str::to_owned).collect()
}

/// The schema as a manual.
fn schema(sandbox: &Sandbox) -> String {
    let listed = sandbox.sqlite(OBJECTS).text().to_owned();
    let mut objects: Vec<[&str; 4]> =
        listed.lines().map(|line| line.split('|').collect::<Vec<_>>().try_into().unwrap()).collect();
    let mut text = SCHEMA_HEAD.to_owned();
    for (topic, names) in TOPICS {
        text += &format!("\n-- {topic} {}\n", "-".repeat(116 - topic.len()));
        for name in names {
            let (of_topic, rest) = objects.into_iter().partition(|[table, ..]| table == name);
            objects = rest;
            let of_topic: Vec<[&str; 4]> = of_topic;
            assert!(!of_topic.is_empty(), "there is no {name}");
            for [.., sql] in of_topic {
                let bytes: Vec<u8> =
                    (0..sql.len()).step_by(2).map(|at| u8::from_str_radix(&sql[at..at + 2], 16).unwrap()).collect();
                text += &format!("\n{};\n", String::from_utf8(bytes).unwrap());
            }
        }
    }
    assert!(objects.is_empty(), "TOPICS lacks {:?}", objects.iter().map(|object| object[1]).collect::<Vec<_>>());
    let numbers = sandbox.sqlite("PRAGMA application_id; PRAGMA user_version;");
    let [application, version] = numbers.text().lines().collect::<Vec<_>>()[..] else { panic!("{numbers:?}") };
    text + &format!("\nPRAGMA application_id = {application};\nPRAGMA user_version = {version};\n")
}

#[test]
fn schema_is_generated() {
    let text = schema(&Sandbox::with_peers(&["a"]));
    assert_generated("sql/schema.sql", &text);
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.sqlite(&text).text(), "");
    assert!(schema(&sandbox) == text, "a database made from sql/schema.sql has another schema");
}

#[test]
fn schema_of_the_ledger_is_generated() {
    let (plain, ledger) = (Sandbox::with_peers(&["a"]), Sandbox::with_ledger(&["a"]));
    let script = format!("ATTACH '{}' AS plain;{LEDGER}", plain.mailbox().display());
    let text = format!("{LEDGER_HEAD}{}\n", ledger.sqlite(&script).text());
    assert_generated("sql/schema_handoff.sql", &text);
    assert_eq!(plain.sqlite(&text).text(), "");
    assert!(objects(&plain) == objects(&ledger), "a mailbox with sql/schema_handoff.sql has another schema");
    // A rule of the mailbox that is replaced would have to be kept twice.
    let replaced: Vec<&str> = text.lines().filter(|line| line.starts_with("DROP ")).collect();
    assert_eq!(replaced, ["DROP VIEW body_limit_v;", "DROP VIEW open_by_facts_v;"]);
}

#[test]
fn the_program_makes_the_same_ledger() {
    let made = Sandbox::with_peers(&["a"]);
    made.htalk(&["--as", "a", "handoff", "init"]).done();
    let parts = "SELECT version, name, checksum FROM handoff_schema_history ORDER BY version;";
    let by_hand = Sandbox::with_ledger(&["a"]);
    assert_eq!(made.sqlite(parts).text(), by_hand.sqlite(parts).text());
    assert!(objects(&made) == objects(&by_hand), "the program makes another ledger than sql/handoff");
}

/// The kinds with what the program's source says that they are about.
fn kinds() -> Vec<(String, Kind, String)> {
    let source = fs::read_to_string(file("src/code.rs")).unwrap();
    let variants = source.split_once("pub enum Kind {\n").unwrap().1.split_once("\n}").unwrap().0;
    let lines: Vec<&str> = variants.lines().map(str::trim).collect();
    let kind = |lines: &[&str]| {
        let [about, variant] = *lines else { panic!("one line says what a kind is about: {lines:?}") };
        let name = variant.trim_end_matches(',').to_lowercase();
        let kind = Kind::named(&name).unwrap();
        (name, kind, about.strip_prefix("/// ").unwrap().to_owned())
    };
    lines.chunks(2).map(kind).collect()
}

/// The exit of a refusal, and that of a handoff verb.
fn exits(kind: Kind) -> (i32, i32) {
    match kind {
        Kind::Notice => (0, 0),
        _ if kind.is_misuse() => (2, 2),
        _ => (2, 1),
    }
}

#[test]
fn docs_errors_are_generated() {
    let mut text = ERRORS_HEAD.to_owned();
    for (name, kind, about) in kinds() {
        text += &format!("| `{name}` | {about} | {} | {} |\n", exits(kind).0, exits(kind).1);
    }
    text += ERRORS_TABLE;
    for codes::Row { code, kind, meaning, next_step, .. } in codes::all() {
        let known = Kind::named(&kind).unwrap_or_else(|| panic!("{code}: there is no kind {kind}"));
        let (exit, of_handoff) = exits(known);
        text += &format!("| `{code}` | {kind} | {exit} | {of_handoff} | {meaning} | {next_step} |\n");
    }
    assert_generated("docs/errors.md", &text);
}

#[test]
fn each_code_stands_in_one_place() {
    let mut places = BTreeMap::new();
    for row in codes::all() {
        if let Some(other) = places.insert(row.code.clone(), row.place.clone()) {
            panic!("{} stands in {other} and in {}", row.code, row.place);
        }
    }
}

/// The codes that the schema makes: the literals of RAISE, and the names of the CHECKs.
fn codes_of_the_schema() -> BTreeSet<String> {
    let all = Sandbox::with_ledger(&["a"]).sqlite("SELECT sql FROM sqlite_schema;");
    let raised = all.text().split("RAISE(").skip(1).filter_map(|rest| rest.strip_prefix("ABORT, '"));
    let checked = all.text().split("CONSTRAINT ").skip(1);
    raised.chain(checked).map(|rest| rest.split(['\'', ' ', '\n']).next().unwrap().to_owned()).collect()
}

#[test]
fn every_raise_aborts_with_a_code_or_ignores() {
    let all = Sandbox::with_ledger(&["a"]).sqlite("SELECT sql FROM sqlite_schema;");
    for rest in all.text().split("RAISE(").skip(1) {
        assert!(rest.starts_with("ABORT, '") || rest.starts_with("IGNORE)"), "RAISE({}", &rest[..20]);
    }
}

#[test]
fn the_table_has_the_codes_of_the_schema_and_no_others() {
    let rows: BTreeSet<String> = codes::of_rules().into_iter().map(|row| row.code).collect();
    assert_eq!(rows, codes_of_the_schema());
}

/// The program without its tables of codes, as (path, text).
fn makers() -> Vec<(String, String)> {
    tidy::sources()
        .into_iter()
        .filter(|(path, _)| !path.ends_with("/codes.rs") && !path.starts_with("src/codes/"))
        .collect()
}

#[test]
fn every_code_of_the_program_has_a_row() {
    let rows: BTreeSet<String> = codes::all().into_iter().map(|row| row.code).collect();
    for (path, text) in makers() {
        for maker in ["Error::new(\"", "Refusal::new(\"", "refused(\""] {
            for made in text.split(maker).skip(1) {
                // A part after a colon is filled in at run time.
                let code = made.split(['"', ':']).next().unwrap();
                assert!(rows.contains(code), "{code} of {path} has no row");
            }
        }
    }
}

#[test]
fn every_code_of_the_schema_is_provoked() {
    let scripts: String = tidy::files("tests/sql").into_iter().map(|(_, text)| text).collect();
    for code in codes_of_the_schema() {
        assert!(scripts.contains(&format!("\n-- refuses: {code}\n")), "no file of tests/sql provokes {code}");
    }
}

#[test]
fn every_row_of_the_program_is_made() {
    let program: String = makers().into_iter().map(|(_, text)| text).collect();
    for row in codes::of_program() {
        let code = &row.code;
        let is_made = program.contains(&format!("\"{code}\"")) || program.contains(&format!("\"{code}:"));
        assert!(is_made, "nothing makes {code} of {}", row.place);
    }
}
