//! Requests to several recipients: saved in one transaction or none, then each recipient is told.

use std::path::Path;

use serde_json::{Map, Value};
use uuid::Uuid;

use super::actor::Actor;
use super::body::Body;
use super::post::Post;
use super::{message, notice};
use crate::answer::{Answer, Status, way};
use crate::call::Call;
use crate::error::Result;
use crate::mailbox::{self, Arg, Db, Row};
use crate::platform::cleanup::Begun;
use crate::sql;

/// A request to several recipients.
pub struct Batch {
    /// The id of all of them together.
    pub id: String,
    /// Whom they are for, each once.
    pub recipients: Vec<String>,
}

impl Batch {
    /// Saves the requests and tells the recipients one after the other, each within the limits of its own client.
    /// Answers all requests, and ends as the worst of the notices.
    pub fn send(&self, call: &Call, db: &Db, actor: &Actor, body: &Body, is_told: bool) -> Result<Answer> {
        call.progress().batch = Some(self.id.clone());
        let saved = db.write(|db| self.insert(db, actor, body, is_told))?;
        call.progress().is_saved = true;
        let left = if is_told { Some(self.register(call, db.path())?) } else { None };
        let mut status = Status::Done;
        let mut messages: Vec<Value> = Vec::new();
        for (created, saved) in saved {
            let id = saved.text("id").to_owned();
            let mut answer = saved;
            if created && is_told && !call.is_cancelled() {
                let told = notice::announce(call, db, actor, &id, answer);
                let (told, ended) = told.map_err(|error| notice::after_saving(db, actor, error, &id))?;
                answer = told;
                if ended != Status::Done {
                    status = ended;
                }
            }
            answer.insert("created".into(), created.into());
            messages.push(answer.into());
        }
        if let Some(left) = left {
            left.strike_off();
        }
        let mut answer = Map::new();
        answer.insert("batch".into(), self.id.as_str().into());
        answer.insert("messages".into(), messages.into());
        answer.insert("recovery".into(), Map::from_iter([("wait".to_owned(), self.wait())]).into());
        let words = "The requests are saved; wait for all answers with wait, or for the first with --any added to it.";
        answer.insert("next_action".into(), words.into());
        Answer::ended(answer, status)
    }

    /// Saves all, or what was saved before stays as it is. Each request with whether it is new.
    fn insert(&self, db: &Db, actor: &Actor, body: &Body, is_told: bool) -> Result<Vec<(bool, Row)>> {
        let begin = [
            (":batch", self.id.as_str().into()),
            (":actor", actor.name.as_str().into()),
            (":size", Arg::Int(self.recipients.len() as i64)),
            (":has_notices", Arg::Int(is_told.into())),
        ];
        db.row(sql::BATCH_BEGIN, &begin)?;
        let mut created = Vec::new();
        for recipient in &self.recipients {
            let id = Uuid::new_v4().to_string();
            let post = Post { id, recipient, kind: "request", about: None, batch: Some(&self.id) };
            created.push(post.insert(db, actor, body)?);
        }
        let members = db.rows(sql::BATCH_MEMBERS, &[(":id", self.id.as_str().into())])?;
        let mut saved = Vec::new();
        for (recipient, created) in self.recipients.iter().zip(created) {
            let member = members.iter().find(|member| member.text("recipient") == recipient);
            let id = member.map_or("", |member| member.text("id"));
            saved.push((created, message::result(db, actor, id)?));
        }
        Ok(saved)
    }

    /// Says what is recorded of those whose turn had not come when the call is cancelled.
    fn register(&self, call: &Call, mailbox: &Path) -> Result<Begun> {
        let (mailbox, id) = (mailbox.to_owned(), self.id.clone());
        let undo = move || {
            if let Ok(db) = mailbox::reopen(&mailbox) {
                let args = [(":batch", id.as_str().into()), (":detail", "interrupted_before_notification".into())];
                let _ = db.write(|db| db.row(sql::BATCH_GIVE_UP, &args));
            }
        };
        Ok(call.scope().begin(|| Ok(((), undo)))?.1)
    }

    fn wait(&self) -> Value {
        way(&["wait", "--batch", &self.id])
    }
}
