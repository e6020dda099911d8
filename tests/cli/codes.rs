//! Every code of the mailbox's table is provoked by a test.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::support::Sandbox;

/// Whether a text holds a code as a word of its own.
fn names(text: &str, code: &str) -> bool {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    text.match_indices(code).any(|(at, _)| {
        let bytes = text.as_bytes();
        !bytes[..at].last().is_some_and(is_word) && !bytes.get(at + code.len()).is_some_and(is_word)
    })
}

/// What the tests say outside their comments, but for this file.
fn sources(directory: &Path, text: &mut String) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, text);
        } else if !path.ends_with("cli/codes.rs") {
            let source = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
            let said = source.lines().filter(|line| !line.trim_start().starts_with("//"));
            text.extend(said.flat_map(|line| [line, "\n"]));
        }
    }
}

#[test]
fn each_code_is_provoked() {
    let sandbox = Sandbox::with_peers(&["a"]);
    let table = sandbox.sqlite("SELECT code FROM error_codes ORDER BY code;");
    let mut text = String::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests"), &mut text);
    let missing: BTreeSet<&str> = table.text().lines().filter(|code| !names(&text, code)).collect();
    assert!(missing.is_empty(), "no test names {missing:?}");
}

#[test]
fn each_code_says_what_it_means_and_what_to_do() {
    let sandbox = Sandbox::with_peers(&["a"]);
    let odd = sandbox.sqlite(
        "SELECT code FROM error_codes
        WHERE exit NOT IN (0, 1, 2) OR meaning NOT GLOB '* *.' OR next_step NOT GLOB '[A-Z]* *.'
          OR code GLOB '*[^a-zA-Z0-9_]*' OR instr(meaning || next_step, '|');",
    );
    assert_eq!(odd.text(), "");
}
