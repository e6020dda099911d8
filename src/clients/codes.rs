//! The codes that several clients make. Each adapter has those of its own.

use crate::code::codes;

codes! {
    Recipient adapter_unavailable
        "The client of this peer is not set up here."
        "Install the client here, or register the session with --home where its configuration directory is elsewhere.";
    Recipient recipient_identity_changed
        "The client has another session, or another workspace, at the registered address."
        "Compare peer check with peer list, and register the session that is meant under a new name.";
    Recipient recipient_socket_unavailable
        "The socket of the recipient is missing, not a socket of this user, or nobody listens on it."
        "Start the client again, or register its socket of today under a new name; peer discover lists what runs.";
    Recipient recipient_unavailable
        "No running client was found at the registered address of this session."
        "Resume the session in its client by its id, or register another one; peer discover lists what runs.";
}
