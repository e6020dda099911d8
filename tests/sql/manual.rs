//! docs/sql.md: what it shows is what happens.

use std::fs;
use std::path::Path;

use crate::support::{Sandbox, run};

fn manual() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/sql.md")).unwrap()
}

/// A fenced block of the page.
struct Block {
    line: usize,
    language: String,
    text: String,
}

fn blocks(page: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for (index, line) in page.lines().enumerate() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(language)) => {
                open = Some(Block { line: index + 1, language: language.to_owned(), text: String::new() })
            }
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(block), None) => block.text += &format!("{line}\n"),
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block has no end");
    blocks
}

#[test]
fn examples_do_what_they_show() {
    let blocks = blocks(&manual());
    let sandbox = Sandbox::new();
    sandbox.htalk(&["peer", "add", "me", "--harness", "shell", "--delivery", "pull"]).done();
    let mut count = 0;
    for (index, block) in blocks.iter().enumerate().filter(|(_, block)| block.language == "sql") {
        // Standard error goes where standard output goes, as on a terminal.
        let mut shell = sandbox.command("sh");
        shell.arg("-c").arg("exec sqlite3 -batch -cmd '.timeout 10000' \"$0\" 2>&1").arg(sandbox.mailbox());
        let shown = blocks.get(index + 1).filter(|next| next.language == "text").map_or("", |next| &next.text);
        assert_eq!(run(&mut shell, block.text.as_bytes()).out, shown, "docs/sql.md:{}\n{}", block.line, block.text);
        count += 1;
    }
    assert!(count > 10, "only {count} examples were found");
}

#[test]
fn every_column_of_every_documented_view_is_listed() {
    let page = manual();
    let sandbox = Sandbox::with_peers(&["a"]);
    let of = |view: &str| -> Vec<String> {
        let columns = sandbox.sqlite(&format!("SELECT name FROM pragma_table_info('{view}');"));
        columns.text().lines().map(str::to_owned).collect()
    };
    for view in ["peer_v", "message_v", "inbox_v", "sent_v", "conversation_v", "recovery_v"] {
        let section = page.split("\n### ").find(|section| section.starts_with(view));
        let section = section.unwrap_or_else(|| panic!("docs/sql.md has no section {view}"));
        // A view with all columns of message_v says so, and lists what it has beside them.
        let has_all = section.contains("The columns are those of `message_v`") && view != "message_v";
        let columns = if has_all { of("message_v") } else { Vec::new() };
        for column in of(view).iter().filter(|column| !columns.contains(column)) {
            assert!(section.contains(&format!("`{column}`")), "docs/sql.md: {view} lacks {column}");
        }
        assert!(columns.iter().all(|column| of(view).contains(column)), "{view} has other columns than message_v");
    }
}
