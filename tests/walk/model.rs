//! What a mailbox must hold, in as few words as possible: the rules of the contract once more, for pull peers.

use std::collections::{BTreeMap, BTreeSet};

/// The largest body.
const LIMIT: usize = 32_000;

/// A message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    pub seq: i64,
    pub id: String,
    pub sender: String,
    pub recipient: String,
    pub in_reply_to: Option<String>,
    pub body: String,
}

/// What is asked to be saved.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// None: one that is not known before.
    pub id: Option<String>,
    pub sender: String,
    pub recipient: String,
    pub in_reply_to: Option<String>,
    pub body: String,
    pub seq: Option<i64>,
}

/// What becomes of it: saved as new, nothing to do, or refused with a code.
pub type Verdict = Result<bool, &'static str>;

/// The facts.
#[derive(Debug, Clone, Default)]
pub struct Model {
    /// The peers, and whether each is retired.
    pub peers: BTreeMap<String, bool>,
    pub messages: Vec<Message>,
    pub acks: BTreeSet<String>,
}

impl Model {
    pub fn message(&self, id: &str) -> Option<&Message> {
        self.messages.iter().find(|message| message.id == id)
    }

    pub fn answer(&self, id: &str) -> Option<&Message> {
        self.messages.iter().find(|message| message.in_reply_to.as_deref() == Some(id))
    }

    pub fn last_seq(&self) -> i64 {
        self.messages.last().map_or(0, |message| message.seq)
    }

    /// Whether somebody has still to do something about a message.
    pub fn is_open(&self, message: &Message) -> bool {
        match message.in_reply_to {
            None => self.answer(&message.id).is_none(),
            Some(_) => !self.acks.contains(&message.id),
        }
    }

    /// What the rules say to a message.
    pub fn judge(&self, wanted: &Wanted) -> Verdict {
        if let Some(request) = &wanted.in_reply_to {
            let request = self.message(request).ok_or("unknown_request")?;
            if request.in_reply_to.is_some() {
                return Err("reply_requires_a_request");
            }
            if (&request.sender, &request.recipient) != (&wanted.recipient, &wanted.sender) {
                return Err("reply_address_mismatch");
            }
        }
        judge_body(&wanted.body)?;
        if [&wanted.sender, &wanted.recipient].iter().any(|name| !self.peers.contains_key(*name)) {
            return Err("unknown_peer");
        }
        if wanted.sender == wanted.recipient {
            return Err("sender_and_recipient_must_differ");
        }
        let saved = wanted.id.as_deref().and_then(|id| self.message(id));
        let parts = |sender: &String, recipient: &String, request: &Option<String>, body: &String| {
            (sender.clone(), recipient.clone(), request.clone(), body.clone())
        };
        let ours = parts(&wanted.sender, &wanted.recipient, &wanted.in_reply_to, &wanted.body);
        if saved.is_some_and(|saved| parts(&saved.sender, &saved.recipient, &saved.in_reply_to, &saved.body) == ours) {
            return Ok(false);
        }
        if let Some(answer) = wanted.in_reply_to.as_deref().and_then(|id| self.answer(id)) {
            let is_same = answer.body == wanted.body;
            return if is_same { Ok(false) } else { Err("reply_conflict_existing_answer_preserved") };
        }
        if saved.is_some() {
            return Err("message_id_conflict");
        }
        if wanted.in_reply_to.is_none() && (self.peers[&wanted.sender] || self.peers[&wanted.recipient]) {
            return Err("peer_retired");
        }
        match wanted.seq {
            Some(seq) if seq <= self.last_seq() => Err("invalid_seq"),
            _ => Ok(true),
        }
    }

    /// What the rules say to an acknowledgment.
    pub fn judge_ack(&self, id: &str, peer: &str) -> Verdict {
        let message = self.message(id).ok_or("unknown_message")?;
        if message.recipient != peer {
            return Err("only_recipient_can_ack");
        }
        Ok(!self.acks.contains(id))
    }

    /// The message that a beginning stands for, among those of a peer.
    pub fn find(&self, actor: &str, prefix: &str, unknown: &'static str) -> Result<String, &'static str> {
        let is_own = |message: &&Message| message.sender == actor || message.recipient == actor;
        let mut found = self.messages.iter().filter(is_own).filter(|message| message.id.starts_with(prefix));
        match (found.next(), found.next()) {
            (None, _) => Err(unknown),
            (Some(only), None) => Ok(only.id.clone()),
            _ => Err("ambiguous_message_id"),
        }
    }

    /// The open mail of a peer, oldest first.
    pub fn inbox(&self, peer: &str) -> Vec<&str> {
        let is_its = |message: &&Message| message.recipient == peer && self.is_open(message);
        self.messages.iter().filter(is_its).map(|message| message.id.as_str()).collect()
    }

    /// What a peer sent, newest first.
    pub fn sent(&self, peer: &str) -> Vec<&str> {
        self.messages.iter().rev().filter(|message| message.sender == peer).map(|message| message.id.as_str()).collect()
    }
}

fn judge_body(body: &str) -> Result<(), &'static str> {
    let is_blank = |character: char| character.is_whitespace() || matches!(character, '\u{200b}' | '\u{feff}');
    if body.is_empty() || body.len() > LIMIT {
        return Err("message_must_be_1_to_32000_bytes");
    }
    if body.contains('\0') {
        return Err("message_contains_nul");
    }
    if body.chars().all(is_blank) {
        return Err("message_must_be_1_to_32000_bytes");
    }
    Ok(())
}
