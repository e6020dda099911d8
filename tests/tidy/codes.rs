//! Every code of docs/errors.md is provoked by a test, and no other one is answered.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::support::codes::{Seen, seen};
use crate::support::{code_tables, skip};

/// How long nothing may happen before the tests are taken to be over.
const SILENCE: Duration = Duration::from_secs(10);

/// The codes in the table of the page.
fn documented() -> BTreeSet<String> {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/errors.md")).unwrap();
    let (_, table) = page.split_once("\n| Code |").expect("a table of codes");
    let code = |line: &str| Some(line.strip_prefix("| `")?.split_once('`')?.0.to_owned());
    table.lines().filter_map(code).collect()
}

/// Whether this run is one of all tests: no argument chooses among them.
fn is_of_all() -> bool {
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--test-threads" | "--color" | "--format" => drop(words.next()),
            "--nocapture" | "--no-capture" | "--show-output" | "--quiet" | "-q" => {}
            word if ["--test-threads=", "--color=", "--format="].iter().any(|option| word.starts_with(option)) => {}
            _ => return false,
        }
    }
    true
}

/// What all tests together have seen: as soon as that is every code, else when no other test is at work any more.
fn all_seen(documented: &BTreeSet<String>) -> Seen {
    let mut quiet_since = Instant::now();
    loop {
        let seen = seen();
        if seen.open > 0 {
            quiet_since = Instant::now();
        }
        if documented.is_subset(&seen.codes) || quiet_since.elapsed() > SILENCE {
            return seen;
        }
        sleep(Duration::from_millis(20));
    }
}

/// Each run of htalk and of the shell notes the codes that it answers with (`support::codes`). Tests are run in the
/// order of their names, so what is waited for here is the rest of those that run beside this one.
#[test]
fn each_code_is_provoked() {
    let documented = documented();
    assert!(documented.len() > 100, "the tables of docs/errors.md are not read: {documented:?}");
    if !is_of_all() {
        return skip("only a run of all tests shows what they provoke together");
    }
    let seen = all_seen(&documented);
    let unknown: Vec<_> = seen.errors.difference(&documented).collect();
    assert!(unknown.is_empty(), "answered, and not in docs/errors.md: {unknown:?}");
    let missing: Vec<_> = documented.difference(&seen.codes).collect();
    if !missing.is_empty() && seen.skipped > 0 {
        return skip(&format!("{} other tests were skipped, so nothing shows {missing:?}", seen.skipped));
    }
    assert!(missing.is_empty(), "no test provokes {missing:?}");
}

#[test]
fn each_code_says_what_it_means_and_what_to_do() {
    let is_sentence = |text: &str| text.contains(' ') && text.ends_with('.') && !text.contains('|');
    for row in code_tables::all() {
        let is_word = row.code.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let is_told = is_sentence(&row.meaning) && is_sentence(&row.next_step);
        assert!(is_word && is_told && row.next_step.starts_with(|first: char| first.is_ascii_uppercase()), "{row:?}");
    }
}
