//! `htalk handoff send [ID]`

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::super::Done;
use super::binding::{Recipient, Target};
use super::ssh::{self, Answer, Deadline, Step};
use super::text::{self, Message, Receipt};
use super::wait::{self, Budget, Goal};
use super::{object, prepare};
use crate::clients::{self, Outcome, Submission};
use crate::clock::Moment;
use crate::config::{Actor, Run, text as column};
use crate::db::{Access, Arg, Db, Row};
use crate::error::{Error, Result};
use crate::progress::progress;
use crate::{seal, sql};

/// Bytes of the client's facts that the ledger keeps.
const NATIVE_BYTES: usize = 8192;

/// Submit a prepared message, or a new one, to one recipient process at most once. What is not known afterwards stays
/// unknown; nothing is ever tried again.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  htalk --as me handoff send --to reviewer --request-ack --message-file plan.txt\n  \
    htalk --as me handoff send 1f0c9d52-7c1e-4a5b-9d3e-2f6a8b4c0d1e --to reviewer --message-file plan.txt"
)]
pub struct Send {
    /// The id of a prepared handoff; without one it is prepared now
    id: Option<String>,
    #[command(flatten)]
    recipient: Recipient,
    /// A file that only its owner can read or write, with the message; - is standard input
    #[arg(long, value_name = "PATH", default_value = "-")]
    message_file: PathBuf,
    /// Give the recipient a token with which it can acknowledge, where that is possible
    #[arg(long)]
    request_ack: bool,
    /// Observe whether the message came before the model; no client tells that
    #[arg(long)]
    observe_delivery: bool,
    /// Wait for this; where it can't be observed nothing is sent, and the handoff is spent
    #[arg(long, value_name = "GOAL")]
    wait_for: Option<Goal>,
    /// Seconds in all, 6 to 60; the last 5 are kept for cleaning up, so 30 sends and waits for 25
    #[arg(long, value_name = "N", default_value = "30", allow_hyphen_values = true)]
    wait_timeout: String,
    /// Look whether it could be sent now; nothing is written or sent. Not with --request-ack, --wait-for and the like
    #[arg(long, conflicts_with_all = ["request_ack", "observe_delivery", "wait_for"])]
    dry_run: bool,
}

/// What is submitted: who to whom, by when, and what was asked for.
struct Plan<'a> {
    actor: &'a Actor,
    target: &'a Target,
    message: &'a Message,
    budget: &'a Budget,
    wait_for: Option<Goal>,
    is_ack_requested: bool,
    is_observed: bool,
    handler: Option<PathBuf>,
}

/// The spent attempt.
struct Fence {
    id: String,
    /// The receipt that the recipient gets, where it gets authority.
    receipt: Option<Receipt>,
    /// The wait that was recorded with it.
    wait: Option<Row>,
}

impl Send {
    /// Prints the handoff as it is after the one attempt, and after the wait where one was asked for.
    pub fn run(self, run: &Run) -> Result<Done> {
        let budget = Budget::parse(&self.wait_timeout)?;
        let id = self.id.as_deref().map(super::correlation_id).transpose()?;
        self.attempt(run, &budget, id.as_deref()).map_err(|error| match &id {
            Some(id) if error.is("handoff_id_unknown") => object::unknown(id, "handoff_id_unknown", "id_unknown"),
            Some(id) => error.with_fact("status", progress().command(&["handoff", "status", id])),
            None => error,
        })
    }

    fn attempt(self, run: &Run, budget: &Budget, id: Option<&str>) -> Result<Done> {
        if budget.is_short() {
            return Err(Error::new("insufficient_budget").with_detail(format!("{} seconds", budget.seconds)));
        }
        let (db, actor) = super::open_as_actor(run, Access::Write)?;
        let message = Message::read(&self.message_file, budget.cutoff())?;
        let mut target = self.recipient.named(&db, true)?;
        target.address.until = Some(budget.end());
        let prepared = match id {
            Some(id) => db.row(sql::HANDOFF_BINDING_GET, &[(":id", id.into())])?,
            None => None,
        };
        // A client is asked only for what may still be sent; of the rest the fence says what is wrong.
        let may_be_sent = id.is_none() || prepared.as_ref().is_some_and(|row| column(row, "phase") == "prepared");
        let is_hopeless = self.wait_for.is_some() && !target.can_acknowledge();
        let mut remote = None;
        match target.host.clone() {
            _ if !may_be_sent => {}
            _ if is_hopeless => target.take_as_prepared(prepared.as_ref()),
            None => target.look()?,
            Some(host) => {
                let left = budget.cutoff().saturating_duration_since(Instant::now());
                let answer = target.look_remotely(&host, prepared.as_ref(), left)?;
                remote = Some(Remote { host, answered: Instant::now(), answer });
            }
        }
        if id.is_none() {
            target.objection()?;
        }
        let is_ack_requested = self.request_ack || self.wait_for == Some(Goal::Acknowledged);
        let plan = Plan {
            actor: &actor,
            target: &target,
            message: &message,
            budget,
            wait_for: self.wait_for,
            is_ack_requested,
            is_observed: self.observe_delivery || self.wait_for == Some(Goal::Delivered),
            handler: if is_ack_requested { text::handler() } else { None },
        };
        // Nobody could be told how to acknowledge, which is nothing that the handoff could help.
        if self.wait_for == Some(Goal::Acknowledged) && target.can_acknowledge() && plan.handler.is_none() {
            return Err(Error::new("unsafe_receipt_channel"));
        }
        if self.dry_run {
            return plan.rehearse(&db, id);
        }
        let fence = match super::write(&db, |db, now| plan.fence(db, now, id)) {
            Ok(fence) => fence,
            Err(error) if ["evidence_unsupported", "deadline_before_effect"].contains(&error.code.as_str()) => {
                return plan.refuse(&db, id, &error.code);
            }
            Err(error) if error.is("handoff_binding_conflict") && error.detail.is_none() => {
                return Err(error.with_detail(plan.differences(&prepared.unwrap_or_default())));
            }
            Err(error) => return Err(in_doubt(error)),
        };
        if let Some(wait) = &fence.wait {
            wait::note(&fence.id, wait);
        }
        let outcome = match &remote {
            None => plan.submit(&fence),
            Some(remote) => plan.submit_remotely(&fence, remote),
        };
        plan.finish(&db, &fence, &outcome)
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

/// The other machine and what it answered.
struct Remote {
    host: String,
    answer: Answer,
    /// When the answer was here.
    answered: Instant,
}

impl Plan<'_> {
    fn args<'a>(&'a self, now: &'a Moment) -> Vec<(&'static str, Arg<'a>)> {
        let mut args = self.target.args(self.actor, self.message);
        args.extend([
            (":ack_requested", i64::from(self.is_ack_requested).into()),
            (":observe", i64::from(self.is_observed).into()),
            (":boot", now.boot.as_str().into()),
            (":now_ns", now.ns.into()),
        ]);
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
    fn rehearse(&self, db: &Db, id: Option<&str>) -> Result<Done> {
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

    /// The one effect on this machine.
    fn submit(&self, fence: &Fence) -> Outcome {
        let recipient = column(&self.target.peer, "name");
        let receipt = self.handler.as_deref().zip(fence.receipt.as_ref());
        let words = text::notice(recipient, &self.actor.name, &fence.id, receipt);
        let Some(client) = clients::client(column(&self.target.peer, "harness")) else {
            return Outcome::refused("adapter_unavailable", None);
        };
        let cutoff = self.budget.cutoff();
        client.notify(&self.target.address, &words, &mut || {
            (Instant::now() >= cutoff).then_some("deadline_before_effect")
        })
    }

    /// The one effect on another machine. Only its own line about just this handoff says what came of it.
    fn submit_remotely(&self, fence: &Fence, remote: &Remote) -> Outcome {
        let words = text::quoted(&self.actor.name, &fence.id, &self.message.body);
        let mut request = self.target.request(Step::Submit, &fence.id);
        request.text_bytes = words.len() as u32;
        // The other clock was read before its answer was here, so its deadline is not after the one of this side.
        let left = self.budget.cutoff().saturating_duration_since(remote.answered).as_nanos() as i64;
        request.deadline = remote.answer.now.clone().map(|now| Deadline { ns: now.ns.saturating_add(left), ..now });
        let time = self.budget.end().saturating_duration_since(Instant::now());
        match ssh::submit(&remote.host, &request, &words, time) {
            Err(_) => Outcome::refused("adapter_unavailable", None),
            Ok(Some(answer)) => answer.outcome(),
            Ok(None) => Outcome {
                submission: Submission::Unknown,
                detail: "ssh_handoff_response_unknown".into(),
                recipient_status: None,
            },
        }
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
            let mut args = wait::at(&fence.id, now).to_vec();
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

    /// What is known of the target and the message.
    fn native(&self, is_dry_run: bool) -> Value {
        let mut native = Map::new();
        native.insert("target".into(), self.target.binding.target.clone().into());
        native.insert("chars".into(), self.message.chars.into());
        native.insert("dry_run".into(), is_dry_run.into());
        if let Some(context) = &self.target.binding.context {
            native.insert("context".into(), context.clone().into());
        }
        // What prepare did not bind the probe found.
        if let Some(generation) = self.target.address.generation.as_ref().filter(|_| self.target.host.is_some()) {
            native.insert("target_generation".into(), generation.as_str().into());
        }
        native.into()
    }

    /// The same with what the client answered. Codex queues; that the item is consumed it does not say.
    fn with_receipt(&self, outcome: &Outcome) -> Value {
        let mut native = self.native(false);
        native["receipt"] = outcome.detail.as_str().into();
        if let Some((kind, queue_id)) = outcome.detail.split_once(':').filter(|(kind, _)| kind.ends_with("_queued")) {
            native["transport"] = kind.trim_end_matches("_queued").into();
            native["status"] = "queued".into();
            native["submitted"] = true.into();
            native["consumption_confirmed"] = false.into();
            native["queue_id"] = queue_id.into();
        }
        native
    }
}

impl Answer {
    /// The outcome that the other side states. What no htalk says proves nothing.
    fn outcome(&self) -> Outcome {
        let (submission, detail) = match (self.status.as_str(), self.detail.as_deref()) {
            ("submitted", Some(detail)) => (Submission::Submitted, detail),
            ("refused", Some(detail)) => (Submission::NotSubmitted, detail),
            ("unknown", Some(detail)) => (Submission::Unknown, detail),
            _ => (Submission::Unknown, "ssh_handoff_response_unknown"),
        };
        const STATES: [&str; 7] = ["idle", "active", "busy", "waiting", "retry", "not_loaded", "unknown"];
        let state = self.recipient_status.as_deref();
        Outcome {
            submission,
            detail: detail.to_owned(),
            recipient_status: STATES.into_iter().find(|known| Some(*known) == state),
        }
    }
}
