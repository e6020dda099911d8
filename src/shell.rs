//! Command lines for a shell.

/// Words as one line that a shell splits into just these words again.
pub fn line<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    // Only U+0000 can't be quoted, and no argument of a process has one.
    shlex::try_join(words).unwrap_or_default()
}

/// A command of htalk for a mailbox (none: the usual one) and an actor (none: whoever calls).
pub fn htalk<'a>(mailbox: &'a str, actor: Option<&'a str>, words: impl IntoIterator<Item = &'a str>) -> String {
    let mut all = vec!["htalk"];
    if !mailbox.is_empty() {
        all.extend(["--db", mailbox]);
    }
    if let Some(actor) = actor {
        all.extend(["--as", actor]);
    }
    all.extend(words);
    line(all)
}
