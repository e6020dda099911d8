//! The steps of a walk, and how they are drawn.

use proptest::prelude::*;
use proptest::{option, sample};

/// How many peers there can be, and how many there are at the beginning.
pub const PEERS: u8 = 6;
pub const FIRST_PEERS: u8 = 4;

/// How many ids are given by hand, so that retries and conflicts happen.
const IDS: u8 = 24;

/// What can be done to a mailbox. Peers are numbers; one that is not registered yet is drawn too.
#[derive(Debug, Clone)]
pub enum Step {
    Add {
        peer: u8,
    },
    Retire {
        peer: u8,
        is_back: bool,
    },
    Send {
        actor: u8,
        to: u8,
        id: Option<u8>,
        body: Body,
        spelling: Spelling,
    },
    Reply {
        actor: u8,
        which: Pick,
        body: Body,
        spelling: Spelling,
    },
    Ack {
        actor: u8,
        which: Pick,
        spelling: Spelling,
    },
    Wait {
        actor: u8,
        which: Pick,
        spelling: Spelling,
    },
    Show {
        actor: u8,
        which: Pick,
        spelling: Spelling,
    },
    Inbox {
        actor: u8,
        limit: u8,
    },
    Sent {
        actor: u8,
        limit: u8,
    },
    /// A row by the plain shell.
    Insert {
        clause: Clause,
        sender: u8,
        to: u8,
        id: Option<u8>,
        answer: Option<Pick>,
        body: Body,
        seq: Option<u8>,
    },
    /// An acknowledgment by the plain shell.
    InsertAck {
        clause: Clause,
        actor: u8,
        which: Pick,
    },
    /// A statement of the plain shell that must change nothing.
    Tamper(u8, Pick),
    /// A request of the plain shell in a transaction that is taken back.
    RolledBack {
        sender: u8,
        to: u8,
    },
    /// A backup.
    Backup,
    /// A restore of one of the backups, by a process of its own.
    Restore(u8),
    /// A send by a process of its own.
    Program {
        actor: u8,
        to: u8,
        id: u8,
        body: Body,
    },
    /// The same, killed after a while.
    Killed {
        actor: u8,
        to: u8,
        id: u8,
        micros: u16,
    },
}

/// A message, by an id that was given by hand or by its place.
#[derive(Debug, Clone, Copy)]
pub enum Pick {
    Pool(u8),
    Nth(u16),
}

/// How an id is written.
#[derive(Debug, Clone, Copy)]
pub enum Spelling {
    Whole,
    Upper,
    Bare,
    Braced,
    Urn,
    /// Its first eight digits.
    Eight,
    /// Its first eighteen characters.
    Eighteen,
    /// Seven digits, which are too few.
    Seven,
}

/// A text.
#[derive(Debug, Clone, Copy)]
pub enum Body {
    Text(&'static str),
    Long(usize),
}

impl Body {
    pub fn text(self) -> String {
        match self {
            Body::Text(text) => text.to_owned(),
            Body::Long(length) => "x".repeat(length),
        }
    }
}

/// What a statement does about a conflict.
#[derive(Debug, Clone, Copy)]
pub enum Clause {
    Plain,
    Abort,
    Fail,
    Ignore,
    Replace,
    Rollback,
}

impl Clause {
    pub fn insert(self) -> &'static str {
        match self {
            Clause::Plain => "INSERT",
            Clause::Abort => "INSERT OR ABORT",
            Clause::Fail => "INSERT OR FAIL",
            Clause::Ignore => "INSERT OR IGNORE",
            Clause::Replace => "REPLACE",
            Clause::Rollback => "INSERT OR ROLLBACK",
        }
    }
}

impl Spelling {
    /// An id in this spelling.
    pub fn of(self, id: &str) -> String {
        match self {
            Spelling::Whole => id.to_owned(),
            Spelling::Upper => id.to_uppercase(),
            Spelling::Bare => id.replace('-', ""),
            Spelling::Braced => format!("{{{id}}}"),
            Spelling::Urn => format!("urn:uuid:{id}"),
            Spelling::Eight => id[..8].to_owned(),
            Spelling::Eighteen => id[..18].to_owned(),
            Spelling::Seven => id[..7].to_owned(),
        }
    }

    /// How many characters of the id it has, where that is not all.
    pub fn prefix(self) -> Option<usize> {
        match self {
            Spelling::Eight => Some(8),
            Spelling::Eighteen => Some(18),
            Spelling::Seven => Some(7),
            _ => None,
        }
    }
}

fn peer() -> impl Strategy<Value = u8> + Clone {
    0..PEERS
}

fn pick() -> impl Strategy<Value = Pick> + Clone {
    prop_oneof![(0..IDS).prop_map(Pick::Pool), any::<u16>().prop_map(Pick::Nth)]
}

fn body() -> impl Strategy<Value = Body> + Clone {
    let texts =
        sample::select(vec!["", " \n", "\u{200b}\u{feff}", "a\0b", "--help", "it's \"$x\"", "one\r\ntwo", "é🔍"]);
    prop_oneof![
        8 => sample::select(vec!["one", "two", "three"]).prop_map(Body::Text),
        2 => texts.prop_map(Body::Text),
        1 => sample::select(vec![31_999, 32_000, 32_001]).prop_map(Body::Long),
    ]
}

fn spelling() -> impl Strategy<Value = Spelling> + Clone {
    use Spelling::*;
    sample::select(vec![Whole, Whole, Upper, Bare, Braced, Urn, Eight, Eighteen, Seven])
}

fn clause() -> impl Strategy<Value = Clause> + Clone {
    use Clause::*;
    sample::select(vec![Plain, Abort, Fail, Ignore, Replace, Rollback])
}

/// One step, as often as it is worth it.
pub fn step() -> impl Strategy<Value = Step> {
    let id = || option::weighted(0.7, 0..IDS);
    let limit = || 1..=5_u8;
    prop_oneof![
        1 => peer().prop_map(|peer| Step::Add { peer }),
        1 => (peer(), any::<bool>()).prop_map(|(peer, is_back)| Step::Retire { peer, is_back }),
        12 => (peer(), peer(), id(), body(), spelling())
            .prop_map(|(actor, to, id, body, spelling)| Step::Send { actor, to, id, body, spelling }),
        10 => (peer(), pick(), body(), spelling())
            .prop_map(|(actor, which, body, spelling)| Step::Reply { actor, which, body, spelling }),
        10 => (peer(), pick(), spelling()).prop_map(|(actor, which, spelling)| Step::Ack { actor, which, spelling }),
        3 => (peer(), pick(), spelling()).prop_map(|(actor, which, spelling)| Step::Wait { actor, which, spelling }),
        3 => (peer(), pick(), spelling()).prop_map(|(actor, which, spelling)| Step::Show { actor, which, spelling }),
        2 => (peer(), limit()).prop_map(|(actor, limit)| Step::Inbox { actor, limit }),
        2 => (peer(), limit()).prop_map(|(actor, limit)| Step::Sent { actor, limit }),
        12 => (clause(), peer(), peer(), id(), option::of(pick()), body(), option::weighted(0.3, any::<u8>()))
            .prop_map(|(clause, sender, to, id, answer, body, seq)| {
                Step::Insert { clause, sender, to, id, answer, body, seq }
            }),
        6 => (clause(), peer(), pick()).prop_map(|(clause, actor, which)| Step::InsertAck { clause, actor, which }),
        6 => (any::<u8>(), pick()).prop_map(|(kind, which)| Step::Tamper(kind, which)),
        2 => (peer(), peer()).prop_map(|(sender, to)| Step::RolledBack { sender, to }),
        1 => prop_oneof![2 => Just(Step::Backup), 1 => any::<u8>().prop_map(Step::Restore)],
        2 => (peer(), peer(), 0..IDS, body())
            .prop_map(|(actor, to, id, body)| Step::Program { actor, to, id, body }),
        2 => (peer(), peer(), 0..IDS, 0..30_000_u16)
            .prop_map(|(actor, to, id, micros)| Step::Killed { actor, to, id, micros }),
    ]
}
