//! Mailboxes of earlier releases: built from the dumps in `tests/mailboxes`, and asked what they say before and after.

use std::fs;
use std::path::{Path, PathBuf};

use super::Sandbox;

/// The layouts in which harness-talk left its mailboxes, and the schema number of each.
pub const LAYOUTS: [(&str, i64); 8] = [
    ("v1", 1),
    ("v2-early", 2),
    ("v2-early-from-1", 2),
    ("v2-waits", 2),
    ("v2-retired", 2),
    ("v3", 3),
    ("v3-from-1", 3),
    ("v3-from-2-retired-from-1", 3),
];

/// What is asked of the rows, however they are stored: exact, with U+0000, and with a NULL unlike an empty text.
const ROWS: &str = "
SELECT 'message', seq, id, sender, recipient, quote(in_reply_to), typeof(body), hex(CAST(body AS BLOB)),
  quote(created_at), quote(ack_at), submission, quote(notification_started_at), quote(notification_finished_at),
  typeof(notification_detail), hex(CAST(notification_detail AS BLOB)), quote(wait_returned_at)
FROM the_messages ORDER BY seq;
SELECT 'peer', name, harness, delivery, quote(session_id), quote(workspace), quote(socket), quote(url),
  quote(retired_at) FROM the_peers ORDER BY name;
SELECT 'wait', token, message_id, who, quote(until) FROM the_waits ORDER BY token;
SELECT 'sequence', name, seq FROM sqlite_sequence;
SELECT 'open', seq, id, recipient FROM the_messages AS m WHERE CASE
  WHEN in_reply_to IS NULL THEN NOT EXISTS (SELECT 1 FROM the_messages AS r WHERE r.in_reply_to = m.id)
  ELSE ack_at IS NULL END ORDER BY seq;
SELECT 'integrity', * FROM pragma_integrity_check;
SELECT 'missing', * FROM pragma_foreign_key_check;
";

impl Sandbox {
    /// Makes the mailbox one of an earlier release, private as those are.
    pub fn legacy(&self, layout: &str) {
        let dump = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mailboxes").join(format!("{layout}.sql"));
        let mailbox = self.mailbox();
        fs::write(&mailbox, "").unwrap();
        fs::set_permissions(&mailbox, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
        self.sqlite(&fs::read_to_string(dump).unwrap()).text();
    }

    /// The same with so many more messages.
    pub fn large_legacy(&self, layout: &str, more: u32) {
        self.legacy(layout);
        let script = format!(
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {more})
             INSERT INTO messages (id, sender, recipient, body, created_at, submission)
             SELECT printf('12345678-0000-4000-8000-%012x', i), 'builder', 'reviewer', printf('%0500d', i),
               1760000000.5 + i, 'not_submitted' FROM n;"
        );
        self.sqlite(&script).text();
    }

    /// What the mailbox of an earlier release in this file says.
    pub fn old_facts(&self, file: &Path) -> String {
        let has = |table: &str, column: &str| {
            let script = format!("SELECT count(*) FROM pragma_table_info('{table}') WHERE name = '{column}';");
            self.sqlite_on(file, &script).text() == "1"
        };
        let or_null = |table, column| if has(table, column) { column } else { "NULL" };
        let delivery = if has("peers", "delivery") { "delivery" } else { "'native'" };
        let retired = match has("retired_peers", "name") {
            true => "(SELECT r.retired_at FROM retired_peers AS r WHERE r.name = p.name)",
            false => "NULL",
        };
        let waits = match has("waits", "token") {
            true => "SELECT *, actor AS who FROM waits",
            false => "SELECT NULL AS token, NULL AS message_id, NULL AS who, NULL AS until WHERE 0",
        };
        // pragma_foreign_key_check and pragma_integrity_check look at the whole file, so nothing is added to it.
        let script = format!(
            "CREATE TEMP VIEW the_messages AS SELECT seq, id, sender, recipient, in_reply_to, body, created_at, ack_at,
               submission, notification_started_at, notification_finished_at, notification_detail,
               {} AS wait_returned_at FROM messages;
             CREATE TEMP VIEW the_peers AS SELECT name, harness, {delivery} AS delivery, session_id, workspace, socket,
               {} AS url, {retired} AS retired_at FROM peers AS p;
             CREATE TEMP VIEW the_waits AS {waits};{ROWS}",
            or_null("messages", "wait_returned_at"),
            or_null("peers", "url"),
        );
        self.sqlite_on(file, &script).text().to_owned()
    }

    /// What the mailbox says; equal to what it said before it was upgraded.
    pub fn facts(&self) -> String {
        let script = format!(
            "CREATE TEMP VIEW the_messages AS SELECT * FROM message_v;
             CREATE TEMP VIEW the_peers AS SELECT * FROM peer_v;
             CREATE TEMP VIEW the_waits AS SELECT *, peer AS who FROM waits;{ROWS}"
        );
        self.sqlite(&script).text().to_owned()
    }

    /// The derived open mail is what the facts say, and the file is sound.
    #[track_caller]
    pub fn assert_sound(&self) {
        let script = "PRAGMA integrity_check; PRAGMA foreign_key_check;
            SELECT * FROM (SELECT * FROM open_mail EXCEPT SELECT * FROM open_by_facts_v);
            SELECT * FROM (SELECT * FROM open_by_facts_v EXCEPT SELECT * FROM open_mail);";
        assert_eq!(self.sqlite(script).text(), "ok");
    }

    /// The backups of the mailbox.
    pub fn backups(&self) -> Vec<PathBuf> {
        let directory = self.root().join("mail.sqlite3.backups");
        fs::read_dir(directory).map(|files| files.map(|file| file.unwrap().path()).collect()).unwrap_or_default()
    }
}
