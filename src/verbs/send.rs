//! `htalk send RECIPIENT…`

use std::ffi::OsString;
use std::mem;

use clap::Args;

use super::actor::Actor;
use super::batch::Batch;
use super::id::Id;
use super::number::{Typed, real};
use super::post::{Post, new_id};
use super::{Verb, body, notice, wait};
use crate::answer::{Answer, Status};
use crate::call::Call;
use crate::error::Result;
use crate::mailbox::Access;

/// Save a request to one peer or to several, then tell each one's client once that mail is waiting.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  htalk --as me send reviewer 'Which test is missing?'\n  \
    htalk --as me send reviewer builder --message 'Does it build on your side?'\n  \
    htalk --as me send reviewer - <<'EOT'\nBackticks, $x and quotes arrive as they are.\nEOT")]
pub struct Send {
    /// The peers to ask; without --message and --message-file the last word is the text, and - is standard input
    #[arg(required = true, value_name = "RECIPIENT")]
    words: Vec<OsString>,
    /// The id of the request: with it, repeating the command is safe
    #[arg(long, value_name = "UUID")]
    id: Option<String>,
    /// An earlier message between both: the request belongs to its conversation
    #[arg(long, value_name = "ID")]
    about: Option<String>,
    /// The id of requests to several: with it, repeating the command is safe
    #[arg(long, value_name = "UUID", conflicts_with_all = ["id", "about", "wait"])]
    batch: Option<String>,
    #[command(flatten)]
    source: body::Source,
    /// Save only; do not tell the recipient's client
    #[arg(long)]
    no_notify: bool,
    /// Wait so long for the answer, 0 to 45 seconds
    #[arg(long, value_name = "SECONDS", default_value = "0", value_parser = real, allow_hyphen_values = true)]
    wait: Typed<f64>,
}

impl Send {
    /// The recipients, each once, and the text where it stands in the line.
    fn addressed(&self) -> (Vec<String>, Option<OsString>) {
        let (recipients, text) = match self.words.split_last() {
            Some((text, recipients)) if !self.source.is_given() && !recipients.is_empty() => (recipients, Some(text)),
            _ => (self.words.as_slice(), None),
        };
        let mut names: Vec<String> = Vec::new();
        for name in recipients.iter().map(|word| word.to_string_lossy()) {
            if !names.iter().any(|known| *known == name) {
                names.push(name.into_owned());
            }
        }
        (names, text.cloned())
    }
}

impl Verb for Send {
    /// There is a text; and what is said of one request goes with one recipient.
    fn misuse(&self) -> Option<String> {
        let (recipients, text) = self.addressed();
        let of_one =
            [("--id", self.id.is_some()), ("--about", self.about.is_some()), ("--wait", self.wait.value > 0.0)];
        let given = of_one.iter().find(|(_, is_given)| *is_given && recipients.len() > 1);
        let words = given.map(|(option, _)| format!("{option} goes with one recipient; several have --batch"));
        words.or_else(|| self.source.misuse(text.as_ref()))
    }

    /// Saves the request, makes the one attempt to notify, and waits where asked to.
    fn run(self, call: &Call) -> Result<Answer> {
        let seconds = wait::seconds(&self.wait)?;
        let (recipients, text) = self.addressed();
        let id = match &self.batch {
            Some(batch) => new_id("--batch", Some(batch))?,
            None => new_id("--id", self.id.as_deref())?,
        };
        let about = self.about.as_deref().map(Id::parse).transpose()?;
        let db = call.open(Access::Write)?;
        let actor = Actor::of(call, &db)?;
        let body = self.source.or(text).read(call)?;
        if self.batch.is_some() || recipients.len() > 1 {
            return Batch { id, recipients }.send(call, &db, &actor, &body, !self.no_notify);
        }
        let about = about.map(|about| about.find(&db, &actor, "unknown_message")).transpose()?;
        let recipient = recipients.first().map(String::as_str).unwrap_or_default();
        let post = Post { id, recipient, kind: "request", about: about.as_deref(), batch: None };
        let (mut answer, mut status) = post.send(call, &db, &actor, &body, !self.no_notify)?;
        if self.wait.value > 0.0 {
            let waited = wait::for_answer(call, &db, &actor, &post.id, seconds);
            let waited = waited.map_err(|error| notice::after_saving(&db, &actor, error, &post.id))?;
            let sent = mem::replace(&mut answer, waited);
            // What only the sending knows.
            for key in ["notification_cleanup", "created"] {
                answer.extend(sent.get(key).map(|value| (key.to_owned(), value.clone())));
            }
            if answer.text("state") == "reply_received" {
                status = Status::Done;
            }
        }
        Answer::ended(answer, status)
    }
}
