//! The one attempt of a handoff: the fence, and the outcome of the effect behind it.

use std::time::Instant;

use serde_json::{Value, json};
use uuid::Uuid;

use super::budget::Goal;
use super::plan::{Fence, Plan};
use super::receipt::Receipt;
use super::{ledger, prepare, record, remote, wait};
use crate::answer::Answer;
use crate::clients::{Outcome, Submission};
use crate::error::{Error, Result};
use crate::mailbox::{Arg, Db, Row};
use crate::platform::clock::Moment;
use crate::{seal, sql};

/// Bytes of the client's facts that the ledger keeps.
const NATIVE_BYTES: usize = 8192;

impl Plan<'_> {
    /// Makes the one attempt: of a prepared handoff, or of a new one.
    pub fn run(&self, db: &Db, id: Option<&str>) -> Result<Answer> {
        let fence = match ledger::write(db, |db, now| self.fence(db, now, id)) {
            Ok(fence) => fence,
            Err(error) if ["evidence_unsupported", "deadline_before_effect"].contains(&error.code.as_str()) => {
                return self.refuse(db, id, &error.code);
            }
            Err(error) if error.is("handoff_binding_conflict") && error.detail.is_none() => {
                return Err(error.with_detail(self.differences(db, id)?));
            }
            Err(error) => return Err(self.in_doubt(error)),
        };
        // The fence and its message are committed: so says an interrupt from here on.
        self.call.progress().is_saved = true;
        let outcome = self.submit(&fence);
        self.finish(db, &fence, &outcome)
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
                ledger_epoch: binding.text("ledger_epoch").to_owned(),
                correlation_id: id.clone(),
                target_generation: binding.text("generation").to_owned(),
                receipt_id: Uuid::new_v4().to_string(),
                capability: seal::token().ok_or_else(|| Error::new("receipt_authority_unavailable"))?,
            };
            let hash = minted.digest();
            db.row(sql::HANDOFF_MINT, &[(":id", id.as_str().into()), (":hash", hash.as_str().into())])?;
            receipt = Some(minted);
        }
        db.row(sql::MESSAGE_HAND_OVER, &args)?;
        self.call.progress().begin_handoff(&id);
        let wait = self.wait_for.map(|goal| wait::start(db, self.actor, &id, goal, self.budget)).transpose()?;
        Ok(Fence { id, receipt, wait })
    }

    /// What the rules say to the attempt; everything is taken back.
    pub fn rehearse(&self, db: &Db, id: Option<&str>) -> Result<Answer> {
        db.rehearse(|db| self.fence(db, &ledger::now()?, id))?;
        self.call.progress().forget_handoff();
        let mut object = match id {
            Some(id) => record::of(db, self.actor, id)?,
            None => Row::default(),
        };
        object.insert("dry_run".into(), true.into());
        if id.is_none() {
            object.insert("recipient".into(), self.target.peer["name"].clone());
            object.insert("harness".into(), self.target.peer["harness"].clone());
            if let Some(generation) = &self.target.address.generation {
                object.insert("target_generation".into(), generation.as_str().into());
            }
            object.insert("chars".into(), self.message.chars.into());
            object.insert("bytes".into(), self.message.body.len().into());
        }
        object.insert("native".into(), self.native(true));
        object.insert("next_action".into(), "It could be sent now; repeat without --dry-run.".into());
        Answer::done(object)
    }

    /// Records a refusal before the attempt; that spends the handoff too.
    fn refuse(&self, db: &Db, id: Option<&str>, reason: &str) -> Result<Answer> {
        self.call.progress().forget_handoff();
        let object = ledger::write(db, |db, now| {
            let mut args = self.args(now);
            let id = self.prepared(db, id, &args)?;
            args.extend([(":id", id.as_str().into()), (":reason", reason.into())]);
            db.row(sql::HANDOFF_REFUSE, &args)?;
            if let Some(goal) = self.wait_for {
                wait::start(db, self.actor, &id, goal, self.budget)?;
            }
            record::of(db, self.actor, &id)
        })?;
        record::done(object, false)
    }

    /// Records the outcome, waits where a wait is pending, and answers. Whatever goes wrong from here on, the effect is
    /// what it is: every answer names it, and none says to repeat the command.
    fn finish(&self, db: &Db, fence: &Fence, outcome: &Outcome) -> Result<Answer> {
        self.record(db, fence, outcome).and_then(|()| self.answer(db, fence, outcome)).map_err(|error| {
            error
                .with_fact("correlation_id", fence.id.as_str())
                .with_fact("submission", outcome.submission.of_handoff())
                .with_fact("notification_detail", outcome.detail.as_str())
                .with_way("show", &["show", &fence.id])
                .with_way("status", &["handoff", "status", &fence.id])
                .with_next_action("Do not resend: the one attempt was made. Look at it with status.")
        })
    }

    fn record(&self, db: &Db, fence: &Fence, outcome: &Outcome) -> Result<()> {
        let is_submitted = outcome.submission == Submission::Submitted;
        let reason = (!is_submitted).then(|| remote::bare(&outcome.detail));
        // What another machine says of its target may be long; that it took the text is what counts.
        let native = [self.with_receipt(outcome), json!({ "receipt": outcome.detail })];
        let native = native.map(|native| native.to_string()).into_iter().find(|native| native.len() <= NATIVE_BYTES);
        let native = native.filter(|_| is_submitted);
        ledger::write(db, |db, now| {
            let mut args = ledger::at(&fence.id, now).to_vec();
            args.extend([
                (":submission", outcome.submission.of_handoff().into()),
                (":reason", reason.as_deref().into()),
                (":native", native.as_deref().into()),
                (":detail", outcome.detail.as_str().into()),
                (":queue_id", outcome.queue_id.as_deref().into()),
                (":recipient_status", outcome.recipient_status.into()),
            ]);
            db.row(sql::HANDOFF_FINISH, &args)
        })?;
        Ok(())
    }

    fn answer(&self, db: &Db, fence: &Fence, outcome: &Outcome) -> Result<Answer> {
        let is_submitted = outcome.submission == Submission::Submitted;
        let Some(wait) = &fence.wait else {
            return record::done(record::of(db, self.actor, &fence.id)?, is_submitted);
        };
        let object = wait::finish(self.call, db, self.actor, &fence.id, wait)?;
        let is_met = is_submitted && wait::is_satisfied(&object);
        record::done(object, is_met)
    }

    /// A mailbox that failed at the commit of the fence may have it all the same, once it is opened again.
    fn in_doubt(&self, error: Error) -> Error {
        let progress = self.call.progress();
        match progress.message_id.as_deref().filter(|_| progress.is_handoff) {
            Some(id) if error.code.starts_with("database_") => error
                .with_fact("correlation_id", id)
                .with_way("status", &["handoff", "status", id])
                .with_next_action("Nothing was sent. Run status to see whether the attempt was used; see detail."),
            _ => error,
        }
    }
}
