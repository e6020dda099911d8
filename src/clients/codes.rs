//! The codes that several clients make. Each adapter has those of its own.

use crate::code::codes;

codes! {
    Recipient adapter_unavailable
        "The client of this peer is not set up here."
        "The message is saved; the recipient finds it in its inbox.";
    Recipient recipient_identity_changed
        "The client has another session, or another workspace, at the registered address."
        "Compare peer check with peer list, and register the session that is meant under a new name.";
    Recipient recipient_socket_unavailable
        "The socket of the recipient is missing, not a socket of this user, or nobody listens on it."
        "Start the client again, or register the socket it uses now. The message is saved.";
    Recipient recipient_unavailable
        "No running client was found at the registered address of this session."
        "The message is saved. peer discover lists what runs; register a new session under another name.";
}
