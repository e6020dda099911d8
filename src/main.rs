//! htalk: requests and replies between agent sessions on one machine, in one SQLite mailbox.

mod bell;
mod caller;
mod cli;
mod clients;
mod clock;
mod commands;
mod config;
mod db;
mod error;
mod interrupt;
mod output;
mod process;
mod progress;
mod seal;
mod sql;

use std::process::exit;

fn main() {
    let cli = cli::parse();
    interrupt::listen();
    let done = commands::run(cli);
    if done.value.as_ref().is_some_and(|value| !output::object(value)) {
        // An interrupt has answered and is about to end the process.
        std::thread::park();
    }
    exit(done.exit);
}
