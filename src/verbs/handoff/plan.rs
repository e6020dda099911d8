//! What a handoff submits, and the attempt that it spends.

use std::path::PathBuf;
use std::time::Instant;

use super::budget::{Budget, Goal};
use super::ledger;
use super::message::Message;
use super::receipt::Receipt;
use super::recipient::Target;
use super::remote::Answer;
use crate::call::Call;
use crate::error::Result;
use crate::mailbox::{Arg, Db, Row};
use crate::platform::clock::Moment;
use crate::sql;
use crate::verbs::actor::Actor;

/// What is submitted: who to whom, by when, and what was asked for.
pub struct Plan<'a> {
    /// The call that submits it.
    pub call: &'a Call,
    /// Who hands over.
    pub actor: &'a Actor,
    /// The recipient, as it was looked at.
    pub target: &'a Target,
    /// The message.
    pub message: &'a Message,
    /// The time that there is.
    pub budget: &'a Budget,
    /// What to wait for.
    pub wait_for: Option<Goal>,
    /// Whether the recipient is to get authority.
    pub is_ack_requested: bool,
    /// Whether its delivery was to be observed.
    pub is_observed: bool,
    /// The program that the recipient can be told to run.
    pub handler: Option<PathBuf>,
    /// The other machine, where the session is on one.
    pub remote: Option<Remote>,
}

/// The spent attempt.
pub struct Fence {
    /// The handoff.
    pub id: String,
    /// The receipt that the recipient gets, where it gets authority.
    pub receipt: Option<Receipt>,
    /// The wait that was recorded with it.
    pub wait: Option<Row>,
}

/// The other machine and what it answered.
pub struct Remote {
    /// Its SSH destination.
    pub host: String,
    /// What it answered to the probe.
    pub answer: Answer,
    /// When the answer was here.
    pub answered: Instant,
}

impl Plan<'_> {
    /// The binding, the request and the time as parameters of a statement.
    pub fn args<'a>(&'a self, now: &'a Moment) -> Vec<(&'static str, Arg<'a>)> {
        let mut args = self.target.args(self.call, self.actor, self.message);
        args.extend([
            (":ack_requested", i64::from(self.is_ack_requested).into()),
            (":observe", i64::from(self.is_observed).into()),
        ]);
        args.extend(ledger::seen_at(Some(now)));
        args
    }

    /// What is not as it was prepared, in words.
    pub fn differences(&self, db: &Db, id: Option<&str>) -> Result<String> {
        let mut args = self.target.args(self.call, self.actor, self.message);
        args.push((":id", id.into()));
        let row = db.row(sql::HANDOFF_DIFFERENCES_GET, &args)?.unwrap_or_default();
        Ok(format!("not as prepared: {}", row.text("differences")))
    }
}
