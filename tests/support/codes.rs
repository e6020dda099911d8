//! The codes that htalk and the plain shell have answered with in this run of the tests, whichever test asked. One test
//! compares them with docs/errors.md: each code was provoked, and none is unknown.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard};

use serde_json::Value;

use super::Ran;

/// What is known so far.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    /// The codes with which something was refused or explained.
    pub codes: BTreeSet<String>,
    /// Those of them that were the `error` of an answer.
    pub errors: BTreeSet<String>,
    /// How many sandboxes there are now. Each test that provokes a code has one.
    pub open: usize,
    /// How many tests could not do their work here.
    pub skipped: usize,
}

static SEEN: Mutex<Seen> = Mutex::new(Seen { codes: BTreeSet::new(), errors: BTreeSet::new(), open: 0, skipped: 0 });

fn lock() -> MutexGuard<'static, Seen> {
    SEEN.lock().unwrap()
}

/// A sandbox was made.
pub fn begin() {
    lock().open += 1;
}

/// A sandbox is gone.
pub fn end() {
    lock().open -= 1;
}

/// A test is skipped.
pub fn skipped() {
    lock().skipped += 1;
}

/// What is known now.
pub fn seen() -> Seen {
    lock().clone()
}

/// Notes the codes of an answer: those in the lines of JSON that htalk printed, and the errors of a shell.
pub fn note(ran: &Ran) {
    let mut seen = Seen::default();
    for line in ran.out.lines().filter(|line| line.starts_with('{')) {
        if let Ok(answer) = serde_json::from_str(line) {
            read(&answer, &mut seen);
        }
    }
    seen.codes.extend(ran.shell_errors().into_iter().map(|(_, words)| words));
    let mut all = lock();
    all.codes.append(&mut seen.codes);
    all.errors.append(&mut seen.errors);
}

/// The codes in an object and in what it holds. A message that was saved earlier may carry the detail of any program,
/// so its detail counts only where this command has saved it and made its notice.
fn read(value: &Value, seen: &mut Seen) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| read(value, seen)),
        Value::Object(object) => {
            for (key, value) in object {
                let is_own = match key.as_str() {
                    "error" | "reason" | "code" => true,
                    "notification_detail" => object.get("created").is_some_and(|created| created == true),
                    // Of a clean-up; the detail of a source that was searched is words.
                    "detail" => object.contains_key("status") && !object.contains_key("source"),
                    _ => false,
                };
                if let (true, Some(text)) = (is_own, value.as_str()) {
                    // A part after a colon is filled in at run time.
                    let code = text.split(':').next().unwrap_or_default().to_owned();
                    if key == "error" {
                        seen.errors.insert(code.clone());
                    }
                    seen.codes.insert(code);
                }
                if key != "recovery" {
                    read(value, seen);
                }
            }
        }
        _ => {}
    }
}
