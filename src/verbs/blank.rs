//! What shows nothing: the rule of the mailbox for bodies (`messages_insert_rules`), for texts that are judged before.

/// Whether a text shows nothing: it is white space, and what Unicode calls ignorable.
pub fn is_blank(text: &str) -> bool {
    text.chars().all(|character| character.is_whitespace() || is_ignorable(character))
}

/// The ignorable characters of Unicode: soft hyphen, joiners, directions, fillers, variation selectors, tags.
fn is_ignorable(character: char) -> bool {
    matches!(
        character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
    )
}

#[cfg(test)]
mod tests {
    use super::is_blank;
    use crate::mailbox::{Arg, Db};
    use crate::sql;

    #[test]
    fn the_mailbox_judges_every_character_alike() {
        let db = Db::rehearsal(false).unwrap();
        for name in ["a", "b"] {
            let mut args: Vec<(&str, Arg)> = [":session_id", ":workspace", ":home", ":socket", ":url"]
                .map(|key| (key, Arg::from(None::<&str>)))
                .into();
            args.extend([(":name", name.into()), (":harness", "test".into()), (":delivery", "pull".into())]);
            db.row(sql::PEER_ADD, &args).unwrap();
        }
        let is_no_body = |body: &str| {
            let id = uuid::Uuid::new_v4().to_string();
            let args = [
                (":id", id.as_str().into()),
                (":actor", "a".into()),
                (":recipient", "b".into()),
                (":kind", "request".into()),
                (":about", Arg::Null),
                (":batch", Arg::Null),
                (":source", Arg::Null),
                (":session", Arg::Null),
                (":body", body.into()),
            ];
            db.row(sql::MESSAGE_SEND, &args).is_err_and(|error| error.is("message_must_be_1_to_32000_bytes"))
        };
        // The planes without a blank, but for one character in 61.
        let is_of_interest =
            |point: &u32| *point < 0x4000 || (0xf000..0x20000).contains(point) || point.is_multiple_of(61);
        let characters = (1..0x11_0000).filter(|point| is_of_interest(point) || (0xdff00..0xe1100).contains(point));
        for character in characters.filter_map(char::from_u32) {
            let body = character.to_string();
            assert_eq!(is_no_body(&body), is_blank(&body), "U+{:04X}", u32::from(character));
        }
        assert!(is_no_body("\u{200b} \n\u{feff}") && !is_no_body("\u{200b}x\u{200b}") && is_blank(""));
    }
}
