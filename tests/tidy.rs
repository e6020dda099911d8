//! The rules of the house.

use std::fs;
use std::path::Path;

/// Every code is provoked.
mod codes;
/// Which file uses which.
mod program;
/// Which room may use which.
mod rooms;
/// Rust, read as far as the rules need it.
mod rust;
/// Where SQL stands, and what it says of itself.
mod statements;

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
