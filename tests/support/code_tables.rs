//! All codes, from the tables in which they stand: `error_codes` of a mailbox with the ledger of handoffs, and the
//! program's own tables, which its library shows.

use htalk::code::Code;
use htalk::codes;

use super::Sandbox;

/// The row of a code.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Row {
    pub code: String,
    pub kind: String,
    pub meaning: String,
    pub next_step: String,
    /// `error_codes`, or the file.
    pub place: String,
}

/// The rows of the rules, as a mailbox with the ledger has them.
pub fn of_rules() -> Vec<Row> {
    let table = Sandbox::with_ledger(&["a"]).sqlite("SELECT code, kind, meaning, next_step FROM error_codes;");
    let row = |line: &str| {
        let [code, kind, meaning, next_step] = line.split('|').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let [code, kind, meaning, next_step] = [code, kind, meaning, next_step].map(str::to_owned);
        Row { code, kind, meaning, next_step, place: "error_codes".into() }
    };
    table.text().lines().map(row).collect()
}

/// The rows of the program's own tables.
pub fn of_program() -> Vec<Row> {
    let row = |code: &Code| Row {
        code: code.code.to_string(),
        kind: code.kind.name().to_owned(),
        meaning: code.meaning.to_string(),
        next_step: code.next_step.to_string(),
        place: "the program".into(),
    };
    codes::of_program().map(row).collect()
}

/// All rows, sorted by their codes.
pub fn all() -> Vec<Row> {
    let mut rows = [of_rules(), of_program()].concat();
    rows.sort();
    rows
}
