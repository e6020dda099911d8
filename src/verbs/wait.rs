//! `htalk wait REQUEST_ID`, `htalk wait --batch ID`, and the waiting of `send --wait`

use std::path::Path;
use std::time::{Duration, Instant};

use clap::Args;
use uuid::Uuid;

use super::actor::Actor;
use super::id::Id;
use super::number::{Typed, real, whole};
use super::page::{List, Messages};
use super::{Verb, message, post};
use crate::answer::Answer;
use crate::call::Call;
use crate::error::{Error, Result};
use crate::mailbox::bell::{self, Bell};
use crate::mailbox::{self, Access, Arg, Db, Look, Row};
use crate::platform::cleanup::Begun;
use crate::sql;

/// The slow look: how long an answer of a writer that rings no bell can stay unseen.
pub const SLOW_LOOK: Duration = Duration::from_millis(200);

/// Wait for the answer to an own request, or to several. It can be repeated; no answer is lost by not waiting.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  htalk --as me wait 1f0c9d52 --seconds 30\n  \
    htalk --as me wait --batch 5b2d7c1e-9f3a-4c60-8a51-0d6e2f7b9c34 --any")]
pub struct Wait {
    /// The id of the request, or at least its first 8 hexadecimal digits
    #[arg(required_unless_present = "batch")]
    request_id: Option<String>,
    /// Requests to several recipients, by the id of all of them together
    #[arg(long, value_name = "ID", conflicts_with = "request_id")]
    batch: Option<String>,
    /// Only for the first answer to one of them
    #[arg(long)]
    any: bool,
    /// How long, 0 to 45
    #[arg(long, value_name = "N", default_value = "45", value_parser = real, allow_hyphen_values = true)]
    seconds: Typed<f64>,
    /// Of the several only requests with a higher sequence number
    #[arg(long, value_name = "N", value_parser = whole, allow_negative_numbers = true)]
    after_seq: Option<Typed<i64>>,
    #[command(flatten)]
    size: Messages,
}

impl Verb for Wait {
    /// One request has no pages.
    fn misuse(&self) -> Option<String> {
        let is_for_many = self.any || self.after_seq.is_some() || !self.size.is_usual();
        let words = "--any, --after-seq, --limit, --max-bytes and --summary go with --batch";
        (self.batch.is_none() && is_for_many).then(|| words.into())
    }

    /// Prints the request, with its answer or with `wait_ended`; or a page of several.
    fn run(self, call: &Call) -> Result<Answer> {
        if let Some(spelling) = &self.batch {
            return self.for_batch(call, spelling);
        }
        let id = Id::parse(self.request_id.as_deref().unwrap_or_default())?;
        let seconds = seconds(&self.seconds)?;
        let db = call.open(Access::Write)?;
        let actor = Actor::of(call, &db)?;
        let id = id.find(&db, &actor, "unknown_request")?;
        call.progress().message_id = Some(id.clone());
        // Whoever is interrupted from here on knows whether there is such a message.
        call.progress().is_saved = db.row(sql::MESSAGE_GET, &[(":id", id.as_str().into())])?.is_some();
        Answer::done(for_answer(call, &db, &actor, &id, seconds)?)
    }
}

impl Wait {
    fn for_batch(&self, call: &Call, spelling: &str) -> Result<Answer> {
        let seconds = seconds(&self.seconds)?;
        self.size.require(self.after_seq.as_ref())?;
        let batch = post::new_id("--batch", Some(spelling))?;
        let db = call.open(Access::Write)?;
        let actor = Actor::of(call, &db)?;
        match db.row(sql::BATCH_GET, &[(":id", batch.as_str().into())])? {
            None => return Err(Error::new("unknown_batch")),
            Some(found) if found.text("sender") != actor.name => return Err(Error::new("wait_requires_own_request")),
            Some(_) => {}
        }
        {
            let mut progress = call.progress();
            (progress.batch, progress.is_saved) = (Some(batch.clone()), true);
        }
        let members = db.rows(sql::BATCH_MEMBERS, &[(":id", batch.as_str().into())])?;
        let ids: Vec<&str> = members.iter().map(|member| member.text("id")).collect();
        let awaited = Awaited { ids: &ids, is_any_enough: self.any };
        let is_over = awaited.wait(call, &db, &actor, seconds)?;
        let list = List {
            words: &["wait", "--batch", &batch, "--seconds", "0", "--after-seq"],
            start: 0,
            args: &[(":id", batch.as_str().into())],
            list: sql::BATCH_LIST,
            count: sql::BATCH_COUNT,
            nothing: "The batch has no request from here on.",
            something: "Run ack_after_reading of each answer that was read; wait brings a missing one. \
                Never repeat an uncertain notification.",
        };
        let mut answer = db.read(|db| self.size.fill(call, db, &actor, &list, self.after_seq.as_ref()))?;
        if !is_over {
            answer.insert("wait_ended".into(), "timeout".into());
        }
        Answer::done(answer)
    }
}

/// The requests whose answers are awaited.
struct Awaited<'a> {
    ids: &'a [&'a str],
    /// Whether the answer to one of them is enough.
    is_any_enough: bool,
}

/// A number of seconds as a duration, within the bounds of a wait.
pub fn seconds(number: &Typed<f64>) -> Result<Duration> {
    if (0.0..=45.0).contains(&number.value) {
        return Ok(Duration::from_secs_f64(number.value));
    }
    Err(Error::new("wait_seconds_must_be_between_0_and_45").with_detail(&number.text))
}

/// Waits for the answer to a request of the actor.
pub fn for_answer(call: &Call, db: &Db, actor: &Actor, id: &str, limit: Duration) -> Result<Row> {
    Awaited { ids: &[id], is_any_enough: false }.wait(call, db, actor, limit)?;
    ended(db, actor, id)
}

impl Awaited<'_> {
    /// Waits until it is over or the time is; whether it is over.
    fn wait(&self, call: &Call, db: &Db, actor: &Actor, limit: Duration) -> Result<bool> {
        let deadline = Instant::now() + limit;
        let token = Uuid::new_v4().to_string();
        let token_arg = (":token", token.as_str().into());
        let registered = register(call, db.path(), &token)?;
        // The registration carries the rules of a wait, so it is made for a wait of no time too and taken back with it.
        let mut bell = None;
        let is_over = db.write(|db| {
            for expired in db.rows(sql::WAIT_EXPIRE, &[])? {
                bell::remove(db.path(), expired.text("token"));
            }
            for id in self.ids {
                let (actor, seconds) = (actor.name.as_str().into(), Arg::Real(limit.as_secs_f64()));
                let registration = [token_arg, (":id", (*id).into()), (":actor", actor), (":seconds", seconds)];
                db.row(sql::WAIT_REGISTER, &registration)?;
            }
            let is_over = self.take(db)?;
            if is_over || limit.is_zero() {
                db.row(sql::WAIT_RELEASE, &[token_arg])?;
                return Ok(is_over);
            }
            let waiting = db.rows(sql::WAIT_LIST, &[])?;
            bell::clear(db.path(), &waiting.iter().map(|wait| wait.text("token")).collect::<Vec<_>>());
            bell = Some(Bell::hang(db.path(), &token));
            Ok(false)
        });
        // Where nothing was registered, nothing is to be undone; and what follows takes back what was.
        let Some(bell) = bell.filter(|_| is_over.is_ok()) else {
            registered.strike_off();
            return is_over;
        };
        self.listen(call, db, bell, deadline)?;
        // Whoever can't record what the wait returned still gets the answer.
        let is_over = db.write(|db| {
            let is_over = self.take(db)?;
            db.row(sql::WAIT_RELEASE, &[token_arg])?;
            Ok(is_over)
        });
        if is_over.is_err() {
            release(db.path(), &token);
        }
        registered.strike_off();
        is_over.or_else(|_| self.is_over(db))
    }

    /// Whether nothing is left to wait for.
    ///
    /// # Errors
    /// `unknown_request`: only a mailbox that was restored has lost a request.
    fn is_over(&self, db: &Db) -> Result<bool> {
        let mut left = self.ids.len();
        for id in self.ids {
            let request = db.row(sql::REQUEST_GET, &[(":id", (*id).into())])?.ok_or_else(gone)?;
            let is_answered = !request["answer_id"].is_null();
            if is_answered && self.is_any_enough {
                return Ok(true);
            }
            left -= usize::from(is_answered || request.is("is_cancelled"));
        }
        Ok(left == 0)
    }

    /// The same, and records which answers this wait returned.
    fn take(&self, db: &Db) -> Result<bool> {
        let is_over = self.is_over(db)?;
        for id in self.ids {
            let request = db.row(sql::REQUEST_GET, &[(":id", (*id).into())])?.unwrap_or_default();
            if !request["answer_id"].is_null() {
                db.row(sql::WAIT_RETURN, &[(":id", request.text("answer_id").into())])?;
            }
        }
        Ok(is_over)
    }

    /// Returns when it is over, the time is or the call is cancelled.
    fn listen(&self, call: &Call, db: &Db, mut bell: Bell, deadline: Instant) -> Result<()> {
        db.stop_waiting_for_locks()?;
        let mut last = Look::default();
        loop {
            let look = db.may_have_changed(&mut last);
            match look.and_then(|may_be_over| Ok(may_be_over && db.read(|db| self.is_over(db))?)) {
                Ok(true) => return Ok(()),
                Ok(false) => {}
                // A mailbox that is locked right now is looked at again.
                Err(error) if error.is("database_busy") => last = Look::default(),
                Err(error) => return Err(error),
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || call.is_cancelled() {
                return Ok(());
            }
            bell.wait(left.min(SLOW_LOOK));
        }
    }
}

/// Says how the registration of a wait is undone: for a call that is cancelled or fails.
fn register(call: &Call, mailbox: &Path, token: &str) -> Result<Begun> {
    let (mailbox, token) = (mailbox.to_owned(), token.to_owned());
    let undo = move || {
        // Rung too: the waiter is to end now.
        bell::ring(&mailbox, &token);
        bell::remove(&mailbox, &token);
        release(&mailbox, &token);
    };
    Ok(call.scope().begin(|| Ok(((), undo)))?.1)
}

/// Takes a registration back that its own connection can't, as that of a cancelled call, which waits for no lock.
fn release(mailbox: &Path, token: &str) {
    if let Ok(db) = mailbox::reopen(mailbox) {
        let _ = db.write(|db| db.row(sql::WAIT_RELEASE, &[(":token", token.into())]));
    }
}

/// The request as it is at the end of a wait. Where no answer came, it tells what the other one has asked.
fn ended(db: &Db, actor: &Actor, id: &str) -> Result<Row> {
    db.read(|db| {
        let mut answer = message::result(db, actor, id)?;
        if answer["id"].is_null() {
            return Err(gone());
        }
        if answer.text("state") == "cancelled" {
            answer.insert("wait_ended".into(), "cancelled".into());
        } else if answer["reply"].is_null() {
            answer.insert("wait_ended".into(), "timeout".into());
            let asked =
                db.rows(sql::OPEN_REQUESTS_GET, &[(":id", id.into()), (":actor", actor.name.as_str().into())])?;
            let ids: Vec<&str> = asked.iter().map(|request| request.text("id")).collect();
            if !ids.is_empty() {
                let words = format!(
                    "{} has asked {} too and may be waiting: answer open_request_ids with htalk reply first. {}",
                    answer.text("recipient"),
                    actor.name,
                    answer.text("next_action")
                );
                answer.insert("open_request_ids".into(), ids.into());
                answer.insert("next_action".into(), words.into());
            }
        }
        Ok(answer)
    })
}

/// What is waited for was in the mailbox, and is not any more.
fn gone() -> Error {
    Error::new("unknown_request").with_detail("the mailbox was restored to a state without this request")
}
