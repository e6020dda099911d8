//! The embedded `sql/` tree and the names of its statements.

use include_dir::{Dir, include_dir};

/// The migrations, in files that refinery knows by their names.
pub static MIGRATIONS: Dir = include_dir!("$CARGO_MANIFEST_DIR/sql/migrations");

/// The pragmas of every connection.
pub const CONNECT: &str = include_str!("../sql/connect.sql");

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
    CLEANUP_GET = "queries/cleanup_get";
    CLEANUP_SAVE = "queries/cleanup_save";
    ERROR_GET = "queries/error_get";
    INBOX_COUNT = "queries/inbox_count";
    INBOX_LIST = "queries/inbox_list";
    MESSAGE_ACK = "queries/message_ack";
    MESSAGE_ANSWER = "queries/message_answer";
    MESSAGE_FIND = "queries/message_find";
    MESSAGE_GET = "queries/message_get";
    MESSAGE_RECOVERY = "queries/message_recovery";
    MESSAGE_REPLY = "queries/message_reply";
    MESSAGE_SEND = "queries/message_send";
    NOTICE_CLAIM = "queries/notice_claim";
    NOTICE_FINISH = "queries/notice_finish";
    NOTICE_STATE = "queries/notice_state";
    PEER_ADD = "queries/peer_add";
    PEER_COUNT_RETIRED = "queries/peer_count_retired";
    PEER_FIND = "queries/peer_find";
    PEER_GET = "queries/peer_get";
    PEER_LIST = "queries/peer_list";
    PEER_RETIRE = "queries/peer_retire";
    SENT_COUNT = "queries/sent_count";
    SENT_LIST = "queries/sent_list";
    WAIT_BELLS = "queries/wait_bells";
    WAIT_EXPIRE = "queries/wait_expire";
    WAIT_REGISTER = "queries/wait_register";
    WAIT_RELEASE = "queries/wait_release";
    WAIT_RETURN = "queries/wait_return";
    LEGACY_MESSAGES_WAIT_RETURNED_AT = "legacy/messages_wait_returned_at";
    LEGACY_PEERS_DELIVERY = "legacy/peers_delivery";
    LEGACY_PEERS_URL = "legacy/peers_url";
    LEGACY_RETIRED_PEERS = "legacy/retired_peers";
    LEGACY_SCHEMA_MISSING = "legacy/schema_missing";
    LEGACY_STEPS = "legacy/steps";
    LEGACY_TABLES = "legacy/tables";
    LEGACY_WAITS = "legacy/waits";
}
