//! `htalk inbox`

use clap::Args;

use super::Verb;
use super::number::{Typed, whole};
use super::page::{List, Messages};
use crate::answer::Answer;
use crate::call::Call;
use crate::error::Result;
use crate::sql;

/// List the open mail of the calling peer, oldest first: unanswered questions, and unacknowledged answers and notes.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  htalk --as me inbox --summary")]
pub struct Inbox {
    /// Only messages with a higher sequence number
    #[arg(long, value_name = "N", value_parser = whole, allow_negative_numbers = true)]
    after_seq: Option<Typed<i64>>,
    #[command(flatten)]
    size: Messages,
}

const LIST: List = List {
    words: &["inbox", "--after-seq"],
    start: 0,
    args: &[],
    list: sql::INBOX_LIST,
    count: sql::INBOX_COUNT,
    nothing: "No open mail from here on.",
    something: "Run ack_after_reading of each message that was read, and answer requests with htalk reply.",
};

impl Verb for Inbox {
    /// Prints the page.
    fn run(self, call: &Call) -> Result<Answer> {
        self.size.page(call, &LIST, self.after_seq.as_ref())
    }
}
