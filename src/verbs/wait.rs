//! `htalk wait REQUEST_ID`, and the waiting of `send --wait`

use std::path::Path;
use std::time::{Duration, Instant};

use clap::Args;
use uuid::Uuid;

use super::actor::Actor;
use super::id::Id;
use super::number::{Typed, real};
use super::{Verb, message};
use crate::answer::Answer;
use crate::call::Call;
use crate::error::{Error, Result};
use crate::mailbox::bell::{self, Bell};
use crate::mailbox::{self, Access, Arg, Db, Look, Row};
use crate::platform::cleanup::Begun;
use crate::sql;

/// The slow look: how long an answer of a writer that rings no bell can stay unseen.
pub const SLOW_LOOK: Duration = Duration::from_millis(200);

/// Wait for the answer to an own request. It can be repeated; the answer is never lost by not waiting.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  htalk --as me wait 1f0c9d52 --seconds 30")]
pub struct Wait {
    /// The id of the request, or at least its first 8 hexadecimal digits
    request_id: String,
    /// How long, 0 to 45
    #[arg(long, value_name = "N", default_value = "45", value_parser = real, allow_hyphen_values = true)]
    seconds: Typed<f64>,
}

impl Verb for Wait {
    /// Prints the request, with its answer or with `wait_ended`.
    fn run(self, call: &Call) -> Result<Answer> {
        let id = Id::parse(&self.request_id)?;
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

/// A number of seconds as a duration, within the bounds of a wait.
pub fn seconds(number: &Typed<f64>) -> Result<Duration> {
    if (0.0..=45.0).contains(&number.value) {
        return Ok(Duration::from_secs_f64(number.value));
    }
    Err(Error::new("wait_seconds_must_be_between_0_and_45").with_detail(&number.text))
}

/// Waits for the answer to a request of the actor.
pub fn for_answer(call: &Call, db: &Db, actor: &Actor, id: &str, limit: Duration) -> Result<Row> {
    let deadline = Instant::now() + limit;
    let token = Uuid::new_v4().to_string();
    let registration = [
        (":token", token.as_str().into()),
        (":id", id.into()),
        (":actor", actor.name.as_str().into()),
        (":seconds", Arg::Real(limit.as_secs_f64())),
    ];
    let registered = register(call, db.path(), &token)?;
    // The registration carries the rules of a wait, so it is made for a wait of no time too and taken back with it.
    let mut bell = None;
    let is_answered = db.write(|db| {
        for expired in db.rows(sql::WAIT_EXPIRE, &[])? {
            bell::remove(db.path(), expired.text("token"));
        }
        db.row(sql::WAIT_REGISTER, &registration)?;
        if take(db, id)? || limit.is_zero() {
            db.row(sql::WAIT_RELEASE, &registration[..1])?;
            return is_answered(db, id);
        }
        let waiting = db.rows(sql::WAIT_LIST, &[])?;
        bell::clear(db.path(), &waiting.iter().map(|wait| wait.text("token")).collect::<Vec<_>>());
        bell = Some(Bell::hang(db.path(), &token));
        Ok(false)
    });
    // Where nothing was registered, nothing is to be undone; and what follows takes back what was.
    let Some(bell) = bell.filter(|_| is_answered.is_ok()) else {
        registered.strike_off();
        return ended(db, actor, id, is_answered?);
    };
    listen(call, db, id, bell, deadline)?;
    // Whoever can't record what the wait returned still gets the answer.
    if db.write(|db| take(db, id).and(db.row(sql::WAIT_RELEASE, &registration[..1]))).is_err() {
        release(db.path(), &token);
    }
    registered.strike_off();
    ended(db, actor, id, false)
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
fn ended(db: &Db, actor: &Actor, id: &str, is_answered: bool) -> Result<Row> {
    db.read(|db| {
        let mut answer = message::result(db, actor, id)?;
        if answer["id"].is_null() {
            return Err(gone());
        }
        if !is_answered && answer["reply"].is_null() {
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

/// Whether the answer is there; if so, records that this wait returned it.
fn take(db: &Db, id: &str) -> Result<bool> {
    let Some(answer) = db.row(sql::MESSAGE_ANSWER, &[(":id", id.into())])? else { return Ok(false) };
    db.row(sql::WAIT_RETURN, &[(":id", answer.text("id").into())])?;
    Ok(true)
}

fn is_answered(db: &Db, id: &str) -> Result<bool> {
    Ok(db.row(sql::MESSAGE_ANSWER, &[(":id", id.into())])?.is_some())
}

/// Whether the answer is there. Only a mailbox that was restored has lost the request.
fn is_over(db: &Db, id: &str) -> Result<bool> {
    match db.read(|db| Ok((is_answered(db, id)?, db.row(sql::MESSAGE_GET, &[(":id", id.into())])?.is_some())))? {
        (_, false) => Err(gone()),
        (is_answered, true) => Ok(is_answered),
    }
}

/// Returns when the answer is there, the time is over or the call is cancelled.
fn listen(call: &Call, db: &Db, id: &str, mut bell: Bell, deadline: Instant) -> Result<()> {
    db.stop_waiting_for_locks()?;
    let mut last = Look::default();
    loop {
        match db.may_have_changed(&mut last).and_then(|may_be_there| Ok(may_be_there && is_over(db, id)?)) {
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
