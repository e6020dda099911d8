//! Runs a file of `tests/sql` against the plain `sqlite3` shell and compares what it expects with what happened.
//!
//! A file is plain SQL. A paragraph (up to an empty line) begins with comments that say what each of its statements
//! does:
//!
//! | Comment | Each statement of the paragraph |
//! | --- | --- |
//! | (none of these) | succeeds |
//! | `-- refuses: CODE` | fails with this code alone, and no fact has changed |
//! | `-- fails: WORDS` | fails with an error of SQLite's own that begins so, and no fact has changed |
//! | `-- changes nothing` | succeeds, and no fact has changed |
//! | `-- prints: LINE` | prints this line; several comments are several lines; `\` at its end joins the next comment |
//! | `-- prints nothing` | succeeds without output |
//!
//! A refusal must not depend on the conflict clause. So `INSERT INTO`, `UPDATE` and `REPLACE INTO` that are refused or
//! change nothing are tried under every clause, and the whole file under each setting that could weaken a rule.
//!
//! A line `.read FILE` reads a file below the top of the repository, whose statements succeed or, together, print what
//! the paragraph says. So a statement of `sql/queries` can be run, behind a line `.parameter` for what it is given.
//!
//! The files `handoff_*.sql` need the ledger of handoffs. All others run with and without it. They read
//! `fixtures/handoffs.sql`, whose tables `new_…` write their rows into the ledger.

use std::fs;
use std::path::Path;

use crate::support::Sandbox;

/// What a connection can set that changes how constraints and triggers act.
const SETTINGS: [&str; 5] = [
    "",
    "PRAGMA foreign_keys = ON;",
    "PRAGMA recursive_triggers = ON;",
    "PRAGMA foreign_keys = ON; PRAGMA recursive_triggers = ON;",
    "PRAGMA ignore_check_constraints = ON; PRAGMA trusted_schema = OFF; PRAGMA reverse_unordered_selects = ON;",
];

/// The mailbox that a file runs on.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Shape {
    /// Without the ledger of handoffs.
    Plain,
    /// With it.
    Ledger,
    /// With it, and the mailbox's own triggers made anew behind it. SQLite promises no order among the triggers of an
    /// event, and takes that in which they were made, the youngest first: here it is the other way round.
    LedgerFirst,
}

/// What makes the triggers of the mailbox anew on the tables on which the ledger has triggers too.
const YOUNGER: &str = "
    SELECT 'DROP TRIGGER ' || name || ';' || char(10) || sql || ';' FROM sqlite_schema AS s
    WHERE type = 'trigger' AND name NOT GLOB '*_handoff'
      AND EXISTS (SELECT 1 FROM sqlite_schema AS h WHERE h.name GLOB '*_handoff' AND h.tbl_name = s.tbl_name);
";

/// Printed between two statements; a hash of all facts follows it.
const MARK: &str = "=== end of statement ===";

/// The derived tables must follow from the facts, and the file must be sound, whatever was tried.
const SOUNDNESS: &str = "
    SELECT * FROM (SELECT recipient, seq FROM open_mail EXCEPT SELECT recipient, seq FROM open_by_facts_v);
    SELECT * FROM (SELECT recipient, seq FROM open_by_facts_v EXCEPT SELECT recipient, seq FROM open_mail);
    SELECT * FROM (SELECT seq, root FROM thread_mail EXCEPT SELECT seq, root FROM root_by_facts_v);
    SELECT * FROM (SELECT seq, root FROM root_by_facts_v EXCEPT SELECT seq, root FROM thread_mail);
    PRAGMA foreign_key_check;
    PRAGMA integrity_check;
";

#[derive(Debug, Clone, PartialEq)]
enum Expected {
    Success,
    Refusal(String),
    Failure(String),
    NoChange,
    Output(Vec<String>),
}

/// One statement to run.
#[derive(Debug, Clone)]
struct Step {
    /// The line of the file on which it begins.
    line: usize,
    sql: String,
    expected: Expected,
}

/// The shapes that a file runs on, and under which settings each.
fn shapes(file: &str) -> [(Shape, &'static [&'static str]); 3] {
    let [.., last] = SETTINGS.each_ref();
    let last = std::slice::from_ref(last);
    match file.starts_with("handoff_") {
        true => [(Shape::Plain, &[]), (Shape::Ledger, &SETTINGS), (Shape::LedgerFirst, last)],
        false => [(Shape::Plain, &SETTINGS), (Shape::Ledger, &SETTINGS[..1]), (Shape::LedgerFirst, last)],
    }
}

/// A mailbox of a shape, with the pull peers a, b and c.
fn mailbox(shape: Shape) -> Sandbox {
    let peers = ["a", "b", "c"];
    if shape == Shape::Plain {
        return Sandbox::with_peers(&peers);
    }
    let sandbox = Sandbox::with_ledger(&peers);
    if shape == Shape::LedgerFirst {
        let script = sandbox.sqlite(YOUNGER).text().to_owned();
        assert!(script.contains("DROP TRIGGER messages_insert_done;"), "{script}");
        sandbox.sqlite(&script).text();
    }
    sandbox
}

/// Runs a file under all settings, on mailboxes with the pull peers a, b and c.
pub fn check(file: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sql").join(file);
    let steps = parse(file, &fs::read_to_string(path).unwrap());
    assert!(!steps.is_empty(), "{file}: no statement");
    let mut wrong = Vec::new();
    for (shape, settings) in shapes(file) {
        for settings in settings {
            let mut faults = faults(&steps, shape, settings);
            // The forms of one statement tend to go wrong together.
            faults.dedup_by_key(|fault| fault.line);
            for fault in faults {
                wrong.push(format!("tests/sql/{file}:{} {shape:?} [{settings}]\n{}", fault.line, fault.words));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n\n{}", wrong.len(), wrong.join("\n"));
}

/// The steps of a file, in every form that must end alike.
fn parse(file: &str, text: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut expected = Expected::Success;
    let mut pending: Option<(usize, String)> = None;
    for (number, line) in text.lines().enumerate().map(|(index, line)| (index + 1, line)) {
        let (start, mut sql) = match pending.take() {
            Some(begun) => begun,
            None if line.is_empty() => {
                expected = Expected::Success;
                continue;
            }
            None if line.starts_with("--") => {
                expected = expectation(line, expected);
                continue;
            }
            None => (number, String::new()),
        };
        if let Some(name) = line.strip_prefix(".read ") {
            let sql = format!(".read '{}/{name}'\n", env!("CARGO_MANIFEST_DIR"));
            steps.push(Step { line: start, sql, expected: expected.clone() });
            continue;
        }
        if line.starts_with(".parameter ") {
            steps.push(Step { line: start, sql: format!("{line}\n"), expected: Expected::Success });
            continue;
        }
        sql += line;
        sql.push('\n');
        if line.ends_with(';') {
            let forms = match expected {
                Expected::Refusal(_) | Expected::NoChange => forms(&sql),
                _ => vec![sql],
            };
            steps.extend(forms.into_iter().map(|sql| Step { line: start, sql, expected: expected.clone() }));
        } else {
            pending = Some((start, sql));
        }
    }
    assert!(pending.is_none(), "{file}: the last statement has no end: {pending:?}");
    steps
}

fn expectation(comment: &str, before: Expected) -> Expected {
    let words = comment.trim_start_matches("--").trim();
    if let Some(code) = words.strip_prefix("refuses: ") {
        return Expected::Refusal(code.to_owned());
    }
    if let Some(words) = words.strip_prefix("fails: ") {
        return Expected::Failure(words.to_owned());
    }
    match (words, before) {
        ("changes nothing", _) => Expected::NoChange,
        ("prints nothing", _) => Expected::Output(Vec::new()),
        (words, before) => match (words.strip_prefix("prints:"), before) {
            (Some(line), Expected::Output(mut lines)) => {
                match lines.last_mut().filter(|last| last.ends_with('\\')) {
                    Some(last) => last.replace_range(last.len() - 1.., line.trim()),
                    None => lines.push(line.trim().to_owned()),
                }
                Expected::Output(lines)
            }
            (Some(line), _) => Expected::Output(vec![line.trim().to_owned()]),
            (None, before) => before,
        },
    }
}

/// A statement under every conflict clause that it can have.
fn forms(sql: &str) -> Vec<String> {
    let end = sql.trim_end().trim_end_matches(';');
    if let Some(rest) = sql.strip_prefix("INSERT INTO ") {
        let mut forms: Vec<String> =
            ["INSERT", "INSERT OR ABORT", "INSERT OR FAIL", "INSERT OR IGNORE", "INSERT OR REPLACE"]
                .into_iter()
                .chain(["INSERT OR ROLLBACK", "REPLACE"])
                .map(|verb| format!("{verb} INTO {rest}"))
                .collect();
        if !end.ends_with("DEFAULT VALUES") && !end.contains("ON CONFLICT") {
            forms.push(format!("{end}\nON CONFLICT DO NOTHING;\n"));
        }
        if let Some(name) = rest.strip_prefix("new_") {
            forms.truncate(7);
            forms.extend(on_conflict(sql, name.split(' ').next().unwrap_or_default()));
            return forms;
        }
        if let Some((_, columns)) = rest.split_once(" (").filter(|_| forms.len() == 8) {
            let first = columns.split([',', ')']).next().unwrap_or_default();
            forms.push(format!("{end}\nON CONFLICT DO UPDATE SET {first} = excluded.{first};\n"));
        }
        return forms;
    }
    if let Some(rest) = sql.strip_prefix("UPDATE ").filter(|rest| !rest.starts_with("OR ")) {
        return ["", "OR ABORT ", "OR FAIL ", "OR IGNORE ", "OR REPLACE ", "OR ROLLBACK "]
            .map(|clause| format!("UPDATE {clause}{rest}"))
            .to_vec();
    }
    vec![sql.to_owned()]
}

/// A row of the table `new_NAME` of the fixtures, written into the ledger with each ON CONFLICT.
fn on_conflict(sql: &str, name: &str) -> [String; 2] {
    let (table, key) = match name {
        "handoffs" => (name.to_owned(), "id"),
        _ => (format!("handoff_{name}"), "handoff"),
    };
    ["NOTHING".to_owned(), format!("UPDATE SET {key} = excluded.{key}")].map(|clause| {
        format!(
            "UPDATE writing SET is_on = 0;\n{sql}INSERT INTO {table} SELECT * FROM new_{name} WHERE true
             ON CONFLICT DO {clause};\nDELETE FROM new_{name};\nUPDATE writing SET is_on = 1;\n"
        )
    })
}

/// A step that did not end as its file says.
struct Fault {
    line: usize,
    words: String,
}

fn faults(steps: &[Step], shape: Shape, settings: &str) -> Vec<Fault> {
    let mut script = format!("{settings}\n.sha3sum\n");
    let mut starts = Vec::new();
    for step in steps {
        starts.push(script.lines().count() + 1);
        script += &format!("{}.print '{MARK}'\n.sha3sum\n", step.sql);
    }
    script += SOUNDNESS;
    let ran = mailbox(shape).sqlite(&script);
    let errors: Vec<(usize, String)> = ran
        .shell_errors()
        .into_iter()
        .map(|(line, words)| (starts.partition_point(|start| *start <= line).checked_sub(1).unwrap(), words))
        .collect();

    let mut lines = ran.out.lines();
    let mut facts = lines.next().unwrap_or_default();
    let mut faults = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        let output: Vec<&str> = lines.by_ref().take_while(|line| *line != MARK).collect();
        let after = lines.next().unwrap_or_default();
        let error = errors.iter().find(|(at, _)| *at == index).map(|(_, words)| words.as_str());
        let same_facts = facts == after;
        facts = after;
        let as_expected = match &step.expected {
            Expected::Success => error.is_none(),
            Expected::Refusal(code) => error == Some(code) && same_facts,
            Expected::Failure(words) => error.is_some_and(|error| error.starts_with(words.as_str())) && same_facts,
            Expected::NoChange => error.is_none() && same_facts,
            Expected::Output(lines) => error.is_none() && output == *lines,
        };
        if !as_expected {
            let words = format!(
                "{}  expected {:?}\n  error {error:?}, output {output:?}, facts {}\n",
                step.sql,
                step.expected,
                if same_facts { "unchanged" } else { "CHANGED" }
            );
            faults.push(Fault { line: step.line, words });
        }
    }
    let rest: Vec<&str> = lines.collect();
    if rest != ["ok"] {
        faults.push(Fault { line: 0, words: format!("afterwards the mailbox is not sound: {rest:?}\n") });
    }
    faults
}
