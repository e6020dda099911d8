//! htalk: requests and replies between agent sessions on one machine, in one SQLite mailbox.

use htalk::cli;
use htalk::front::command_line;

fn main() {
    match cli::parse(std::env::args_os()) {
        Ok(cli::Request { wanted, refused, verb }) => command_line::run(wanted, refused, verb),
        Err(cli::Usage { text, is_misuse }) => command_line::end_with(&text, is_misuse),
    }
}
