//! The rules of the mailbox, as SQL, through the plain `sqlite3` shell. The files in `tests/sql` can be read and run by
//! hand as well: `sqlite3 MAILBOX < tests/sql/messages.sql`, on a new mailbox with the pull peers a, b and c.

/// What the repository keeps in a second form: the whole schema, and the list of codes.
mod generated;
/// The examples of docs/sql.md.
mod manual;
/// The command and the shell, side by side.
mod same_code;
/// The runner of the `.sql` files.
mod script;

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
