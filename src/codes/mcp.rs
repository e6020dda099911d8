//! The codes of the MCP front: of messages that are no calls, and of arguments that no tool takes.

use crate::code::codes;

codes! {
    Usage mcp_message_is_not_json
        "A line of the input is not JSON."
        "Send each message as one line of JSON in UTF-8.";
    Usage mcp_message_is_too_long
        "A line of the input is longer than 1,048,576 bytes, and was skipped."
        "Send a shorter message; a text for a peer is at most 32,000 bytes.";
    Usage mcp_message_is_not_a_request
        "A line of the input is JSON, but no request, notification or response of JSON-RPC 2.0."
        "Send one object with jsonrpc, method and, for a request, an id; several in one array are not taken.";
    Usage mcp_is_not_initialized
        "Only initialize and ping are answered before initialize."
        "Send initialize first, with protocol 2025-06-18 or 2025-11-25.";
    Usage mcp_unknown_method
        "This server has no such method."
        "Use initialize, ping, tools/list or tools/call.";
    Usage mcp_invalid_params
        "The params of the request do not have the form of its method."
        "Compare them with the MCP specification: tools/call takes a name and an object of arguments.";
    Usage unknown_tool
        "This server has no tool of this name."
        "Use a tool that tools/list names.";
    Usage unknown_argument
        "The tool takes no argument of this name."
        "Repeat without it; detail names those that the tool takes.";
    Usage argument_missing
        "The tool needs an argument that was not given."
        "Repeat with the argument in detail.";
    Usage invalid_argument
        "An argument has another type or form than the tool takes."
        "See detail, and repeat with an argument as the schema of the tool describes it.";
    Usage argument_too_long
        "An argument is longer than anything that it could name."
        "Repeat with a peer name or an id; only a message may be long.";
}
