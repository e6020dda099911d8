//! The codes that the handoff verbs make themselves. Those of the ledger's rules stand in the ledger.

use crate::code::codes;

codes! {
    Handoff unsafe_message_file
        "The message file is not a regular file that is the caller's own and closed to all others."
        "Name the file itself and no link to it, close it to others with chmod 600, and repeat. Nothing was saved.";
    Handoff unsafe_handoff_storage
        "The mailbox, a file beside it or its directory is not the caller's own, or open to others."
        "Close the directory and these files to others with chmod go=, and repeat. Nothing was sent.";
    Handoff handoff_stdin_deadline
        "Standard input did not end in time."
        "Close it: a text within --wait-timeout less 5 seconds, a receipt within 5 seconds. Nothing was saved.";
    Handoff handoff_stdin_terminal
        "Standard input is a terminal."
        "Give the text or the receipt through a pipe or from a file. Nothing was saved.";
    Handoff handoff_stdin_unavailable
        "Standard input can not be read."
        "Give the text or the receipt through a pipe or from a file. Nothing was saved.";
    Handoff insufficient_budget
        "The last 5 seconds of --wait-timeout are kept for cleaning up; no time is left to wait."
        "Repeat with --wait-timeout in the range of 6 to 60.";
    Handoff evidence_unsupported
        "What --wait-for names can not come: no client tells of delivery, and none acknowledges on Codex or over SSH."
        "Look at the handoff with handoff status; if it was refused, send a new one without --wait-for.";
    Handoff deadline_before_effect
        "The time for the send was over before the client was touched."
        "Send a new handoff with a longer --wait-timeout. Nothing was sent.";
    Handoff unsafe_receipt_channel
        "Others can put another program in the place of htalk, so no recipient can be told to run it."
        "Install htalk where only you or root can write, or send without --wait-for. Nothing was sent.";
    Handoff stale_target
        "At the write the process that was meant had ended or another stood in its place; nobody got anything."
        "Look at the recipient with peer check, and send it a new handoff.";
    Handoff handoff_fanout_runtime_unsupported
        "A handoff goes to one host."
        "Repeat with one --host. Nothing was sent.";
    Handoff remote_preflight_unavailable
        "The other host did not answer before the send: no connection without a password, or no htalk there."
        "Make ssh HOST htalk --version work without a question, and send a new handoff. Nothing was sent.";
    Handoff remote_generation_unsupported
        "The htalk on that host does not tell the processes of a session apart."
        "Install a current htalk there. Nothing was sent.";
    Handoff remote_clock_unsupported
        "The other host has no clock that counts from its boot."
        "Choose a host with CLOCK_BOOTTIME, or use send. Nothing was sent.";
    Handoff remote_native_context_changed
        "On the other host the home or the writer of the recipient changed between the question and the send."
        "Look there with peer discover, and send a new handoff. Nothing was sent.";
    Handoff invalid_remote_native_request
        "What came to this host as a handoff is not what htalk sends."
        "Use the same htalk on both hosts, and send a new handoff. Nothing was sent.";
    Handoff ssh_handoff_response_unknown
        "After the send the answer of the other host is missing or not complete."
        "Do not resend. Ask the recipient what arrived.";
}
