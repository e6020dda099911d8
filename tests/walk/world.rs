//! A mailbox with the programs at work on it: calls in this process, the built htalk, and the plain shell.

use std::process::Child;
use std::sync::Arc;
use std::time::Duration;

use htalk::answer::Status;
use htalk::call::{Call, Front, Handle, Progress, ReaderGone, Shared};
use htalk::cli;
use htalk::environment::Environment;
use htalk::front::json;
use rusqlite::{Connection, OpenFlags};
use serde_json::{Map, Value};

use super::compare::FACTS;
use super::model::{Message, Model, Verdict, Wanted};
use super::shell::Shell;
use super::step::{Body, FIRST_PEERS, Pick, Spelling, Step};
use crate::support::{Ran, Sandbox, finish, kill};

/// How often the whole file is checked.
const CHECKED: usize = 40;

/// Statements that must change nothing, whatever they answer. `$` stands for the id of a message.
const TAMPERING: [&str; 16] = [
    "DELETE FROM messages WHERE id = '$'",
    "DELETE FROM messages",
    "UPDATE messages SET body = 'changed' WHERE id = '$'",
    "UPDATE OR REPLACE messages SET seq = seq + 1",
    "UPDATE OR IGNORE messages SET sender = recipient WHERE id = '$'",
    "UPDATE messages SET in_reply_to = NULL WHERE id = '$'",
    "DELETE FROM acks",
    "UPDATE acks SET at = 0",
    "DELETE FROM peers",
    "UPDATE peers SET name = name || 'x'",
    "REPLACE INTO peers (name, harness, delivery) VALUES ('p0', 'other', 'pull')",
    "DELETE FROM open_mail",
    "REPLACE INTO open_mail SELECT recipient, seq FROM messages",
    "UPDATE open_mail SET seq = seq + 1",
    "INSERT OR IGNORE INTO peer_retirements (peer, action) VALUES ('nobody', 'retired')",
    "DELETE FROM peer_retirements",
];

/// A front for calls that print nothing.
struct Silent;

impl Front for Silent {
    fn show(&self, call: &Progress, object: &Map<String, Value>) -> String {
        json::object(call, object)
    }

    fn line(&self, _: &Value) -> Result<(), ReaderGone> {
        Ok(())
    }

    fn text(&self, _: &str) -> Result<(), ReaderGone> {
        Ok(())
    }

    fn sleep(&self, _: Duration) -> Result<(), ReaderGone> {
        Ok(())
    }

    fn input(&self) -> std::io::Result<std::os::fd::OwnedFd> {
        Err(std::io::ErrorKind::Unsupported.into())
    }
}

pub struct World {
    pub model: Model,
    /// How many rows each table of facts had.
    pub counts: [i64; FACTS.len()],
    steps: usize,
    /// The model as it was at each backup; the file of the first is `backup-0`.
    backups: Vec<Model>,
    shared: Shared,
    shell: Shell,
    pub look: Connection,
    sandbox: Sandbox,
}

fn name(peer: u8) -> String {
    format!("p{peer}")
}

/// The id of a number; three of them begin alike.
fn pool_id(number: u8) -> String {
    format!("{:08x}-0000-4000-8000-0000000000{number:02x}", 0xabc0 + u32::from(number) / 3)
}

/// A text as a literal of SQL. The shell reads lines, so control characters are given by their numbers.
fn literal(text: &str) -> String {
    let mut parts = Vec::new();
    for piece in text.split_inclusive(|character: char| character.is_control()) {
        let control = piece.chars().last().filter(|last| last.is_control());
        let plain = &piece[..piece.len() - control.map_or(0, char::len_utf8)];
        parts.push(format!("'{}'", plain.replace('\'', "''")));
        parts.extend(control.map(|control| format!("char({})", u32::from(control))));
    }
    if parts.is_empty() { "''".to_owned() } else { parts.join(" || ") }
}

impl World {
    pub fn new() -> World {
        let names: Vec<String> = (0..FIRST_PEERS).map(name).collect();
        let sandbox = Sandbox::new();
        let shared = Shared::keeping(3);
        let add = |name: &str| ["peer", "add", name, "--harness", "test", "--delivery", "pull"].map(str::to_owned);
        for name in &names {
            sandbox.htalk(&add(name).each_ref().map(String::as_str)).done();
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let look = Connection::open_with_flags(sandbox.mailbox(), flags).unwrap();
        let model = Model { peers: names.into_iter().map(|name| (name, false)).collect(), ..Model::default() };
        let shell = Shell::open(&sandbox);
        World { model, counts: [0; FACTS.len()], steps: 0, backups: Vec::new(), shared, shell, look, sandbox }
    }

    /// Makes a call in this process; its object, or its code.
    fn call(&self, actor: u8, words: &[&str]) -> Result<Map<String, Value>, String> {
        let (mailbox, actor) = (self.sandbox.mailbox(), name(actor));
        let line = ["htalk", "--db", mailbox.to_str().unwrap(), "--as", &actor];
        let Ok(cli::Asked::Verb(request)) = cli::parse(line.iter().chain(words).map(Into::into)) else { panic!() };
        let environment = Environment::given([("HOME", "/nonexistent")]);
        let call = Call::new(Handle::default(), request.wanted, environment, Arc::new(Silent), &self.shared);
        let answer = call.run(request.refused, request.verb);
        let object = answer.object.unwrap();
        match object.get("error") {
            Some(code) => {
                assert_eq!(answer.status, Status::Failed, "{object:?}");
                Err(code.as_str().unwrap().to_owned())
            }
            None => Ok(object),
        }
    }

    fn id(&self, which: Pick) -> String {
        match which {
            Pick::Pool(number) => pool_id(number),
            Pick::Nth(place) => match self.model.messages.len() {
                0 => pool_id(0),
                count => self.model.messages[usize::from(place) % count].id.clone(),
            },
        }
    }

    /// The message that an id in a spelling stands for, and the spelling.
    fn find(
        &self,
        actor: u8,
        which: Pick,
        spelling: Spelling,
        unknown: &'static str,
    ) -> (String, Result<String, &'static str>) {
        let id = self.id(which);
        let found = match spelling.prefix() {
            None => Ok(id.clone()),
            Some(7) => Err("invalid_uuid"),
            Some(_) if !self.model.peers.contains_key(&name(actor)) => Err("unknown_peer"),
            Some(length) => self.model.find(&name(actor), &id[..length], unknown),
        };
        (spelling.of(&id), found)
    }

    pub fn take(&mut self, step: &Step) {
        match *step {
            Step::Add { peer } => self.add(peer),
            Step::Retire { peer, is_back } => self.retire(peer, is_back),
            Step::Send { actor, to, id, body, spelling } => self.send(actor, to, id, body, spelling),
            Step::Reply { actor, which, body, spelling } => self.reply(actor, which, body, spelling),
            Step::Ack { actor, which, spelling } => self.ack(actor, which, spelling),
            Step::Wait { actor, which, spelling } => self.wait(actor, which, spelling),
            Step::Show { actor, which, spelling } => self.show(actor, which, spelling),
            Step::Inbox { actor, limit } => self.pages(actor, "inbox", limit),
            Step::Sent { actor, limit } => self.pages(actor, "sent", limit),
            Step::Insert { clause, sender, to, id, answer, body, seq } => {
                let seq = seq.map(|seq| self.model.last_seq() + i64::from(seq) - 8);
                let wanted = Wanted {
                    id: id.map(pool_id),
                    sender: name(sender),
                    recipient: name(to),
                    in_reply_to: answer.map(|which| self.id(which)),
                    body: body.text(),
                    seq: seq.filter(|seq| *seq > 0),
                };
                self.insert(clause.insert(), &wanted);
            }
            Step::InsertAck { clause, actor, which } => {
                let (id, verb) = (self.id(which), clause.insert());
                let verdict = self.model.judge_ack(&id, &name(actor));
                let told = self.shell.tell(&format!("{verb} INTO acks VALUES ('{id}', '{}', 0.0);", name(actor)));
                assert_eq!(told.as_deref(), verdict.err());
                self.note_ack(&id, verdict);
            }
            Step::Tamper(kind, which) => {
                let id = self.id(which);
                let statement = TAMPERING[usize::from(kind) % TAMPERING.len()].replace('$', &id);
                self.shell.tell(&format!("{statement};"));
            }
            Step::RolledBack { sender, to } => {
                let values = format!("('{}', '{}', 'taken back')", name(sender), name(to));
                self.shell.tell("BEGIN IMMEDIATE;");
                self.shell.tell(&format!("INSERT INTO messages (sender, recipient, body) VALUES {values};"));
                self.shell.tell("ROLLBACK;");
            }
            Step::Backup => self.back_up(),
            Step::Restore(which) => self.restore(which),
            Step::Program { actor, to, id, body } => self.program(actor, to, id, body),
            Step::Killed { actor, to, id, micros } => self.killed(actor, to, id, micros),
        }
        self.compare();
        self.steps += 1;
        if self.steps.is_multiple_of(CHECKED) {
            self.check();
        }
    }

    pub fn end(mut self) {
        self.check();
        assert_eq!(self.shell.tell("PRAGMA wal_checkpoint;"), None);
        self.check();
        let names: Vec<_> = self.sandbox.root().read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert!(!names.iter().any(|name| name.to_string_lossy().contains("-wait-")), "{names:?}");
    }

    fn add(&mut self, peer: u8) {
        let name = name(peer);
        let answer = self.call(peer, &["peer", "add", &name, "--harness", "test", "--delivery", "pull"]);
        assert_eq!(answer.unwrap()["name"], *name);
        self.model.peers.entry(name).or_insert(false);
    }

    fn retire(&mut self, peer: u8, is_back: bool) {
        let verb = if is_back { "restore" } else { "retire" };
        let answer = self.call(peer, &["peer", verb, &name(peer)]);
        match self.model.peers.get_mut(&name(peer)) {
            Some(is_retired) => {
                assert_eq!(answer.unwrap()["retired_at"].is_null(), is_back);
                *is_retired = !is_back;
            }
            None => assert_eq!(answer.unwrap_err(), "unknown_peer"),
        }
    }

    /// Notes what was saved: its id and seq are those in the mailbox.
    fn note(&mut self, wanted: &Wanted, verdict: Verdict) {
        if verdict != Ok(true) {
            return;
        }
        let last = self.model.last_seq();
        let row = |row: &rusqlite::Row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?));
        let newest = "SELECT seq, id FROM messages ORDER BY seq DESC LIMIT 1";
        let (seq, id) = self.look.query_row(newest, [], row).unwrap();
        assert!(seq > last && wanted.seq.is_none_or(|named| named == seq), "seq {seq} after {last}: {wanted:?}");
        assert!(wanted.id.as_ref().is_none_or(|named| *named == id), "{id}: {wanted:?}");
        let Wanted { sender, recipient, in_reply_to, body, .. } = wanted.clone();
        self.model.messages.push(Message { seq, id, sender, recipient, in_reply_to, body });
    }

    fn note_ack(&mut self, id: &str, verdict: Verdict) {
        if verdict == Ok(true) {
            self.model.acks.insert(id.to_owned());
        }
    }

    /// What the caller is told must be what the model says.
    fn assert_told(&self, told: &Result<Map<String, Value>, String>, verdict: Verdict) {
        match (told, verdict) {
            (Ok(object), Ok(created)) => assert_eq!(object["created"], created, "{object:?}"),
            (Err(code), Err(expected)) => assert_eq!(code, expected),
            (told, verdict) => panic!("{told:?} where {verdict:?} is right"),
        }
    }

    fn send(&mut self, actor: u8, to: u8, id: Option<u8>, body: Body, spelling: Spelling) {
        // No argument can hold U+0000.
        let text = body.text().replace('\0', "0");
        let spelled = id.map(|id| spelling.of(&pool_id(id)));
        let mut words = vec!["send", "--message", &text];
        let to = name(to);
        words.push(&to);
        if let Some(spelled) = &spelled {
            words.extend(["--id", spelled]);
        }
        let told = self.call(actor, &words);
        let (id, sender, body) = (id.map(pool_id), name(actor), text.clone());
        let wanted = Wanted { id, sender, recipient: to.clone(), in_reply_to: None, body, seq: None };
        let verdict = match spelling.prefix() {
            Some(_) if spelled.is_some() => Err("invalid_uuid"),
            _ => self.judge_send(&wanted),
        };
        self.assert_told(&told, verdict);
        self.note(&wanted, verdict);
    }

    fn reply(&mut self, actor: u8, which: Pick, body: Body, spelling: Spelling) {
        let text = body.text().replace('\0', "0");
        let (spelled, found) = self.find(actor, which, spelling, "unknown_request");
        let told = self.call(actor, &["reply", &spelled, "--message", &text]);
        let is_known = self.model.peers.contains_key(&name(actor));
        let request = found.and_then(|id| if is_known { Ok(id) } else { Err("unknown_peer") });
        let wanted = request.map(|id| Wanted {
            id: None,
            sender: name(actor),
            recipient: self.model.message(&id).map(|request| request.sender.clone()).unwrap_or_default(),
            in_reply_to: Some(id),
            body: text.clone(),
            seq: None,
        });
        let verdict = wanted.as_ref().map_err(|code| *code).and_then(|wanted| self.model.judge(wanted));
        self.assert_told(&told, verdict);
        if let Ok(wanted) = wanted {
            self.note(&wanted, verdict);
        }
    }

    fn ack(&mut self, actor: u8, which: Pick, spelling: Spelling) {
        let (spelled, found) = self.find(actor, which, spelling, "unknown_message");
        let told = self.call(actor, &["ack", &spelled]);
        let is_known = self.model.peers.contains_key(&name(actor));
        let found = found.and_then(|id| if is_known { Ok(id) } else { Err("unknown_peer") });
        let verdict = found.as_ref().map_err(|code| *code).and_then(|id| self.model.judge_ack(id, &name(actor)));
        assert_eq!(told.as_ref().map(|_| ()).map_err(String::as_str), verdict.map(|_| ()));
        if let Ok(id) = found {
            self.note_ack(&id, verdict);
        }
    }

    fn wait(&mut self, actor: u8, which: Pick, spelling: Spelling) {
        let (spelled, found) = self.find(actor, which, spelling, "unknown_request");
        let told = self.call(actor, &["wait", &spelled, "--seconds", "0"]);
        let is_own = |id: &String| {
            let message = self.model.message(id)?;
            Some(message.sender == name(actor) && message.in_reply_to.is_none())
        };
        match (told, found) {
            (Ok(object), Ok(id)) => {
                assert_eq!(is_own(&id), Some(true));
                let answer = self.model.answer(&id).map(|answer| answer.body.as_str());
                assert_eq!(object["reply"].get("body").and_then(Value::as_str), answer);
                assert_eq!(object.get("wait_ended").is_some(), answer.is_none());
            }
            (Err(code), Err(expected)) => assert_eq!(code, expected),
            (Err(code), Ok(id)) => {
                assert!(is_own(&id) != Some(true) || !self.model.peers.contains_key(&name(actor)), "{code}");
            }
            (Ok(object), Err(code)) => panic!("{object:?} where {code} is right"),
        }
    }

    fn show(&mut self, actor: u8, which: Pick, spelling: Spelling) {
        let (spelled, found) = self.find(actor, which, spelling, "unknown_message");
        let told = self.call(actor, &["show", &spelled]);
        let actor = name(actor);
        let expected = found.and_then(|id| {
            if !self.model.peers.contains_key(&actor) {
                return Err("unknown_peer");
            }
            let message = self.model.message(&id).ok_or("unknown_message")?;
            let is_its = message.sender == actor || message.recipient == actor;
            if is_its { Ok(message) } else { Err("message_not_addressed_to_peer") }
        });
        match (told, expected) {
            (Ok(object), Ok(message)) => {
                assert_eq!(
                    (&object["id"], &object["body"]),
                    (&message.id.clone().into(), &message.body.clone().into())
                );
                assert_eq!(object["ack_at"].is_null(), !self.model.acks.contains(&message.id));
            }
            (Err(code), Err(expected)) => assert_eq!(code, expected),
            (told, expected) => panic!("{told:?} where {expected:?} is right"),
        }
    }

    /// Reads a list page by page.
    fn pages(&mut self, actor: u8, verb: &str, limit: u8) {
        let limit = limit.to_string();
        let mut words = vec![verb.to_owned(), "--limit".to_owned(), limit];
        let mut listed = Vec::new();
        loop {
            let told = self.call(actor, &words.iter().map(String::as_str).collect::<Vec<_>>());
            if !self.model.peers.contains_key(&name(actor)) {
                assert_eq!(told.unwrap_err(), "unknown_peer");
                return;
            }
            let page = told.unwrap();
            let messages = page["messages"].as_array().unwrap();
            listed.extend(messages.iter().map(|message| message["id"].as_str().unwrap().to_owned()));
            let Some(next) = page.get("next_page") else { break };
            assert!(!messages.is_empty(), "an empty page with a next one: {page:?}");
            words = next.as_array().unwrap().iter().map(|word| word.as_str().unwrap().to_owned()).collect();
        }
        let actor = name(actor);
        assert_eq!(listed, if verb == "inbox" { self.model.inbox(&actor) } else { self.model.sent(&actor) });
    }

    /// Writes a row in the plain shell.
    fn insert(&mut self, verb: &str, wanted: &Wanted) {
        let mut columns = vec!["sender", "recipient", "body"];
        let mut values = vec![literal(&wanted.sender), literal(&wanted.recipient), literal(&wanted.body)];
        let others = [("id", &wanted.id), ("in_reply_to", &wanted.in_reply_to)];
        for (column, value) in others {
            if let Some(value) = value {
                columns.push(column);
                values.push(literal(value));
            }
        }
        if let Some(seq) = wanted.seq {
            columns.push("seq");
            values.push(seq.to_string());
        }
        let verdict = self.model.judge(wanted);
        let statement = format!("{verb} INTO messages ({}) VALUES ({});", columns.join(", "), values.join(", "));
        let told = self.shell.tell(&statement);
        assert_eq!(told.as_deref(), verdict.err(), "{statement:.200}");
        self.note(wanted, verdict);
    }

    fn wanted(&self, actor: u8, to: u8, id: u8, body: String) -> Wanted {
        let (id, sender, recipient) = (Some(pool_id(id)), name(actor), name(to));
        Wanted { id, sender, recipient, in_reply_to: None, body, seq: None }
    }

    fn start(&self, wanted: &Wanted) -> Child {
        let id = wanted.id.as_deref().unwrap();
        let Wanted { sender, recipient, body, .. } = wanted;
        self.sandbox.start(&["--as", sender, "send", recipient, "--id", id, "--message", body])
    }

    /// What a send comes to: the actor is looked up first.
    fn judge_send(&self, wanted: &Wanted) -> Verdict {
        if self.model.peers.contains_key(&wanted.sender) { self.model.judge(wanted) } else { Err("unknown_peer") }
    }

    fn backup_path(&self, number: usize) -> String {
        self.sandbox.root().join(format!("backup-{number}")).to_str().unwrap().to_owned()
    }

    fn back_up(&mut self) {
        let path = self.backup_path(self.backups.len());
        let told = self.call(0, &["backup", &path]).unwrap();
        assert_eq!(told["messages"], self.model.messages.len());
        self.backups.push(self.model.clone());
    }

    /// What was saved since the backup is gone with it, and nothing else.
    fn restore(&mut self, which: u8) {
        if self.backups.is_empty() {
            return;
        }
        let number = usize::from(which) % self.backups.len();
        let told = self.sandbox.htalk(&["restore", &self.backup_path(number)]).done();
        self.model = self.backups[number].clone();
        assert_eq!(told["messages"], self.model.messages.len());
        self.counts = [0; FACTS.len()];
    }

    /// A process of its own, as a second program.
    fn program(&mut self, actor: u8, to: u8, id: u8, body: Body) {
        let wanted = self.wanted(actor, to, id, body.text().replace('\0', "0"));
        let Ran { code, out, .. } = finish(self.start(&wanted));
        let verdict = self.judge_send(&wanted);
        let object: Value = serde_json::from_str(&out).unwrap();
        assert_eq!(code == 0, verdict.is_ok(), "{object}");
        assert_eq!(object.get("error").and_then(Value::as_str), verdict.err(), "{object}");
        self.note(&wanted, verdict);
    }

    /// A process that is killed at some moment: what it was to save is there as a whole or not at all.
    fn killed(&mut self, actor: u8, to: u8, id: u8, micros: u16) {
        let wanted = self.wanted(actor, to, id, "of a process that was killed".to_owned());
        let child = self.start(&wanted);
        std::thread::sleep(Duration::from_micros(micros.into()));
        kill(child);
        let count = |world: &World| {
            world.look.query_row("SELECT count(*) FROM messages", [], |row| row.get::<_, i64>(0)).unwrap()
        };
        let verdict = self.judge_send(&wanted);
        match count(self) - self.model.messages.len() as i64 {
            0 => {}
            1 => {
                assert_eq!(verdict, Ok(true));
                self.note(&wanted, verdict);
            }
            more => panic!("{more} messages of one process"),
        }
    }
}
