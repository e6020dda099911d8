//! `htalk peer list`

use clap::Args;

use super::Verb;
use super::page::Size;
use crate::answer::Answer;
use crate::call::Call;
use crate::error::Result;
use crate::sql;

/// List the registered peers by name.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  htalk peer list --all")]
pub struct PeerList {
    /// Retired peers too
    #[arg(long)]
    all: bool,
    /// Only peers whose names come after this one
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    after: Option<String>,
    #[command(flatten)]
    size: Size,
}

impl Verb for PeerList {
    /// Prints a page of peers, and how many retired ones are left out of all pages.
    fn run(self, call: &Call) -> Result<Answer> {
        self.size.require()?;
        Answer::done(call.read(|db| {
            let [all, after] =
                [(":all", i64::from(self.all).into()), (":after", self.after.as_deref().unwrap_or_default().into())];
            let counts = db.row(sql::PEER_COUNT, &[all, after])?.unwrap_or_default();
            let mut page = self.size.page(call);
            let mut last = String::new();
            db.each(sql::PEER_LIST, &[all, after, (":limit", self.size.rows())], |peer| {
                let name = peer.text("name").to_owned();
                let is_taken = page.take(peer.into());
                if is_taken {
                    last = name;
                }
                Ok(is_taken)
            })?;
            let options: &[&str] = if self.all { &["--all"] } else { &[] };
            let words = ["peer", "list", "--after", &last];
            let mut answer = page.answer("peers", counts.number("total"), counts.number("remaining"), &words, options);
            if !self.all {
                answer.shift_insert(1, "retired_hidden".into(), counts["retired"].clone());
            }
            Ok(answer)
        })?)
    }
}
