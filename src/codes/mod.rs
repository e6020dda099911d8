//! The codes that the program itself makes, and the one place to look up any code.

pub mod handoff;
pub mod mcp;

use crate::clients;
use crate::code::{Code, Kind, codes};
use crate::mailbox::Db;
use crate::sql;

/// The row of a code: the program's own, else that of the mailbox, else that of an empty mailbox in memory, for there
/// may be none yet, or none that can be read. A part after a colon was filled in at run time.
pub fn row(code: &str, mailbox: Option<&Db>) -> Option<Code> {
    let code = bare(code);
    let stored = || mailbox.and_then(|db| stored(db, code));
    let rehearsed = |has_ledger| Db::rehearsal(has_ledger).ok().and_then(|db| self::stored(&db, code));
    own(code).cloned().or_else(stored).or_else(|| rehearsed(false)).or_else(|| rehearsed(true))
}

/// The row of a code that a table of the program has; no mailbox is asked.
pub fn own(code: &str) -> Option<&'static Code> {
    let code = bare(code);
    of_program().find(|row| row.code == code)
}

/// The rows of all tables of the program.
pub fn of_program() -> impl Iterator<Item = &'static Code> {
    CODES.iter().chain(handoff::CODES).chain(mcp::CODES).chain(clients::codes())
}

fn bare(code: &str) -> &str {
    code.split(':').next().unwrap_or(code)
}

/// The row that a rule of the mailbox or of its ledger has.
fn stored(db: &Db, code: &str) -> Option<Code> {
    let mut row = db.row(sql::ERROR_GET, &[(":code", code.into())]).ok().flatten()?;
    let mut text = |column| row.get_mut(column).and_then(|value| value.take().as_str().map(str::to_owned));
    Some(Code {
        code: code.to_owned().into(),
        kind: Kind::named(&text("kind")?)?,
        meaning: text("meaning")?.into(),
        next_step: text("next_step")?.into(),
    })
}

codes! {
    Usage wait_seconds_must_be_between_0_and_45
        "A wait is 0 to 45 seconds."
        "Repeat with a number in that range; a wait can be repeated.";
    Usage limit_must_be_between_1_and_500
        "A page is 1 to 500 rows."
        "Repeat with --limit in that range.";
    Usage max_bytes_must_be_between_1024_and_10485760
        "A page is 1,024 to 10,485,760 bytes."
        "Repeat with --max-bytes in that range.";
    Usage seq_cursor_must_be_a_positive_integer
        "A page begins after or before a positive sequence number."
        "Repeat with the seq of a message, or without the option for the first page.";
    Usage codex_socket_requires_codex_discovery
        "--codex-socket only makes sense where Codex sessions are looked for."
        "Leave out --codex-socket, or name --harness codex.";
    Usage opencode_url_requires_opencode_discovery
        "--opencode-url only makes sense where OpenCode sessions are looked for."
        "Leave out --opencode-url, or name --harness opencode.";
    Caller peer_required_use_as_or_HTALK_PEER
        "Nothing says which peer is calling."
        "Repeat with --as NAME, or set HTALK_PEER; the recovery command peers lists the names.";
    Caller actor_conflicts_with_CODEX_THREAD_ID
        "The named peer is registered for another Codex session than the calling one."
        "Use the peer of the calling session (current_session_id), or leave out --as and HTALK_PEER.";
    Caller actor_conflicts_with_CLAUDE_CODE_SESSION_ID
        "The named peer is registered for another Claude Code session than the calling one."
        "Use the peer of the calling session (current_session_id), or leave out --as and HTALK_PEER.";
    Mailbox database_not_found
        "There is no mailbox at this path."
        "Check --db and HTALK_DB. Where a new mailbox is wanted, the first peer add makes it; discover lists sessions.";
    Mailbox database_busy
        "Another process held the mailbox for too long."
        "Repeat the same command; that is safe (a send with the same --id).";
    Mailbox database_corrupt
        "The file is damaged."
        "Keep the file, and put a backup in its place with htalk restore PATH.";
    Mailbox database_unavailable
        "The mailbox can not be opened or read."
        "See detail, and repeat when the cause is gone.";
    Mailbox mailbox_not_writable
        "The mailbox can not be written from here; reading still works."
        "Make the mailbox and its directory writable for this process, or let the command run outside the sandbox.";
    Mailbox mailbox_has_another_name
        "The mailbox file can be reached under two names with different files beside it; two logs would destroy it."
        "Mount its directory in place of the file, or remove the other name, and repeat. Nothing was changed.";
    Mailbox mailbox_was_overwritten
        "Another file was put in the place of the mailbox, beside the -wal of the former one."
        "Put the right content there with htalk restore COPY; cp is no way to restore. Nothing was changed.";
    Mailbox mailbox_lacks_its_marks
        "The file has the schema of a mailbox without its application_id or user_version, as what .dump rebuilds has."
        "Run the command in detail, and repeat. The file was left as it is.";
    Mailbox shared_memory_unavailable
        "This mount has no shared memory, which a mailbox with a write-ahead log needs to be written; reading works."
        "Write from outside this mount, where the mailbox was made, or keep it elsewhere. Nothing was changed.";
    Mailbox database_full
        "The disk is full."
        "Free some space and repeat the same command (a send with the same --id).";
    Mailbox unsupported_database_version
        "This htalk can neither read nor upgrade the schema of this mailbox."
        "Use the htalk that wrote it; detail says more. The file was left as it is.";
    Mailbox not_a_mailbox
        "This is not a mailbox of htalk."
        "Check --db and HTALK_DB. The file was left as it is.";
    Mailbox database_backup_failed
        "No backup of the mailbox could be made, so nothing else was done either."
        "See detail, and repeat when the cause is gone. The mailbox was left as it is.";
    Mailbox database_integrity_check_failed
        "The mailbox or its backup failed the integrity check, so nothing else was done."
        "Keep the file, and put a backup in its place with htalk restore PATH. The mailbox was left as it is.";
    Mailbox database_foreign_key_violation
        "The old mailbox names peers or messages that it does not hold, so nothing was upgraded."
        "Keep the file and look at the rows in detail. The mailbox was left as it is.";
    Mailbox invalid_database_schema
        "The mailbox lacks tables or columns of its version."
        "Keep the file, and put a backup in its place with htalk restore PATH. The mailbox was left as it is.";
    Refused message_file_unreadable
        "The message file can not be read."
        "Name a readable file, or - for standard input. Nothing was saved.";
    Refused file_already_exists
        "The file that was to be made is there already, and nothing is overwritten."
        "Name another file.";
    Refused backup_is_unusable
        "The file to restore from is no whole mailbox that this htalk can read."
        "See detail, and name another backup. The mailbox was left as it is.";
    Refused ambiguous_message_id
        "Several messages begin with these digits."
        "Repeat with more digits of the id.";
    Refused message_not_addressed_to_peer
        "This message is neither from nor to the calling peer."
        "Look at the messages of the calling peer with the recovery commands inbox and sent.";
    Notice acknowledged_before_notification
        "The recipient acknowledged the message before its notice; none was needed."
        "Nothing is to be done.";
    Refused only_sender_can_nudge
        "Only the sender of a message has another attempt made to tell its recipient."
        "Nudge messages that you sent; look at them with the recovery command sent.";
    Caller join_needs_a_session
        "A server gives a name only to a session that it recognises, and this call is of none."
        "Run htalk join in the session, or name a registered peer with as.";
    Refused former_session_is_alive
        "The session that has this name seems to run still, so another one does not get the name."
        "End that session, choose another name, or repeat with --even-if-alive if it is meant so.";
    Notice cancelled_before_notification
        "The request was cancelled before its notice; none was needed."
        "Nothing is to be done.";
    Recipient interrupted_before_notification
        "A send to several recipients was interrupted before this one's turn; nothing was attempted."
        "The request is saved; the recipient finds it in its inbox.";
    Notice returned_by_recipient_wait
        "The asker was waiting and got the answer; no notice was needed."
        "Nothing is to be done.";
    Notice recipient_retired
        "The recipient is retired and is not notified."
        "The message is saved; the recipient can still read it.";
}

#[cfg(test)]
mod tests {
    use super::{Kind, row};
    use crate::mailbox::Db;

    #[test]
    fn a_code_is_found_wherever_it_stands() {
        let mailbox = Db::rehearsal(false).unwrap();
        for (code, kind) in [
            ("database_busy", Kind::Mailbox),
            ("codex_cli_queued:7f96-\u{e9}", Kind::Notice),
            ("claude_denied", Kind::Recipient),
            ("recipient_unavailable", Kind::Recipient),
            ("inactive_codex_home", Kind::Target),
            ("stale_target", Kind::Handoff),
            ("unknown_peer", Kind::Caller),
            ("message_id_conflict", Kind::Refused),
            // Made by the ledger, and by the program where there is none.
            ("handoff_history_unavailable", Kind::Handoff),
            ("invalid_correlation_id", Kind::Usage),
        ] {
            for mailbox in [None, Some(&mailbox)] {
                let found = row(code, mailbox).unwrap_or_else(|| panic!("{code} has no row"));
                assert_eq!(found.kind, kind, "{code}");
                assert!(code.starts_with(&*found.code) && found.next_step.ends_with('.'), "{found:?}");
            }
        }
        assert!(row("no_code", Some(&mailbox)).is_none());
    }
}
