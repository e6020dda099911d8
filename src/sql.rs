//! The embedded `sql/` tree and the names of its statements.

use include_dir::{Dir, include_dir};

/// The migrations, in files that refinery knows by their names.
pub static MIGRATIONS: Dir = include_dir!("$CARGO_MANIFEST_DIR/sql/migrations");

/// The ledger of handoffs, as migrations of its own: only `htalk handoff init` adds it to a mailbox.
pub static HANDOFF: Dir = include_dir!("$CARGO_MANIFEST_DIR/sql/handoff");

/// The pragmas of every connection.
pub const CONNECT: &str = include_str!("../sql/connect.sql");

/// What a person runs to mark a file as a mailbox, with places for the two numbers.
pub const MARKS: &str = include_str!("../sql/marks.sql");

/// One statement of `sql/queries` or `sql/legacy`.
#[derive(Debug, Clone, Copy)]
pub struct Statement(pub &'static str);

/// Binds a name to the text of its file; a missing file does not compile.
macro_rules! statements {
    ($($name:ident = $file:literal;)*) => {
        $(
            #[doc = concat!("The statement in `sql/", $file, ".sql`.")]
            pub const $name: Statement = Statement(include_str!(concat!("../sql/", $file, ".sql")));
        )*
    };
}

statements! {
    MESSAGE_COUNT = "copies/message_count";
    COPY_REWRITE = "copies/rewrite";
    ADDRESS_GET = "queries/address_get";
    BATCH_BEGIN = "queries/batch_begin";
    BATCH_COUNT = "queries/batch_count";
    BATCH_GET = "queries/batch_get";
    BATCH_GIVE_UP = "queries/batch_give_up";
    BATCH_LIST = "queries/batch_list";
    BATCH_MEMBERS = "queries/batch_members";
    CLEANUP_GET = "queries/cleanup_get";
    CLEANUP_SAVE = "queries/cleanup_save";
    ERROR_GET = "queries/error_get";
    HANDOFF_ACK = "queries/handoff_ack";
    HANDOFF_ACK_GET = "queries/handoff_ack_get";
    HANDOFF_ATTEMPT = "queries/handoff_attempt";
    HANDOFF_AUTHORITY_GET = "queries/handoff_authority_get";
    HANDOFF_BINDING_GET = "queries/handoff_binding_get";
    HANDOFF_CONFIRM = "queries/handoff_confirm";
    HANDOFF_COUNT = "queries/handoff_count";
    HANDOFF_DIFFERENCES_GET = "queries/handoff_differences_get";
    HANDOFF_EPOCH_ADD = "queries/handoff_epoch_add";
    HANDOFF_EPOCH_QUARANTINE = "queries/handoff_epoch_quarantine";
    HANDOFF_EXPIRE = "queries/handoff_expire";
    HANDOFF_FIND = "queries/handoff_find";
    HANDOFF_FINISH = "queries/handoff_finish";
    HANDOFF_GET = "queries/handoff_get";
    HANDOFF_LIST = "queries/handoff_list";
    HANDOFF_MINT = "queries/handoff_mint";
    HANDOFF_OLD_GET = "queries/handoff_old_get";
    HANDOFF_OPEN_LIST = "queries/handoff_open_list";
    HANDOFF_PREPARE = "queries/handoff_prepare";
    HANDOFF_REFUSE = "queries/handoff_refuse";
    HANDOFF_ROUTE_GET = "queries/handoff_route_get";
    HANDOFF_WAIT_GET = "queries/handoff_wait_get";
    HANDOFF_WAIT_SETTLE = "queries/handoff_wait_settle";
    HANDOFF_WAIT_START = "queries/handoff_wait_start";
    HANDOFF_WAIT_STOP = "queries/handoff_wait_stop";
    INBOX_COUNT = "queries/inbox_count";
    INBOX_LIST = "queries/inbox_list";
    INBOX_OTHERS = "queries/inbox_others";
    MESSAGE_ACK = "queries/message_ack";
    MESSAGE_ANSWER = "queries/message_answer";
    MESSAGE_CANCEL = "queries/message_cancel";
    MESSAGE_FIND = "queries/message_find";
    MESSAGE_GET = "queries/message_get";
    MESSAGE_HAND_OVER = "queries/message_hand_over";
    MESSAGE_RECOVERY = "queries/message_recovery";
    MESSAGE_REPLY = "queries/message_reply";
    MESSAGE_SEND = "queries/message_send";
    NOTICE_CLAIM = "queries/notice_claim";
    NOTICE_FINISH = "queries/notice_finish";
    NOTICE_NUDGE = "queries/notice_nudge";
    NOTICE_STATE = "queries/notice_state";
    OPEN_REQUESTS_GET = "queries/open_requests_get";
    OTHER_SIDE_GET = "queries/other_side_get";
    PEER_ADD = "queries/peer_add";
    PEER_COUNT = "queries/peer_count";
    PEER_FIND = "queries/peer_find";
    PEER_GET = "queries/peer_get";
    PEER_LIST = "queries/peer_list";
    PEER_MAIL_COUNT = "queries/peer_mail_count";
    PEER_MOVE = "queries/peer_move";
    PEER_NAMES = "queries/peer_names";
    PEER_RETIRE = "queries/peer_retire";
    REQUEST_GET = "queries/request_get";
    SENT_COUNT = "queries/sent_count";
    SENT_LIST = "queries/sent_list";
    THREAD_COUNT = "queries/thread_count";
    THREAD_GET = "queries/thread_get";
    THREAD_LIST = "queries/thread_list";
    WAIT_BELLS = "queries/wait_bells";
    WAIT_EXPIRE = "queries/wait_expire";
    WAIT_LIST = "queries/wait_list";
    WAIT_REGISTER = "queries/wait_register";
    WAIT_RELEASE = "queries/wait_release";
    WAIT_RETURN = "queries/wait_return";
    LEGACY_MESSAGES_WAIT_RETURNED_AT = "legacy/messages_wait_returned_at";
    LEGACY_PEERS_DELIVERY = "legacy/peers_delivery";
    LEGACY_PEERS_URL = "legacy/peers_url";
    LEGACY_RETIRED_PEERS = "legacy/retired_peers";
    LEGACY_SCHEMA_LIST = "legacy/schema_list";
    LEGACY_SCHEMA_MISSING = "legacy/schema_missing";
    LEGACY_STEPS = "legacy/steps";
    LEGACY_TABLES = "legacy/tables";
    LEGACY_WAITS = "legacy/waits";
}
