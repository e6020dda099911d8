//! The form of a code. What a code says stands in one row: of a table of the program (`codes.rs`, in this folder and
//! beside the adapters and verbs that make them), or of the mailbox's `error_codes` where a rule in SQL makes it.

use std::borrow::Cow;

/// What a code is about. How a command ends follows from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// An option or an argument has a wrong form or value.
    Usage,
    /// No peer of this name is registered, or it is not known which peer is calling.
    Caller,
    /// The mailbox can't be found, opened, read, written or upgraded.
    Mailbox,
    /// It was understood, and a rule or the given text speaks against it.
    Refused,
    /// The recipient's session or its client: it could not be notified, or nobody knows whether it was.
    Recipient,
    /// The session can't take a handoff.
    Target,
    /// Anything else about a handoff.
    Handoff,
    /// No error: what became of a notice.
    Notice,
}

impl Kind {
    /// All kinds, by their names in `error_codes.kind`.
    pub const ALL: [(&'static str, Kind); 8] = [
        ("usage", Kind::Usage),
        ("caller", Kind::Caller),
        ("mailbox", Kind::Mailbox),
        ("refused", Kind::Refused),
        ("recipient", Kind::Recipient),
        ("target", Kind::Target),
        ("handoff", Kind::Handoff),
        ("notice", Kind::Notice),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        Kind::ALL.into_iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }

    /// The kind of this name.
    pub fn named(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|(known, _)| *known == name).map(|(_, kind)| kind)
    }

    /// Whether it says that a verb could not be asked at all. Of a handoff verb everything else is an answer.
    pub fn is_misuse(self) -> bool {
        matches!(self, Kind::Usage | Kind::Caller | Kind::Mailbox)
    }

    /// Whether it says something of a session or of its client, and so means the same on another machine.
    pub fn is_of_session(self) -> bool {
        matches!(self, Kind::Recipient | Kind::Target)
    }
}

/// The row of a code.
#[derive(Debug, Clone)]
pub struct Code {
    /// The code, without the part behind a colon that is filled in at run time.
    pub code: Cow<'static, str>,
    /// What it is about.
    pub kind: Kind,
    /// What it means, in one sentence; for docs/errors.md and for readers of the table.
    pub meaning: Cow<'static, str>,
    /// What its reader does next.
    pub next_step: Cow<'static, str>,
}

/// Makes the table `CODES` of rows: kind, code, meaning, next step.
macro_rules! codes {
    ($($kind:ident $code:ident $meaning:literal $next_step:literal;)*) => {
        /// The codes that are made here.
        pub const CODES: &[$crate::code::Code] = &[$($crate::code::Code {
            code: std::borrow::Cow::Borrowed(stringify!($code)),
            kind: $crate::code::Kind::$kind,
            meaning: std::borrow::Cow::Borrowed($meaning),
            next_step: std::borrow::Cow::Borrowed($next_step),
        }),*];
    };
}

pub(crate) use codes;
