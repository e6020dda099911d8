//! `htalk handoff native --frame -`: the other side of a handoff over SSH. It has no mailbox.

use std::time::{Duration, Instant};

use clap::Args;

use super::input;
use super::ledger;
use super::remote::{self, Answer, Deadline, LINE_BYTES, Request, Step, TEXT_BYTES};
use crate::answer::{Answer as Answered, Status as Ending};
use crate::call::Call;
use crate::clients::{self, Address, Binding, Client, Purpose};
use crate::error::{Error, Result};
use crate::platform::clock::Moment;
use crate::verbs::{Verb, context};

/// The longest budget of a sender; by then it listens no more.
const TIME: Duration = Duration::from_secs(60);

/// Answer a htalk of another machine, which runs this over SSH: one line of JSON on standard input, the text behind it.
#[derive(Debug, Args)]
pub struct Native {
    /// Always -, standard input
    #[arg(long = "frame", value_name = "-", value_parser = ["-"])]
    _frame: String,
}

impl Verb for Native {
    const REFUSED: Ending = Ending::Unmet;

    /// Prints one line; 0 if the session is ready, or got the text.
    fn run(self, call: &Call) -> Result<Answered> {
        let (request, text) = read(call)?;
        let answer = request.answer(call, &text);
        let is_met = matches!(answer.status.as_str(), "ready" | "submitted");
        let object = serde_json::to_value(answer).unwrap_or_default();
        Answered::ended(object, if is_met { Ending::Done } else { Ending::Unmet })
    }
}

fn read(call: &Call) -> Result<(Request, String)> {
    let invalid = || Error::new("invalid_remote_native_request");
    let mut bytes = input::from_stdin(call, LINE_BYTES + TEXT_BYTES, Instant::now() + TIME)?;
    let end = bytes.iter().position(|byte| *byte == b'\n').filter(|end| *end <= LINE_BYTES).ok_or_else(invalid)?;
    let text = String::from_utf8(bytes.split_off(end + 1)).map_err(|_| invalid())?;
    let request: Request = remote::object(&bytes[..end]).ok_or_else(invalid)?;
    let is_whole = request.schema_version == remote::VERSION
        && request.text_bytes as usize == text.len()
        && (request.step == Step::Submit) != text.is_empty()
        && (request.step == Step::Submit) == request.deadline.is_some()
        && text.len() <= TEXT_BYTES
        && ledger::is_id(&request.correlation_id);
    if is_whole { Ok((request, text)) } else { Err(invalid()) }
}

impl Request {
    /// Looks at the session, and submits the text where that is asked for.
    fn answer(&self, call: &Call, text: &str) -> Answer {
        let address = Address {
            session_id: self.session_id.clone(),
            workspace: Default::default(),
            home: self.codex_home.as_ref().map(Into::into),
            socket: None,
            url: None,
            generation: self.target_generation.clone(),
            // The sender ends this process when it stops waiting.
            until: None,
        };
        let purpose = Purpose {
            names_home: self.codex_home.is_some(),
            allows_inactive_home: self.allows_inactive_home,
            is_submission: self.step == Step::Submit,
        };
        let Some(client) = clients::client(&self.harness) else {
            return self.refused("handoff_route_unsupported", &Binding::default());
        };
        let binding = match client.bind(context(call), &address, purpose) {
            Ok(binding) => binding,
            Err(refused) => return self.refused(&refused.code, &Binding::default()),
        };
        if let Some(objection) = &binding.objection {
            return self.refused(&objection.code, &binding);
        }
        match self.step {
            Step::Probe => self.with("ready", None, None, &binding),
            Step::Submit => match self.against(&binding) {
                Some(code) => self.refused(code, &binding),
                None => self.submit(call, client, &address, text, &binding),
            },
        }
    }

    /// What has changed since the probe, if anything has.
    fn against(&self, binding: &Binding) -> Option<&'static str> {
        if self.target_generation != binding.generation {
            return Some("stale_target");
        }
        if self.context != binding.context {
            return Some("remote_native_context_changed");
        }
        self.lateness()
    }

    /// Whether the time to submit is over, or can't be told.
    fn lateness(&self) -> Option<&'static str> {
        match (&self.deadline, Moment::now()) {
            (Some(deadline), Some(now)) if deadline.boot == now.boot => {
                (now.ns >= deadline.ns).then_some("deadline_before_effect")
            }
            _ => Some("remote_clock_unsupported"),
        }
    }

    fn submit(&self, call: &Call, client: &dyn Client, address: &Address, text: &str, binding: &Binding) -> Answer {
        let outcome = client.notify(context(call), address, text, &mut || self.lateness());
        let answer =
            self.with(outcome.submission.of_handoff(), Some(outcome.detail), outcome.recipient_status, binding);
        Answer { queue_id: outcome.queue_id, ..answer }
    }

    fn refused(&self, code: &str, binding: &Binding) -> Answer {
        self.with("refused", Some(code.to_owned()), None, binding)
    }

    fn with(&self, status: &str, detail: Option<String>, state: Option<&'static str>, binding: &Binding) -> Answer {
        Answer {
            schema_version: remote::VERSION,
            step: self.step,
            correlation_id: self.correlation_id.clone(),
            session_id: self.session_id.clone(),
            status: status.to_owned(),
            detail,
            queue_id: None,
            recipient_status: state.map(str::to_owned),
            target_generation: binding.generation.clone(),
            context: binding.context.clone(),
            target: binding.target.clone(),
            now: Moment::now().map(|now| Deadline { boot: now.boot, ns: now.ns }),
        }
    }
}
