//! `htalk handoff confirm`

use clap::{ArgGroup, Args};
use serde::Deserialize;

use super::frame::Frame;
use super::{ledger, record};
use crate::answer::{Answer, Status as Ending};
use crate::call::Call;
use crate::error::{Error, Result};
use crate::mailbox::Access;
use crate::sql;
use crate::verbs::Verb;

/// State as the sender that the recipient has the message, for a submitted handoff whose token can't come back. It is
/// recorded as operator_confirmed and can't be undone. While the first wait is pending nothing can be confirmed, and
/// after its deadline it is late.
#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("statement").args(["id", "receipt"]).required(true),
    after_help = "Example:\n  htalk --as me handoff confirm 1f0c9d52-7c1e-4a5b-9d3e-2f6a8b4c0d1e \
    --epoch 86fcc25f-0c1d-4e2f-8a3b-4c5d6e7f8091 --generation=91c90fca\n\
    The values are those of htalk handoff status, which names the whole command in recovery."
)]
pub struct Confirm {
    /// The id of the handoff
    #[arg(requires = "epoch")]
    id: Option<String>,
    /// Its ledger_epoch
    #[arg(long, value_name = "UUID", requires = "id")]
    epoch: Option<String>,
    /// Its target_generation
    #[arg(long, value_name = "TEXT", requires = "id", allow_hyphen_values = true)]
    generation: Option<String>,
    /// In place of these: always -, standard input: {"schema_version":1,"ledger_epoch":…,"correlation_id":…,
    /// "target_generation":…,"confirmed":true}
    #[arg(long, value_name = "-")]
    receipt: Option<String>,
}

/// What a sender states.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Statement {
    schema_version: u8,
    ledger_epoch: String,
    correlation_id: String,
    target_generation: Option<String>,
    confirmed: bool,
}

impl Verb for Confirm {
    const REFUSED: Ending = Ending::Unmet;

    /// Records the statement; an acknowledgment that is there already is left alone.
    fn run(self, call: &Call) -> Result<Answer> {
        let statement = self.statement(call)?;
        let (db, actor) = ledger::open_as_actor(call, Access::Write)?;
        let id = statement.correlation_id.as_str();
        let object = ledger::write(&db, |db, now| {
            let mut args = ledger::at(id, now).to_vec();
            args.extend([
                (":actor", actor.name.as_str().into()),
                (":epoch", statement.ledger_epoch.as_str().into()),
                (":generation", statement.target_generation.as_deref().into()),
            ]);
            db.row(sql::HANDOFF_CONFIRM, &args)?;
            record::of(db, &actor, id)
        });
        Answer::done(object.map_err(|error| {
            let binding = ledger::now().and_then(|now| db.row(sql::HANDOFF_BINDING_GET, &ledger::at(id, &now)));
            match binding.ok().flatten().filter(|binding| binding.text("sender") == actor.name) {
                None => because(error, UNLIKE),
                Some(binding) => {
                    let why = if binding["generation"].is_null() { NO_PROCESS } else { UNLIKE };
                    because(error, why).with_way("status", &["handoff", "status", id])
                }
            }
        })?)
    }
}

const UNLIKE: &str = "no handoff of yours has this epoch, id and generation; see handoff status";

const NO_PROCESS: &str = "this handoff is bound to no process (it has no target_generation): Codex does not tell its \
    processes apart, and over SSH only what has a generation is told";

/// Says why there is no authority; another refusal says so itself.
fn because(error: Error, why: &str) -> Error {
    if error.is("receipt_authority_unavailable") { error.with_detail(why) } else { error }
}

impl Confirm {
    /// The statement: what the arguments say, or standard input.
    fn statement(self, call: &Call) -> Result<Statement> {
        const WORDS: &str =
            "a statement has schema_version 1, ledger_epoch, correlation_id, target_generation and confirmed true";
        const NEXT: &str = "Use the confirm command in the recovery of handoff status. Nothing was saved.";
        let invalid = |error: Error| {
            let error = if error.is("invalid_receipt") { error.with_next_action(NEXT) } else { error };
            if error.detail.is_none() { error.with_detail(WORDS) } else { error }
        };
        if let Some(id) = self.id {
            return Ok(Statement {
                schema_version: 1,
                ledger_epoch: self.epoch.unwrap_or_default(),
                correlation_id: ledger::correlation_id(&id)?,
                target_generation: self.generation,
                confirmed: true,
            });
        }
        let frame = Frame::of(self.receipt.unwrap_or_default());
        let statement: Statement = frame.read(call).map_err(invalid)?;
        if statement.schema_version != 1 || !statement.confirmed {
            return Err(invalid(Error::new("invalid_receipt")));
        }
        Ok(statement)
    }
}
