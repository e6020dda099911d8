//! `htalk handoff ack` and `htalk handoff confirm`: what the recipient presents, and what the sender states.

use std::time::{Duration, Instant};

use clap::Args;
use serde::Deserialize;
use serde_json::json;

use super::super::Done;
use super::text::Receipt;
use super::{input, is_id, object, ssh};
use crate::config::{Run, text};
use crate::db::Access;
use crate::error::{Error, Result};
use crate::{seal, sql};

/// Bytes of a frame.
const FRAME: usize = 4096;

/// How long the whole frame may take to come.
const TIME: Duration = Duration::from_secs(5);

/// Where the frame is read: only standard input, for arguments and environments can be read by others.
#[derive(Debug, Args)]
struct Frame {
    /// Always -, standard input: one JSON object of at most 4,096 bytes
    #[arg(long, value_name = "-")]
    receipt: String,
}

/// Present the receipt that came with a handoff, on standard input: the recipient has it. That says nothing of reading
/// or doing.
#[derive(Debug, Args)]
#[command(after_help = "The command and its input stand in the notice of the handoff; --as is not looked at.\n\
    The ordinary ack of the message is another thing, and no evidence of the handoff.")]
pub struct Ack {
    #[command(flatten)]
    frame: Frame,
}

impl Ack {
    /// Says whether it was presented before, and whether it is an acknowledgment yet. The token decides, not the peer.
    pub fn run(self, run: &Run) -> Result<Done> {
        let receipt: Receipt = self.frame.read()?;
        let is_whole = (receipt.schema_version, receipt.kind.as_str()) == (1, "receipt");
        if !is_whole || !is_id(&receipt.receipt_id) || !seal::is_token(&receipt.capability) {
            return Err(Error::new("invalid_receipt"));
        }
        let db = super::open(run, Access::Write)?;
        let proof = receipt.digest();
        Done::ok(super::write(&db, |db, now| {
            let mut args = super::at(&receipt.correlation_id, now).to_vec();
            args.extend([
                (":epoch", receipt.ledger_epoch.as_str().into()),
                (":generation", receipt.target_generation.as_str().into()),
                (":receipt_id", receipt.receipt_id.as_str().into()),
                (":proof", proof.as_str().into()),
            ]);
            let authority = db.row(sql::HANDOFF_AUTHORITY_GET, &args)?.unwrap_or_default();
            if !seal::is_same(text(&authority, "hash"), &proof) {
                return Err(Error::new("receipt_authority_unavailable"));
            }
            let is_new = db.row(sql::HANDOFF_ACK, &args)?.is_some();
            let classified = db.row(sql::HANDOFF_ACK_GET, &args)?.unwrap_or_default();
            Ok(json!({
                "duplicate": !is_new,
                "classification": text(&classified, "classification"),
                "next_action": "Nothing more is to be done for the receipt. Answer the message as usual.",
            }))
        })?)
    }
}

/// State as the sender that the recipient has the message, for a submitted handoff whose token can't come back. It is
/// recorded as operator_confirmed and can't be undone. After a wait that did not time out nothing can be confirmed.
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

impl Confirm {
    /// Records the statement; an acknowledgment that is there already is left alone.
    pub fn run(self, run: &Run) -> Result<Done> {
        let invalid = |error: Error| match error.detail {
            None => error.with_detail(
                "a statement has schema_version 1, ledger_epoch, correlation_id, target_generation and confirmed true",
            ),
            Some(_) => error,
        };
        let statement: Statement = self.frame.read().map_err(invalid)?;
        if statement.schema_version != 1 || !statement.confirmed {
            return Err(invalid(Error::new("invalid_receipt")));
        }
        let (db, actor) = super::open_as_actor(run, Access::Write)?;
        let id = statement.correlation_id.as_str();
        let object = super::write(&db, |db, now| {
            let mut args = super::at(id, now).to_vec();
            args.extend([
                (":actor", actor.name.as_str().into()),
                (":epoch", statement.ledger_epoch.as_str().into()),
                (":generation", statement.target_generation.as_deref().into()),
            ]);
            // A wait whose process died is still pending, and a pending first wait proves no order.
            db.row(sql::HANDOFF_WAIT_SETTLE, &args)?;
            db.row(sql::HANDOFF_CONFIRM, &args)?;
            object::of(db, &actor, id)
        });
        Done::ok(object.map_err(|error| match error.code.as_str() {
            "receipt_authority_unavailable" => {
                error.with_detail("no handoff of yours has this epoch, id and generation; see handoff status")
            }
            _ => error,
        })?)
    }
}

impl Frame {
    fn read<T: for<'a> Deserialize<'a>>(&self) -> Result<T> {
        // Judged here and not by the parser of arguments, which would show what it refuses.
        if self.receipt != "-" {
            return Err(
                Error::new("invalid_receipt").with_detail("--receipt takes only -: give the JSON on standard input")
            );
        }
        let bytes = input::from_stdin(FRAME, Instant::now() + TIME)?;
        if bytes.len() > FRAME {
            return Err(Error::new("invalid_receipt").with_detail(format!("more than {FRAME} bytes")));
        }
        ssh::object(&bytes).ok_or_else(|| Error::new("invalid_receipt"))
    }
}
