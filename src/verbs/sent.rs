//! `htalk sent`

use clap::Args;

use super::Verb;
use super::number::{Typed, whole};
use super::page::{List, Messages};
use crate::answer::Answer;
use crate::call::Call;
use crate::error::Result;
use crate::sql;

/// List what the calling peer sent, requests and answers, newest first.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  htalk --as me sent --limit 5")]
pub struct Sent {
    /// Only messages with a lower sequence number
    #[arg(long, value_name = "N", value_parser = whole, allow_negative_numbers = true)]
    before_seq: Option<Typed<i64>>,
    #[command(flatten)]
    size: Messages,
}

const LIST: List = List {
    words: &["sent", "--before-seq"],
    start: i64::MAX,
    args: &[],
    list: sql::SENT_LIST,
    count: sql::SENT_COUNT,
    nothing: "Nothing was sent from here on.",
    something: "For each request, wait brings a missing answer and show_reply prints one that came. \
        Never repeat an uncertain notification.",
};

impl Verb for Sent {
    /// Prints the page.
    fn run(self, call: &Call) -> Result<Answer> {
        self.size.page(call, &LIST, self.before_seq.as_ref())
    }
}
