//! htalk: requests and replies between agent sessions on one machine, in one SQLite mailbox.

use htalk::cli::{self, Asked, Front, Request, Usage};
use htalk::front::{command_line, mcp};

fn main() {
    match cli::parse(std::env::args_os()) {
        Ok(Asked::Verb(Request { wanted, refused, verb })) => command_line::run(wanted, refused, verb),
        Ok(Asked::Front(Front::Mcp, wanted)) => {
            mcp::run(wanted, |words| cli::verb_of(words).map_err(|Usage { text, .. }| text))
        }
        Err(Usage { text, is_misuse }) => command_line::end_with(&text, is_misuse),
    }
}
