//! Message ids as people write them.

use uuid::Uuid;

use crate::config::{Actor, text};
use crate::db::Db;
use crate::error::{Error, Result};
use crate::sql;

/// The fewest hexadecimal digits that stand for a message.
const FEWEST_DIGITS: usize = 8;

/// A UUID in any usual spelling, as it is stored: lower case with hyphens. Any other text comes back as it is, for the
/// rules to refuse.
pub fn stored(spelling: &str) -> String {
    Uuid::try_parse(spelling).map_or_else(|_| spelling.to_owned(), |id| id.to_string())
}

/// The full id that was meant: a UUID, or the only one of the actor's messages that begins with these digits.
///
/// # Errors
/// `invalid_uuid`, `ambiguous_message_id`, and `unknown` where no message begins so.
pub fn resolve(db: &Db, actor: &Actor, spelling: &str, unknown: &str) -> Result<String> {
    if let Ok(id) = Uuid::try_parse(spelling) {
        return Ok(id.to_string());
    }
    let digits: String = spelling.chars().filter(|character| *character != '-').collect();
    let is_prefix =
        (FEWEST_DIGITS..32).contains(&digits.len()) && digits.chars().all(|digit| digit.is_ascii_hexdigit());
    if !is_prefix {
        return Err(Error::new("invalid_uuid"));
    }
    let prefix = hyphenated(&digits);
    let args = [(":prefix", prefix.as_str().into()), (":actor", actor.name.as_str().into())];
    let found = db.rows(sql::MESSAGE_FIND, &args)?;
    match found.as_slice() {
        [] => Err(Error::new(unknown)),
        [only] => Ok(text(only, "id").to_owned()),
        _ => Err(Error::new("ambiguous_message_id")),
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
