//! What the repository keeps in a second form. `HTALK_UPDATE=1 cargo test --release` writes the files anew.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::Sandbox;
use crate::tidy;

/// The schema in an order that does not depend on how it came to be.
const SCHEMA: &str = "
    SELECT sql || ';' || char(10) FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT GLOB 'sqlite_*'
    ORDER BY CASE type WHEN 'table' THEN 1 WHEN 'index' THEN 2 WHEN 'view' THEN 3 ELSE 4 END, tbl_name, name;
    SELECT 'PRAGMA application_id = ' || application_id || ';' FROM pragma_application_id;
    SELECT 'PRAGMA user_version = ' || user_version || ';' FROM pragma_user_version;
";

/// What the ledger of handoffs adds to the mailbox in the file `plain`, or replaces in it.
const LEDGER: &str = "
    SELECT iif(EXISTS (SELECT 1 FROM plain.sqlite_schema AS p WHERE p.name = s.name),
      'DROP ' || upper(type) || ' ' || name || ';' || char(10), '') || sql || ';' || char(10)
    FROM main.sqlite_schema AS s
    WHERE sql IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM plain.sqlite_schema AS p WHERE p.name = s.name AND p.sql = s.sql)
    ORDER BY CASE type WHEN 'table' THEN 1 WHEN 'index' THEN 2 WHEN 'view' THEN 3 ELSE 4 END, tbl_name, name;
";

const LEDGER_HEAD: &str = "\
-- What the ledger of handoffs (sql/handoff) adds to a mailbox, and what it replaces. Generated like schema.sql by
-- HTALK_UPDATE=1 cargo test --release; don't edit it.

";

const SCHEMA_HEAD: &str = "\
-- The whole schema after every migration. Generated from a new mailbox by HTALK_UPDATE=1 cargo test --release; don't
-- edit it. Tests prove that it is up to date, and that an upgraded mailbox has the same.

";

const ERRORS_HEAD: &str = "\
# Codes

Every refusal names one of these codes in `error`; the sentence of the last column comes with it as `next_action`.
A code can also be the `notification_detail` of a message.

This page is generated from the table `error_codes` by `HTALK_UPDATE=1 cargo test --release`.

| Code | Exit | Meaning | Next step |
| --- | --- | --- | --- |
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

fn schema(sandbox: &Sandbox) -> String {
    format!("{SCHEMA_HEAD}{}\n", sandbox.sqlite(SCHEMA).text())
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
    assert!(schema(&plain) == schema(&ledger), "a mailbox with sql/schema_handoff.sql has another schema");
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
    assert!(schema(&made) == schema(&by_hand), "the program makes another ledger than sql/handoff");
}

#[test]
fn docs_errors_are_generated() {
    let rows = "SELECT '| `' || code || '` | ' || exit || ' | ' || meaning || ' | ' || next_step || ' |'
                FROM error_codes ORDER BY code;";
    let text = format!("{ERRORS_HEAD}{}\n", Sandbox::with_peers(&["a"]).sqlite(rows).text());
    assert_generated("docs/errors.md", &text);
}

/// The rows of `error_codes`.
fn rows() -> BTreeSet<String> {
    let codes = Sandbox::with_peers(&["a"]).sqlite("SELECT code FROM error_codes;");
    codes.text().lines().map(str::to_owned).collect()
}

/// The codes that the schema makes: the literals of RAISE, and the CHECKs of the tables that everybody may write.
fn codes_of_the_schema() -> BTreeSet<String> {
    let sandbox = Sandbox::with_ledger(&["a"]);
    let all = sandbox.sqlite("SELECT sql FROM sqlite_schema;");
    let public = sandbox.sqlite("SELECT sql FROM sqlite_schema WHERE name IN ('peers', 'messages', 'acks');");
    let raised = all.text().split("RAISE(").skip(1).filter_map(|rest| rest.strip_prefix("ABORT, '"));
    let checked = public.text().split("CONSTRAINT ").skip(1);
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
fn every_code_has_a_row() {
    let rows = rows();
    for code in codes_of_the_schema() {
        assert!(rows.contains(&code), "{code} of the schema has no row in error_codes");
    }
    for (path, text) in tidy::sources() {
        for maker in ["Error::new(\"", "Refusal::new(\"", "refused(\""] {
            for made in text.split(maker).skip(1) {
                // A part after a colon is filled in at run time.
                let code = made.split(['"', ':']).next().unwrap();
                assert!(rows.contains(code), "{code} of {path} has no row in error_codes");
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
fn every_row_is_made() {
    let schema = codes_of_the_schema();
    let program: String = tidy::sources().into_iter().map(|(_, text)| text).collect();
    for code in rows() {
        let is_made = schema.contains(&code)
            || program.contains(&format!("\"{code}\""))
            || program.contains(&format!("\"{code}:"));
        assert!(is_made, "nothing makes {code}");
    }
}
