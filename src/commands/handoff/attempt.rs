//! The one attempt of a handoff: the fence, and the outcome of the effect behind it.

use std::path::PathBuf;
use std::time::Instant;

use serde_json::{Value, json};
use uuid::Uuid;

use super::super::Done;
use super::binding::Target;
use super::effect::Remote;
use super::ssh;
use super::text::{Message, Receipt};
use super::wait::{self, Budget, Goal};
use super::{object, prepare};
use crate::clients::{Outcome, Submission};
use crate::clock::Moment;
use crate::config::{Actor, text as column};
use crate::db::{Arg, Db, Row};
use crate::error::{Error, Result};
use crate::progress::progress;
use crate::{seal, sql};

/// Bytes of the client's facts that the ledger keeps.
const NATIVE_BYTES: usize = 8192;

/// What is submitted: who to whom, by when, and what was asked for.
pub struct Plan<'a> {
    /// The sender.
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
    wait: Option<Row>,
}

impl Plan<'_> {
    /// Makes the one attempt. `prepared` is the stored binding of a given id.
    pub fn run(&self, db: &Db, id: Option<&str>, prepared: &Row) -> Result<Done> {
        let fence = match super::write(db, |db, now| self.fence(db, now, id)) {
            Ok(fence) => fence,
            Err(error) if ["evidence_unsupported", "deadline_before_effect"].contains(&error.code.as_str()) => {
                return self.refuse(db, id, &error.code);
            }
            Err(error) if error.is("handoff_binding_conflict") && error.detail.is_none() => {
                return Err(error.with_detail(self.differences(prepared)));
            }
            Err(error) => return Err(in_doubt(error)),
        };
        if let Some(wait) = &fence.wait {
            wait::note(&fence.id, wait);
        }
        let outcome = self.submit(&fence);
        self.finish(db, &fence, &outcome)
    }

    fn args<'a>(&'a self, now: &'a Moment) -> Vec<(&'static str, Arg<'a>)> {
        let mut args = self.target.args(self.actor, self.message);
        args.extend([
            (":ack_requested", i64::from(self.is_ack_requested).into()),
            (":observe", i64::from(self.is_observed).into()),
        ]);
        args.extend(super::seen_at(Some(now)));
        args
    }

    /// What is not as it was prepared, in words.
    fn differences(&self, prepared: &Row) -> String {
        let args = self.target.args(self.actor, self.message);
        let names = [
            ("sender", ":actor", "the sender"),
            ("recipient", ":recipient", "the recipient"),
            ("host", ":host", "the host"),
            ("home", ":home", "the home of Codex"),
            ("generation", ":generation", "the process of the session"),
            ("digest", ":digest", "the message"),
        ];
        let differs = |(column, parameter, _): &(&str, &str, &str)| {
            let stored = prepared.get(*column).and_then(Value::as_str);
            args.iter().any(|(name, arg)| {
                name == parameter
                    && !matches!((arg, stored), (Arg::Null, None))
                    && !matches!((arg, stored), (Arg::Text(now), Some(then)) if *now == then)
            })
        };
        let words: Vec<&str> = names.iter().filter(|name| differs(name)).map(|(_, _, words)| *words).collect();
        format!("not as prepared: {}", words.join(", "))
    }

    /// The id that was given, or that of a new handoff.
    fn prepared(&self, db: &Db, id: Option<&str>, args: &[(&'static str, Arg)]) -> Result<String> {
        match id {
            Some(id) => Ok(id.to_owned()),
            None => prepare::record(db, args),
        }
    }

    /// Spends the one attempt, inside a transaction: the fence, the authority between it and its message, the message,
    /// and the wait.
    ///
    /// # Errors
    /// `evidence_unsupported`, `deadline_before_effect`, and what the rules refuse.
    fn fence(&self, db: &Db, now: &Moment, id: Option<&str>) -> Result<Fence> {
        let mut args = self.args(now);
        let id = self.prepared(db, id, &args)?;
        args.push((":id", id.as_str().into()));
        db.row(sql::HANDOFF_ATTEMPT, &args)?;
        let binding = db.row(sql::HANDOFF_BINDING_GET, &args)?.unwrap_or_default();
        let is_capable = binding.get("is_receipt_capable") == Some(&Value::Bool(true)) && self.handler.is_some();
        if self.wait_for.is_some_and(|goal| goal == Goal::Delivered || !is_capable) {
            return Err(Error::new("evidence_unsupported"));
        }
        if Instant::now() >= self.budget.cutoff() {
            return Err(Error::new("deadline_before_effect"));
        }
        let mut receipt = None;
        if self.is_ack_requested && is_capable {
            let minted = Receipt {
                schema_version: 1,
                kind: "receipt".into(),
                ledger_epoch: column(&binding, "ledger_epoch").to_owned(),
                correlation_id: id.clone(),
                target_generation: column(&binding, "generation").to_owned(),
                receipt_id: Uuid::new_v4().to_string(),
                capability: seal::token().ok_or_else(|| Error::new("receipt_authority_unavailable"))?,
            };
            let hash = minted.digest();
            db.row(sql::HANDOFF_MINT, &[(":id", id.as_str().into()), (":hash", hash.as_str().into())])?;
            receipt = Some(minted);
        }
        db.row(sql::MESSAGE_SEND, &args)?;
        progress().begin_handoff(&id);
        let wait = self.wait_for.map(|goal| wait::start(db, &id, goal, self.budget)).transpose()?;
        Ok(Fence { id, receipt, wait })
    }

    /// What the rules say to the attempt; everything is taken back.
    pub fn rehearse(&self, db: &Db, id: Option<&str>) -> Result<Done> {
        db.rehearse(|db| self.fence(db, &super::now()?, id))?;
        progress().forget_handoff();
        let mut object = match id {
            Some(id) => object::of(db, self.actor, id)?,
            None => Row::new(),
        };
        object.insert("dry_run".into(), true.into());
        if id.is_none() {
            object.insert("recipient".into(), self.target.peer["name"].clone());
            object.insert("harness".into(), self.target.peer["harness"].clone());
            object.insert("target_generation".into(), json!(self.target.address.generation));
            object.insert("chars".into(), self.message.chars.into());
            object.insert("bytes".into(), self.message.body.len().into());
        }
        object.insert("native".into(), self.native(true));
        object.insert("next_action".into(), "It could be sent now; repeat without --dry-run.".into());
        Done::ok(object)
    }

    /// Records a refusal before the attempt; that spends the handoff too.
    fn refuse(&self, db: &Db, id: Option<&str>, reason: &str) -> Result<Done> {
        progress().forget_handoff();
        let object = super::write(db, |db, now| {
            let mut args = self.args(now);
            let id = self.prepared(db, id, &args)?;
            args.extend([(":id", id.as_str().into()), (":reason", reason.into())]);
            db.row(sql::HANDOFF_REFUSE, &args)?;
            if let Some(goal) = self.wait_for {
                wait::start(db, &id, goal, self.budget)?;
            }
            object::of(db, self.actor, &id)
        })?;
        object::done(object, false)
    }

    /// Records the outcome, waits where a wait is pending, and answers. Whatever goes wrong from here on, the effect is
    /// what it is: every answer names it, and none says to repeat the command.
    fn finish(&self, db: &Db, fence: &Fence, outcome: &Outcome) -> Result<Done> {
        progress().is_saved = true;
        self.record(db, fence, outcome).and_then(|()| self.answer(db, fence, outcome)).map_err(|error| {
            // Locked once: a second lock in the same expression would wait for the first for ever.
            let progress = progress();
            error
                .with_fact("correlation_id", fence.id.as_str())
                .with_fact("submission", outcome.submission.of_handoff())
                .with_fact("notification_detail", outcome.detail.as_str())
                .with_fact("show", progress.command(&["show", &fence.id]))
                .with_fact("status", progress.command(&["handoff", "status", &fence.id]))
                .with_fact("next_action", "Do not resend: the one attempt was made. Look at it with status.")
        })
    }

    fn record(&self, db: &Db, fence: &Fence, outcome: &Outcome) -> Result<()> {
        let is_submitted = outcome.submission == Submission::Submitted;
        let reason = (!is_submitted).then(|| ssh::bare(&outcome.detail));
        // What another machine says of its target may be long; that it took the text is what counts.
        let native = [self.with_receipt(outcome), json!({ "receipt": outcome.detail })];
        let native = native.map(|native| native.to_string()).into_iter().find(|native| native.len() <= NATIVE_BYTES);
        let native = native.filter(|_| is_submitted);
        super::write(db, |db, now| {
            let mut args = super::at(&fence.id, now).to_vec();
            args.extend([
                (":submission", outcome.submission.of_handoff().into()),
                (":reason", reason.as_deref().into()),
                (":native", native.as_deref().into()),
                (":detail", outcome.detail.as_str().into()),
                (":recipient_status", outcome.recipient_status.into()),
            ]);
            db.row(sql::HANDOFF_FINISH, &args)
        })?;
        Ok(())
    }

    fn answer(&self, db: &Db, fence: &Fence, outcome: &Outcome) -> Result<Done> {
        let is_submitted = outcome.submission == Submission::Submitted;
        let Some(wait) = &fence.wait else {
            return object::done(object::of(db, self.actor, &fence.id)?, is_submitted);
        };
        let object = wait::finish(db, self.actor, &fence.id, wait)?;
        let is_met = is_submitted && wait::is_satisfied(&object);
        object::done(object, is_met)
    }
}

/// A mailbox that failed at the commit of the fence may have it all the same, once it is opened again.
fn in_doubt(error: Error) -> Error {
    let progress = progress();
    match &progress.handoff {
        Some(id) if error.code.starts_with("database_") => error
            .with_fact("correlation_id", id.as_str())
            .with_fact("status", progress.command(&["handoff", "status", id]))
            .with_fact("next_action", "Nothing was sent. Whether the attempt is spent status tells; see detail."),
        _ => error,
    }
}
