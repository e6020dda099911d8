//! What the mailbox holds, compared with the model.

use super::model::Message;
use super::world::World;

/// The tables whose rows say that something happened: none of them ever has fewer.
pub const FACTS: [&str; 8] = [
    "peers",
    "peer_retirements",
    "messages",
    "acks",
    "notice_claims",
    "notice_outcomes",
    "notice_cleanups",
    "wait_returns",
];

impl World {
    /// All rows of a statement, as texts.
    fn rows(&self, sql: &str) -> Vec<Vec<String>> {
        let mut statement = self.look.prepare_cached(sql).unwrap();
        let columns = statement.column_count();
        let text = |value: rusqlite::types::Value| match value {
            rusqlite::types::Value::Null => "-".to_owned(),
            rusqlite::types::Value::Integer(number) => number.to_string(),
            rusqlite::types::Value::Text(text) => text,
            other => format!("{other:?}"),
        };
        let row = |row: &rusqlite::Row| (0..columns).map(|column| Ok(text(row.get(column)?))).collect();
        statement.query_map([], row).unwrap().collect::<Result<_, _>>().unwrap()
    }

    /// Compares what the mailbox holds with the model.
    pub fn compare(&mut self) {
        let model = &self.model;
        let text = |value: Option<&str>| value.unwrap_or("-").to_owned();
        let messages: Vec<Vec<String>> = model
            .messages
            .iter()
            .map(|m| {
                let Message { seq, id, sender, recipient, in_reply_to, body } = m;
                vec![
                    seq.to_string(),
                    id.clone(),
                    sender.clone(),
                    recipient.clone(),
                    text(in_reply_to.as_deref()),
                    body.clone(),
                ]
            })
            .collect();
        let stored = self.rows("SELECT seq, id, sender, recipient, in_reply_to, body FROM messages ORDER BY seq");
        assert!(stored == messages, "messages: {stored:?}\nand by the model: {messages:?}");
        let acks: Vec<Vec<String>> = model.acks.iter().map(|id| vec![id.clone()]).collect();
        assert_eq!(self.rows("SELECT message_id FROM acks ORDER BY message_id"), acks);
        let open: Vec<Vec<String>> = model
            .messages
            .iter()
            .filter(|message| model.is_open(message))
            .map(|message| vec![message.seq.to_string(), message.recipient.clone()])
            .collect();
        for list in ["open_mail", "inbox_v", "open_by_facts_v"] {
            assert_eq!(self.rows(&format!("SELECT seq, recipient FROM {list} ORDER BY seq")), open, "{list}");
        }
        let sent: Vec<Vec<String>> = model
            .messages
            .iter()
            .map(|message| {
                let answer = model.answer(&message.id).map(|answer| answer.id.as_str());
                vec![message.id.clone(), message.sender.clone(), text(answer)]
            })
            .collect();
        assert_eq!(self.rows("SELECT id, sender, reply_id FROM sent_v ORDER BY seq"), sent);
        let flag = |is_so: bool| i32::from(is_so).to_string();
        let conversations: Vec<Vec<String>> = model
            .messages
            .iter()
            .filter(|message| message.in_reply_to.is_none())
            .map(|message| {
                let answer = model.answer(&message.id);
                let is_read = answer.is_some_and(|answer| model.acks.contains(&answer.id));
                vec![
                    message.id.clone(),
                    message.sender.clone(),
                    message.recipient.clone(),
                    text(answer.map(|answer| answer.id.as_str())),
                    flag(model.acks.contains(&message.id)),
                    flag(is_read),
                ]
            })
            .collect();
        let columns = "request_id, asker, answerer, answer_id, acknowledged_at IS NOT NULL, \
            answer_acknowledged_at IS NOT NULL";
        assert_eq!(self.rows(&format!("SELECT {columns} FROM conversation_v ORDER BY seq")), conversations);
        let peers: Vec<Vec<String>> =
            model.peers.iter().map(|(name, is_retired)| vec![name.clone(), flag(*is_retired)]).collect();
        assert_eq!(self.rows("SELECT name, retired_at IS NOT NULL FROM peer_v ORDER BY name"), peers);
        let counts = FACTS.map(|table| self.rows(&format!("SELECT count(*) FROM {table}"))[0][0].parse().unwrap());
        for ((table, now), before) in FACTS.iter().zip(counts).zip(self.counts) {
            assert!(now >= before, "{table} has {now} rows and had {before}");
        }
        self.counts = counts;
    }

    pub fn check(&mut self) {
        assert_eq!(self.rows("PRAGMA integrity_check"), [["ok"]]);
        assert_eq!(self.rows("PRAGMA foreign_key_check"), [[""; 0]; 0]);
        assert_eq!(self.rows("SELECT count(*) FROM waits"), [["0"]]);
    }
}
