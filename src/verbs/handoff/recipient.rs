//! What a handoff is bound to: the recipient as its options name it and as its client shows it.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use serde_json::{Map, Value};
use uuid::Uuid;

use super::message::Message;
use super::notice;
use super::receipt::Receipt;
use super::remote::{self, Answer, Request, Step};
use crate::call::Call;
use crate::clients::{self, Address, Binding, Purpose, Refusal};
use crate::code::Kind;
use crate::codes;
use crate::error::{Error, Result};
use crate::mailbox::{Arg, Db, Row};
use crate::sql;
use crate::verbs::actor::Actor;
use crate::verbs::peers;
use crate::verbs::{context, notice as ordinary};

/// The detail of a generation that is not the one that was named.
const OTHER_PROCESS: &str = "not as named: the session has another generation now";

/// The options that name the recipient. What was given to prepare is given to send again.
#[derive(Debug, Args)]
pub struct Recipient {
    /// The peer to hand over to
    #[arg(long, value_name = "PEER")]
    to: String,
    /// The SSH destination on which the session runs; htalk must be installed there
    #[arg(long, value_name = "HOST", allow_hyphen_values = true)]
    host: Vec<String>,
    /// The one process life that is meant, as an earlier handoff showed it
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    generation: Option<String>,
    /// The home of Codex in which the session is
    #[arg(long, value_name = "PATH")]
    codex_home: Option<PathBuf>,
    /// Accept a home of Codex that no process has in use
    #[arg(long, requires = "codex_home")]
    allow_inactive_codex_home: bool,
}

/// A recipient that was looked at.
pub struct Target {
    /// The registered peer.
    pub peer: Row,
    /// Where its session is, with the generation that is meant.
    pub address: Address,
    /// The SSH destination.
    pub host: Option<String>,
    /// What its client showed.
    pub binding: Binding,
    /// What was given of a home of Codex.
    home: Option<String>,
    /// What of the binding is written down.
    generation: Option<String>,
    context: Option<String>,
    purpose: Purpose,
    can_acknowledge: bool,
}

impl Recipient {
    /// The recipient as the options alone name it; its client is not asked.
    ///
    /// # Errors
    /// `invalid_target_generation`; `unknown_peer`; `handoff_fanout_runtime_unsupported`; `handoff_route_unsupported`;
    /// `invalid_handoff`
    pub fn named(&self, call: &Call, db: &Db, is_submission: bool) -> Result<Target> {
        let host = match self.host.as_slice() {
            [] => None,
            [host] if remote::is_host(host) => Some(host.clone()),
            [_] => return Err(Error::new("handoff_route_unsupported").with_detail("no SSH destination")),
            _ => return Err(Error::new("handoff_fanout_runtime_unsupported")),
        };
        if self.generation.as_deref().is_some_and(|text| !is_generation(text)) {
            return Err(Error::new("invalid_target_generation"));
        }
        let peer = peers::known(db, &self.to)?;
        let mut address = ordinary::address(&peer);
        let home = self.home(call, &peer, host.is_some())?;
        if let Some(home) = &home {
            address.home = Some(home.into());
        }
        let route = [(":recipient", self.to.as_str().into()), (":host", host.as_deref().into())];
        let route = db.row(sql::HANDOFF_ROUTE_GET, &route)?.unwrap_or_default();
        let purpose =
            Purpose { names_home: home.is_some(), allows_inactive_home: self.allow_inactive_codex_home, is_submission };
        let mut target = Target {
            peer,
            address,
            host,
            binding: Binding::default(),
            home,
            generation: self.generation.clone(),
            context: None,
            purpose,
            can_acknowledge: route.get("is_acknowledgeable") == Some(&Value::Bool(true)),
        };
        if target.host.is_some() && target.purpose.names_home {
            // What the other side finds is not known before it is asked; the decision is.
            let decision = ("allows_inactive".to_owned(), target.purpose.allows_inactive_home.into());
            target.context = Some(Value::from(Map::from_iter([decision])).to_string());
        }
        Ok(target)
    }

    /// These options as they are given again; none where one is not UTF-8.
    pub fn words(&self) -> Option<Vec<String>> {
        let mut words = vec!["--to".to_owned(), self.to.clone()];
        for host in &self.host {
            words.extend(["--host".to_owned(), host.clone()]);
        }
        if let Some(generation) = &self.generation {
            words.push(format!("--generation={generation}"));
        }
        if let Some(home) = &self.codex_home {
            words.extend(["--codex-home".to_owned(), home.to_str()?.to_owned()]);
        }
        words.extend(self.allow_inactive_codex_home.then(|| "--allow-inactive-codex-home".to_owned()));
        Some(words)
    }

    fn home(&self, call: &Call, peer: &Row, is_remote: bool) -> Result<Option<String>> {
        let Some(path) = &self.codex_home else { return Ok(None) };
        let refuse = |words: &str| Err(Error::new("invalid_handoff").with_detail(format!("--codex-home: {words}")));
        if peer.text("harness") != "codex" {
            return refuse("the peer is no Codex session");
        }
        let path = match is_remote {
            true => path.clone(),
            false => std::path::absolute(call.expand(path)?)?,
        };
        let path = if is_remote { path } else { path.canonicalize().unwrap_or(path) };
        match path.to_str() {
            Some(text) if text.starts_with('/') => Ok(Some(text.to_owned())),
            _ => refuse("no absolute path in UTF-8"),
        }
    }
}

impl Target {
    /// Whether an acknowledgment can come back at all.
    pub fn can_acknowledge(&self) -> bool {
        self.can_acknowledge
    }

    /// Takes what was prepared for what is there now, where a refusal is certain and no client is to be asked.
    pub fn take_as_prepared(&mut self, prepared: Option<&Row>) {
        if let Some(row) = prepared {
            self.generation = row["generation"].as_str().map(str::to_owned);
            self.context = row["context"].as_str().map(str::to_owned);
        }
    }

    /// Asks the client on this machine what a handoff is bound to now.
    ///
    /// # Errors
    /// `target_generation_unavailable`, `handoff_binding_conflict`, and the codes of the client.
    pub fn look(&mut self, call: &Call) -> Result<()> {
        // What is no native session of a client that takes handoffs the rules refuse.
        let harness = self.peer.text("harness");
        let Some(client) = clients::client(harness).filter(|_| self.peer.text("delivery") == "native") else {
            return Ok(());
        };
        self.binding = client.bind(context(call), &self.address, self.purpose).map_err(|refusal| match harness {
            "claude" => unavailable(refusal),
            _ => refused(refusal),
        })?;
        if self.binding.generation.is_some() {
            if self.generation.is_some() && self.generation != self.binding.generation {
                return Err(Error::new("handoff_binding_conflict").with_detail(OTHER_PROCESS));
            }
            self.generation.clone_from(&self.binding.generation);
        }
        self.address.generation.clone_from(&self.binding.generation);
        self.context = self.binding.context.clone().map(|context| Value::from(context).to_string());
        Ok(())
    }

    /// Asks the htalk on the other machine. A new handoff is bound to the process that is found there; a prepared one
    /// stays bound to what prepare was given.
    ///
    /// # Errors
    /// `remote_preflight_unavailable`, `remote_generation_unsupported`, `remote_clock_unsupported`,
    /// `handoff_binding_conflict`, and what the other side refused with.
    pub fn look_remotely(&mut self, call: &Call, host: &str, prepared: Option<&Row>, time: Duration) -> Result<Answer> {
        let bound = prepared.and_then(|row| row["generation"].as_str()).map(str::to_owned);
        self.generation = self.generation.take().or(bound);
        let request = self.request(Step::Probe, &Uuid::new_v4().to_string());
        let answer = remote::probe(context(call), host, &request, time).map_err(refused)?;
        let is_known = answer.target_generation.as_deref().is_some_and(is_generation);
        if self.peer.text("harness") == "claude" && !is_known {
            return Err(Error::new("remote_generation_unsupported"));
        }
        if answer.now.is_none() {
            return Err(Error::new("remote_clock_unsupported"));
        }
        if self.generation.is_some() && self.generation != answer.target_generation {
            return Err(Error::new("handoff_binding_conflict").with_detail(OTHER_PROCESS));
        }
        if prepared.is_none() {
            self.generation.clone_from(&answer.target_generation);
        }
        self.address.generation.clone_from(&answer.target_generation);
        self.binding.context.clone_from(&answer.context);
        self.binding.target.clone_from(&answer.target);
        Ok(answer)
    }

    /// A request to the other side, without a deadline.
    pub fn request(&self, step: Step, id: &str) -> Request {
        Request {
            schema_version: remote::VERSION,
            step,
            correlation_id: id.to_owned(),
            harness: self.peer.text("harness").to_owned(),
            session_id: self.address.session_id.clone(),
            codex_home: self.home.clone(),
            allows_inactive_home: self.purpose.allows_inactive_home,
            target_generation: self.address.generation.clone(),
            context: self.binding.context.clone(),
            deadline: None,
            text_bytes: 0,
        }
    }

    /// What speaks against a new handoff to this target.
    pub fn objection(&self) -> Result<()> {
        self.binding.objection.clone().map_or(Ok(()), |refusal| Err(refused(refusal)))
    }

    /// The binding as parameters of a statement, with the sizes that the text for the client can have at most.
    pub fn args<'a>(&'a self, call: &Call, actor: &'a Actor, message: &'a Message) -> Vec<(&'static str, Arg<'a>)> {
        let largest = self.largest_text(call, actor, message);
        vec![
            (":actor", actor.name.as_str().into()),
            (":source", actor.source.into()),
            (":session", actor.session.as_deref().into()),
            (":recipient", self.peer.text("name").into()),
            (":host", self.host.as_deref().into()),
            (":home", self.home.as_deref().into()),
            (":context", self.context.as_deref().into()),
            (":generation", self.generation.as_deref().into()),
            (":digest", message.digest.as_str().into()),
            (":chars", (message.chars as i64).into()),
            (":bytes", (message.body.len() as i64).into()),
            (":framed_chars", (largest.chars().count() as i64).into()),
            (":framed_bytes", (largest.len() as i64).into()),
            (":body", message.body.as_str().into()),
        ]
    }

    fn largest_text(&self, call: &Call, actor: &Actor, message: &Message) -> String {
        let id = Uuid::nil().to_string();
        if self.host.is_some() {
            return notice::quoted(&actor.name, &id, &message.body);
        }
        let sample = self.generation.as_deref().map(Receipt::sample);
        // Whether it may be named is judged where a token is given; here only its length counts.
        let handler = std::env::current_exe().ok();
        let receipt = handler.as_deref().zip(sample.as_ref());
        notice::with_receipt(call, self.peer.text("name"), &actor.name, &id, receipt)
    }
}

/// Whether a text has the form of a generation; the rules judge it again where it is bound.
fn is_generation(text: &str) -> bool {
    (1..=256).contains(&text.len()) && !text.contains(char::is_control)
}

/// Without a running process there is no generation; the adapter's own code says why.
fn unavailable(refusal: Refusal) -> Error {
    let words = refusal.detail.map(|detail| format!(": {detail}")).unwrap_or_default();
    Error::new("target_generation_unavailable").with_detail(format!("{}{words}", refusal.code))
}

/// The error of what a client refused before anything was tried. What its code advises is about an ordinary message,
/// which is saved by then.
fn refused(refusal: Refusal) -> Error {
    const NEXT: &str = "Nothing was handed over; what was prepared stays prepared. See detail; peer check looks at it.";
    let error = Error { detail: refusal.detail, ..Error::new(&refusal.code) };
    let is_of_client = codes::own(&error.code).is_some_and(|row| row.kind == Kind::Recipient);
    if is_of_client { error.with_next_action(NEXT) } else { error }
}
