//! The verbs, one a file: what each takes, and its steps from a call to an answer.

pub mod ack;
mod actor;
mod address;
pub mod backup;
mod batch;
mod blank;
mod body;
pub mod cancel;
pub mod demo;
pub mod handoff;
mod id;
pub mod inbox;
pub mod join;
mod message;
pub mod migrate;
pub mod note;
mod notice;
pub mod nudge;
mod number;
mod page;
pub mod peer_add;
pub mod peer_check;
pub mod peer_discover;
pub mod peer_list;
pub mod peer_move;
pub mod peer_restore;
pub mod peer_retire;
mod peers;
mod post;
pub mod reply;
pub mod restore;
pub mod send;
pub mod sent;
pub mod show;
pub mod wait;
pub mod watch;
pub mod whoami;

use clap::Args;

use crate::answer::{Answer, Status};
use crate::call::Call;
use crate::clients::Context;
use crate::error::Result;

/// A verb with its arguments.
pub trait Verb: Args + 'static {
    /// How it ends where a rule or a client says no.
    const REFUSED: Status = Status::Failed;

    /// What is wrong with the arguments together, as words of a usage error.
    fn misuse(&self) -> Option<String> {
        None
    }

    /// Takes its steps.
    fn run(self, call: &Call) -> Result<Answer>;
}

/// For whom a client is asked.
fn context(call: &Call) -> Context<'_> {
    Context { environment: call.environment(), scope: call.scope() }
}

/// A verb with these arguments.
///
/// # Errors
/// The words are not what the verb takes.
pub fn parse<V: Verb>(words: &[&str]) -> clap::error::Result<V> {
    let command = V::augment_args(clap::Command::new("verb").no_binary_name(true));
    command.try_get_matches_from(words).and_then(|matches| V::from_arg_matches(&matches))
}
