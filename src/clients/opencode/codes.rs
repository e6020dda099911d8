//! The codes of OpenCode: what peer check, a notice, a clean-up and discovery can say.

use crate::code::codes;

codes! {
    Usage invalid_opencode_url
        "The URL of an OpenCode server is http or https, a host, a port and a path, and nothing else."
        "Repeat with a URL like http://127.0.0.1:4096.";
    Usage opencode_url_must_be_loopback
        "htalk speaks to OpenCode servers on this machine only: localhost or a loopback address."
        "Start the server on 127.0.0.1 and repeat with its URL.";
    Recipient recipient_not_in_opencode_server
        "The OpenCode server does not know this session (404)."
        "Look with peer discover which sessions it has, and register one.";
    Recipient opencode_unauthorized
        "The OpenCode server demands other credentials (401); it did nothing."
        "Set OPENCODE_SERVER_PASSWORD, and OPENCODE_SERVER_USERNAME where it is not opencode, as the server has them.";
    Recipient opencode_request_refused
        "The OpenCode server refused the request with this 4xx status; it did nothing."
        "Look what is at this URL: another program, or an OpenCode that htalk was not tried on.";
    Recipient opencode_server_error
        "The OpenCode server failed with this 5xx status."
        "Look at the log of the server. A notice that ended so may have been accepted; never repeat it.";
    Recipient opencode_unexpected_answer
        "The server answered with a status that OpenCode does not give here, such as a redirect."
        "Look whether another program is at this URL. A notice that ended so may have been accepted; never repeat it.";
    Recipient opencode_invalid_answer
        "The answer is not HTTP, not JSON, or not what OpenCode sends."
        "Look whether another program is at this URL. A notice that ended so may have been accepted; never repeat it.";
    Recipient opencode_answer_too_large
        "The answer of the server was longer than htalk reads."
        "Look whether another program is at this URL. A notice that ended so may have been accepted; never repeat it.";
    Recipient opencode_timed_out
        "The server did not answer in time."
        "Look at the server. A notice that is submission_unknown may have been accepted; never repeat it.";
    Recipient opencode_connection_closed
        "The server closed the connection before its answer was complete."
        "Look at the server. A notice that is submission_unknown may have been accepted; never repeat it.";
    Recipient opencode_tls_failed
        "No secure connection: the certificate is not trusted, not for this host, or there is no TLS here."
        "Name the certificate in SSL_CERT_FILE, or register the http URL.";
    Recipient opencode_server_of_another_user
        "The port belongs to another user's program; nothing was sent to it."
        "Start the server as the same user, or register the right port.";
    Recipient opencode_child_session
        "This session was started by another session and ends with its task."
        "Register the session that a person works with.";
    Recipient opencode_server_unreachable
        "Nothing answers at this URL; for discovery only."
        "Start OpenCode with opencode serve, or with --port, and name its URL with --opencode-url.";
    Recipient opencode_state_not_found
        "OpenCode has no database here; for discovery only."
        "Start OpenCode once, or name its database in OPENCODE_DB.";
    Recipient opencode_state_unreadable
        "OpenCode's database can't be read; for discovery only."
        "Look at the named file. A running server is asked all the same.";
    Recipient opencode_state_layout_unknown
        "OpenCode's database has a layout that htalk does not know; for discovery only."
        "Name a running server with --opencode-url, or register the session by its id.";
    Recipient opencode_list_incomplete
        "The server's list ended before all its sessions were seen; for discovery only."
        "Register a session that is missing by its id.";
    Notice opencode_prompt_accepted
        "The OpenCode server accepted the notice as a prompt of the session (204)."
        "Nothing is to be done. Accepted is not read: the recipient's ack says that.";
}
