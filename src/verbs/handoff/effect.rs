//! The one effect of a handoff, here or on another machine, and what is known of it.

use std::time::Instant;

use serde_json::{Map, Value};

use super::notice;
use super::plan::{Fence, Plan, Remote};
use super::remote::{self, Answer, Deadline, Step};
use crate::clients::{self, Outcome, Submission};
use crate::verbs::context;

impl Plan<'_> {
    /// Submits it, once.
    pub fn submit(&self, fence: &Fence) -> Outcome {
        match &self.remote {
            None => self.submit_here(fence),
            Some(remote) => self.submit_there(fence, remote),
        }
    }

    /// The one effect on this machine.
    fn submit_here(&self, fence: &Fence) -> Outcome {
        let recipient = self.target.peer.text("name");
        let receipt = self.handler.as_deref().zip(fence.receipt.as_ref());
        let words = notice::with_receipt(self.call, recipient, &self.actor.name, &fence.id, receipt);
        let Some(client) = clients::client(self.target.peer.text("harness")) else {
            return Outcome::refused("adapter_unavailable", None);
        };
        let cutoff = self.budget.cutoff();
        client.notify(context(self.call), &self.target.address, &words, &mut || {
            (Instant::now() >= cutoff).then_some("deadline_before_effect")
        })
    }

    /// The one effect on another machine. Only its own line about just this handoff says what came of it.
    fn submit_there(&self, fence: &Fence, remote: &Remote) -> Outcome {
        let words = notice::quoted(&self.actor.name, &fence.id, &self.message.body);
        let mut request = self.target.request(Step::Submit, &fence.id);
        request.text_bytes = words.len() as u32;
        // The other clock was read before its answer was here, so its deadline is not after the one of this side.
        let left = self.budget.cutoff().saturating_duration_since(remote.answered).as_nanos() as i64;
        request.deadline = remote.answer.now.clone().map(|now| Deadline { ns: now.ns.saturating_add(left), ..now });
        let time = self.budget.patience().saturating_duration_since(Instant::now());
        match remote::submit(context(self.call), &remote.host, &request, &words, time) {
            Err(_) => Outcome::refused("adapter_unavailable", None),
            Ok(Some(answer)) => answer.outcome(),
            Ok(None) => Outcome {
                submission: Submission::Unknown,
                detail: "ssh_handoff_response_unknown".into(),
                queue_id: None,
                recipient_status: None,
            },
        }
    }

    /// What is known of the target and the message.
    pub fn native(&self, is_dry_run: bool) -> Value {
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
    pub fn with_receipt(&self, outcome: &Outcome) -> Value {
        let mut native = self.native(false);
        native["receipt"] = outcome.detail.as_str().into();
        if let Some(queue_id) = &outcome.queue_id {
            native["transport"] = remote::bare(&outcome.detail).trim_end_matches("_queued").into();
            native["status"] = "queued".into();
            native["submitted"] = true.into();
            native["consumption_confirmed"] = false.into();
            native["queue_id"] = queue_id.as_str().into();
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
            queue_id: self.queue_id.clone().filter(|_| submission == Submission::Submitted),
            recipient_status: STATES.into_iter().find(|known| Some(*known) == state),
        }
    }
}
