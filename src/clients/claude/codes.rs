//! The codes of Claude Code: what peer check, a notice, a clean-up and discovery can say.

use crate::code::codes;

codes! {
    Recipient recipient_has_no_socket
        "This version of the client can not be notified from outside."
        "Use a newer client there, or let the recipient look for itself, with inbox or watch.";
    Recipient claude_session_not_visible
        "The session can't be seen from here: this runs in a sandbox with processes of its own."
        "Repeat peer check outside of the sandbox; the recipient finds the message in its inbox.";
    Recipient claude_held_for_person
        "The session holds the notice until its person lets it through, which may be never."
        "Ask that person, or set crossSessionInbound to accept in their settings.";
    Recipient claude_denied
        "The person at the session declined the notice."
        "Ask that person; the recipient finds the message in its inbox.";
    Recipient claude_refused
        "The session's settings (crossSessionInbound) refuse messages of other sessions."
        "Set crossSessionInbound to accept there, or let the recipient look for itself, with inbox or watch.";
    Recipient claude_expired
        "The session held the notice and dropped it without an answer."
        "Ask the person at the session; the recipient finds the message in its inbox.";
    Recipient claude_dropped
        "A guard of the session dropped the notice. Its reason follows."
        "Nothing is to be repeated; the recipient finds the message in its inbox.";
    Recipient claude_not_confirmed
        "The session said nothing against the notice and shows no sign of having taken it."
        "The session may be slow or its queue full; look for an answer later.";
    Recipient claude_report_not_understood
        "The session reported something about the notice that htalk does not know."
        "Look for an answer later.";
    Recipient claude_no_report_possible
        "The notice was written, but htalk could not listen beside the session's socket."
        "Look for an answer later.";
    Recipient claude_process_stopped
        "The notice was written to a session that is stopped (Ctrl-Z)."
        "Continue the session (fg in its shell); it reads the notice then.";
    Recipient claude_socket_reset
        "The connection ended before the session had read the whole notice."
        "Look for an answer later.";
    Recipient claude_records_unreadable
        "The client's records of its sessions can not be read or understood."
        "Make these records readable; the detail of peer check names the cause.";
    Notice claude_socket_bytes_written
        "The session took the notice, or said nothing against it. Its pid follows."
        "Wait for the answer.";
}
