//! The codes of Codex: what peer check, a notice, a clean-up and discovery can say.

use crate::code::codes;

codes! {
    Recipient recipient_not_in_codex_state
        "Codex knows no session with this id: it was deleted, or Codex keeps its state elsewhere."
        "Look with peer discover; register with --home where the session has another configuration directory.";
    Recipient recipient_session_archived
        "The session was archived in Codex."
        "Unarchive it in Codex (codex unarchive ID), or ask another peer.";
    Recipient recipient_session_ephemeral
        "This is a session that Codex does not save; it takes no messages."
        "Register a session that a person started; peer discover lists them.";
    Recipient codex_session_not_started_by_a_person
        "This Codex session was started by a program, not by a person at a terminal or editor."
        "Register an interactive session; peer discover lists them.";
    Recipient codex_home_unknown
        "Nothing says where the configuration directory of Codex is."
        "Set HOME or CODEX_HOME, or register the peer with --home.";
    Recipient codex_config_unreadable
        "The config.toml of Codex can not be read, so the place of its state is not known."
        "Repair that file; detail says what is wrong with it.";
    Recipient codex_state_unreadable
        "The state database of Codex can not be read."
        "See detail, and repeat peer check when the cause is gone.";
    Recipient codex_state_layout_unknown
        "This htalk does not know the layout of this Codex's state database."
        "Use a newer htalk, or let the recipient look for itself, with inbox or watch.";
    Recipient codex_state_not_found
        "There is no state database of Codex here."
        "Nothing is to be done where Codex is not used; else set CODEX_HOME to its configuration directory.";
    Recipient codex_app_server_not_running
        "No shared Codex server runs for this configuration directory."
        "Nothing is to be done: sessions without one are found in the state database.";
    Recipient codex_app_server_unusable
        "The Codex app server did not answer as one; the part after the colon says how it failed."
        "See with codex app-server daemon version whether it runs. Nothing was submitted.";
    Recipient codex_app_server_refused
        "The Codex app server refused the request; the number after the colon is its error."
        "See detail, or that of peer check, for its words. Nothing was submitted.";
    Recipient codex_app_server_not_started
        "Codex could not start the server that it needs to reach its queue."
        "Start Codex once by hand to see why. Nothing was submitted.";
    Recipient codex_sandbox_blocks_socket
        "The sandbox of the calling Codex session does not let this command reach the Codex server."
        "Let the command run outside the sandbox, or send to a peer that pulls.";
    Recipient codex_sandbox_read_only_home
        "The configuration directory of Codex is read-only here, as in Codex's own sandbox."
        "Let the command run outside the sandbox. Nothing was submitted.";
    Recipient codex_queue_unsupported
        "This Codex can not queue messages for a session; 0.171.0 can."
        "Update Codex, or let the recipient look for itself, with inbox or watch.";
    Recipient codex_configuration_overrides_refused
        "codex queue refused to run with configuration overrides while a Codex server runs."
        "Look for overrides in the codex that is in PATH. Nothing was submitted.";
    Recipient codex_bad_usage
        "codex queue did not accept its arguments."
        "Use a version of Codex that htalk was tried on.";
    Recipient codex_app_server_unconfirmed_receipt
        "The notice was sent to the Codex app server and not confirmed; the part after the colon says why."
        "Never repeat an uncertain notification; wait for the answer.";
    Recipient codex_cli_unconfirmed_receipt
        "codex queue ended without a receipt for this notice; the part after the colon says how."
        "Never repeat an uncertain notification; wait for the answer.";
    Recipient codex_withdrawal_unconfirmed
        "Codex was asked to remove the queued notice and did not confirm it; the part after the colon says why."
        "Repeat the ack to try again, or leave it: the notice can still arrive and is then needless.";
    Recipient codex_list_incomplete
        "The Codex server has more loaded sessions than were read."
        "Name the session by its id with peer add where it is not listed.";
    Target native_version_unavailable
        "The program codex does not say its version, so it was not told anything."
        "Make codex --version work, and send a new handoff. Nothing was sent.";
    Target inactive_codex_home
        "No running Codex session writes in this home."
        "Start the session with this home, or repeat with --allow-inactive-codex-home. Nothing was sent.";
    Notice codex_app_server_queued
        "The Codex app server queued the notice; the part after the colon is its id there."
        "Nothing is to be done. Queued is not read: recipient_status says what state the session was in.";
    Notice codex_cli_queued
        "codex queue queued the notice; the part after the colon is its id there."
        "Nothing is to be done. Queued is not read: recipient_status says what state the session was in.";
}
