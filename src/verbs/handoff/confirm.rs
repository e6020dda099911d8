//! `htalk handoff confirm`

use clap::Args;
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
#[command(after_help = "Example:\n  htalk --as me handoff confirm --receipt - <<'EOT'\n  {\"schema_version\":1,\
    \"ledger_epoch\":\"…\",\"correlation_id\":\"…\",\"target_generation\":\"…\",\"confirmed\":true}\n  EOT\n\
    The values are those of htalk handoff status.")]
pub struct Confirm {
    #[command(flatten)]
    frame: Frame,
}

/// What a sender states: one line of JSON on standard input.
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
        let invalid = |error: Error| match error.detail {
            None => error.with_detail(
                "a statement has schema_version 1, ledger_epoch, correlation_id, target_generation and confirmed true",
            ),
            Some(_) => error,
        };
        let statement: Statement = self.frame.read(call).map_err(invalid)?;
        if statement.schema_version != 1 || !statement.confirmed {
            return Err(invalid(Error::new("invalid_receipt")));
        }
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
        Answer::done(object.map_err(|error| match error.code.as_str() {
            "receipt_authority_unavailable" => {
                error.with_detail("no handoff of yours has this epoch, id and generation; see handoff status")
            }
            _ => error,
        })?)
    }
}
