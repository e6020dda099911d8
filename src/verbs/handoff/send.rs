//! `htalk handoff send [ID]`

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;

use super::budget::{Budget, Goal};
use super::ledger;
use super::message::Message;
use super::notice;
use super::plan::Plan;
use super::plan::Remote;
use super::recipient::Recipient;
use super::record;
use crate::answer::{Answer, Status as Ending};
use crate::call::Call;
use crate::error::{Error, Result};
use crate::mailbox::Access;
use crate::sql;
use crate::verbs::Verb;

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

impl Verb for Send {
    const REFUSED: Ending = Ending::Unmet;

    /// Prints the handoff as it is after the one attempt, and after the wait where one was asked for.
    fn run(self, call: &Call) -> Result<Answer> {
        let budget = Budget::parse(&self.wait_timeout)?;
        let id = self.id.as_deref().map(ledger::correlation_id).transpose()?;
        self.attempt(call, &budget, id.as_deref()).map_err(|error| match &id {
            Some(id) if error.is("handoff_id_unknown") => record::unknown(id, "handoff_id_unknown", "id_unknown"),
            // Before the actor is known no command can be named that works.
            Some(id) if call.progress().actor.is_some() => error.with_way("status", &["handoff", "status", id]),
            _ => error,
        })
    }
}

impl Send {
    fn attempt(self, call: &Call, budget: &Budget, id: Option<&str>) -> Result<Answer> {
        if budget.is_short() {
            return Err(Error::new("insufficient_budget").with_detail(format!("{} seconds", budget.seconds)));
        }
        let (db, actor) = ledger::open_as_actor(call, Access::Write)?;
        let message = Message::read(call, &self.message_file, budget.cutoff())?;
        let mut target = self.recipient.named(call, &db, true)?;
        target.address.until = Some(budget.patience());
        let prepared = match id {
            Some(id) => db.row(sql::HANDOFF_BINDING_GET, &ledger::at(id, &budget.start))?,
            None => None,
        };
        // A client is asked only for what may still be sent; of the rest the fence says what is wrong.
        let may_be_sent = id.is_none() || prepared.as_ref().is_some_and(|row| row.text("phase") == "prepared");
        let is_hopeless = self.wait_for.is_some() && !target.can_acknowledge();
        let mut remote = None;
        match target.host.clone() {
            _ if !may_be_sent => {}
            _ if is_hopeless => target.take_as_prepared(prepared.as_ref()),
            None => target.look(call)?,
            Some(host) => {
                let left = budget.cutoff().saturating_duration_since(Instant::now());
                let answer = target.look_remotely(call, &host, prepared.as_ref(), left)?;
                remote = Some(Remote { host, answered: Instant::now(), answer });
            }
        }
        if id.is_none() {
            target.objection()?;
        }
        let is_ack_requested = self.request_ack || self.wait_for == Some(Goal::Acknowledged);
        let plan = Plan {
            call,
            actor: &actor,
            target: &target,
            message: &message,
            budget,
            wait_for: self.wait_for,
            is_ack_requested,
            is_observed: self.observe_delivery || self.wait_for == Some(Goal::Delivered),
            handler: if is_ack_requested { notice::handler() } else { None },
            remote,
        };
        // Nobody could be told how to acknowledge, which is nothing that the handoff could help.
        if self.wait_for == Some(Goal::Acknowledged) && target.can_acknowledge() && plan.handler.is_none() {
            return Err(Error::new("unsafe_receipt_channel"));
        }
        if self.dry_run {
            return plan.rehearse(&db, id);
        }
        plan.run(&db, id)
    }
}
