//! Message ids as people write them.

use uuid::Uuid;

use super::actor::Actor;
use crate::error::{Error, Result};
use crate::mailbox::Db;
use crate::sql::{self, Statement};

/// The fewest hexadecimal digits that stand for a message.
const FEWEST_DIGITS: usize = 8;

/// A UUID in any usual spelling: either case, with or without hyphens, braces and `urn:uuid:`.
pub fn uuid(spelling: &str) -> Option<Uuid> {
    let bare = match spelling.split_at_checked("urn:uuid:".len()) {
        Some((urn, rest)) if urn.eq_ignore_ascii_case("urn:uuid:") => rest,
        _ => spelling,
    };
    let bare = bare.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or(bare);
    Uuid::try_parse(bare).ok()
}

/// A UUID as it is stored: lower case with hyphens. Any other text comes back as it is, for the rules to refuse.
pub fn stored(spelling: &str) -> String {
    uuid(spelling).map_or_else(|| spelling.to_owned(), |id| id.to_string())
}

/// What names a message on the command line.
pub enum Id {
    /// A whole id, in its stored form.
    Whole(String),
    /// Its beginning, likewise.
    Prefix(String),
}

impl Id {
    /// Reads a UUID in any usual spelling, or the first digits of one; an argument is judged before the mailbox is
    /// opened.
    ///
    /// # Errors
    /// `invalid_uuid`
    pub fn parse(spelling: &str) -> Result<Id> {
        if let Some(id) = uuid(spelling) {
            return Ok(Id::Whole(id.to_string()));
        }
        let digits: String = spelling.chars().filter(|character| *character != '-').collect();
        let is_prefix =
            (FEWEST_DIGITS..32).contains(&digits.len()) && digits.chars().all(|digit| digit.is_ascii_hexdigit());
        if is_prefix { Ok(Id::Prefix(hyphenated(&digits))) } else { Err(Error::new("invalid_uuid")) }
    }

    /// The full id: a prefix stands for the only one of the actor's messages that begins with it.
    ///
    /// # Errors
    /// `ambiguous_message_id`, and `unknown` where no message begins so.
    pub fn find(&self, db: &Db, actor: &Actor, unknown: &str) -> Result<String> {
        self.find_in(sql::MESSAGE_FIND, db, actor, unknown)
    }

    /// The same among what another statement finds.
    pub fn find_in(&self, statement: Statement, db: &Db, actor: &Actor, unknown: &str) -> Result<String> {
        let prefix = match self {
            Id::Whole(id) => return Ok(id.clone()),
            Id::Prefix(prefix) => prefix,
        };
        let args = [(":prefix", prefix.as_str().into()), (":actor", actor.name.as_str().into())];
        let found = db.rows(statement, &args)?;
        match found.as_slice() {
            [] => Err(Error::new(unknown)),
            [only] => Ok(only.text("id").to_owned()),
            _ => Err(Error::new("ambiguous_message_id")),
        }
    }
}

/// Hexadecimal digits with the hyphens of a UUID where they belong.
fn hyphenated(digits: &str) -> String {
    let mut id = String::with_capacity(36);
    for (place, digit) in digits.chars().enumerate() {
        if [8, 12, 16, 20].contains(&place) {
            id.push('-');
        }
        id.push(digit.to_ascii_lowercase());
    }
    id
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise;

    #[test]
    fn a_spelling_of_any_form_is_an_id_or_not() {
        let samples = &[
            "1f0c9d52-0000-4000-8000-000000000001",
            "urn:uuid:1f0c9d52000040008000000000000001",
            "{1F0C9D52-00",
            "1f0c9d5é",
        ];
        noise::each(noise::text(samples), |spelling| match Id::parse(&spelling) {
            Ok(Id::Whole(id)) => assert_eq!((id.len(), stored(&id)), (36, id.clone())),
            Ok(Id::Prefix(prefix)) => {
                assert!((8..36).contains(&prefix.len()) && prefix.bytes().all(|b| b"0123456789abcdef-".contains(&b)));
            }
            Err(error) => assert!(error.is("invalid_uuid")),
        });
    }
}
