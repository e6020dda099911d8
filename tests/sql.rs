//! The rules of the mailbox, as SQL, through the plain `sqlite3` shell. The files in `tests/sql` can be read and run by
//! hand as well: `sqlite3 MAILBOX < tests/sql/messages.sql`, from the top of the repository, on a new mailbox with the
//! pull peers a, b and c.

/// What the repository keeps in a second form: the whole schema, and the list of codes.
mod generated;
/// The examples of docs/sql.md.
mod manual;
/// The command and the shell, side by side.
mod same_code;
/// The runner of the `.sql` files.
mod script;
/// The rules in a mailbox of an earlier release.
mod upgraded;

#[test]
fn peers() {
    script::check("peers.sql");
}

#[test]
fn retirements() {
    script::check("retirements.sql");
}

#[test]
fn messages() {
    script::check("messages.sql");
}

#[test]
fn replies() {
    script::check("replies.sql");
}

#[test]
fn conversations() {
    script::check("conversations.sql");
}

#[test]
fn cancellations() {
    script::check("cancellations.sql");
}

#[test]
fn batches() {
    script::check("batches.sql");
}

#[test]
fn addresses() {
    script::check("addresses.sql");
}

#[test]
fn nudges() {
    script::check("nudges.sql");
}

#[test]
fn acks() {
    script::check("acks.sql");
}

#[test]
fn notices() {
    script::check("notices.sql");
}

#[test]
fn waits() {
    script::check("waits.sql");
}

#[test]
fn open_mail() {
    script::check("open_mail.sql");
}

#[test]
fn views() {
    script::check("views.sql");
}

#[test]
fn every_file_has_its_test() {
    for entry in std::fs::read_dir(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sql")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let is_run = include_str!("sql.rs").contains(&format!("script::check(\"{name}\")"));
        assert!(is_run || !name.ends_with(".sql"), "no test runs tests/sql/{name}");
    }
}

#[test]
fn handoff_intents() {
    script::check("handoff_intents.sql");
}

#[test]
fn handoff_attempts() {
    script::check("handoff_attempts.sql");
}

#[test]
fn handoff_receipts() {
    script::check("handoff_receipts.sql");
}

#[test]
fn handoff_waits() {
    script::check("handoff_waits.sql");
}

#[test]
fn handoff_quarantine() {
    script::check("handoff_quarantine.sql");
}

#[test]
fn handoff_mailbox() {
    script::check("handoff_mailbox.sql");
}

#[test]
fn handoff_race() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/sql/handoff_race.sh");
    let words = crate::support::run(std::process::Command::new(script).arg("3"), b"");
    assert_eq!(words.text(), "3 rounds of 12: one winner each");
}
