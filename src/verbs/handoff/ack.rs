//! `htalk handoff ack`

use clap::Args;
use serde_json::json;

use super::frame::Frame;
use super::ledger;
use super::receipt::Receipt;
use crate::answer::{Answer, Status as Ending};
use crate::call::Call;
use crate::error::{Error, Result};
use crate::mailbox::Access;
use crate::verbs::Verb;
use crate::{seal, sql};

/// Present the receipt that came with a handoff, on standard input: its token came to whoever presents it. That says
/// nothing of reading or doing.
#[derive(Debug, Args)]
#[command(after_help = "The command and its input stand in the notice of the handoff; --as is not looked at.\n\
    The ordinary ack of the message is another thing, and no evidence of the handoff.")]
pub struct Ack {
    #[command(flatten)]
    frame: Frame,
}

impl Verb for Ack {
    const REFUSED: Ending = Ending::Unmet;

    /// Says whether it was presented before, and whether it is an acknowledgment yet. The token decides, not the peer.
    fn run(self, call: &Call) -> Result<Answer> {
        let receipt: Receipt = self.frame.read(call)?;
        let is_whole = (receipt.schema_version, receipt.kind.as_str()) == (1, "receipt");
        if !is_whole || !ledger::is_id(&receipt.receipt_id) || !seal::is_token(&receipt.capability) {
            return Err(Error::new("invalid_receipt"));
        }
        let db = ledger::open(call, Access::Write)?;
        let proof = receipt.digest();
        Answer::done(ledger::write(&db, |db, now| {
            let mut args = ledger::at(&receipt.correlation_id, now).to_vec();
            args.extend([
                (":epoch", receipt.ledger_epoch.as_str().into()),
                (":generation", receipt.target_generation.as_str().into()),
                (":receipt_id", receipt.receipt_id.as_str().into()),
                (":proof", proof.as_str().into()),
            ]);
            let authority = db.row(sql::HANDOFF_AUTHORITY_GET, &args)?.unwrap_or_default();
            if !seal::is_same(authority.text("hash"), &proof) {
                return Err(Error::new("receipt_authority_unavailable"));
            }
            let is_new = db.row(sql::HANDOFF_ACK, &args)?.is_some();
            let classified = db.row(sql::HANDOFF_ACK_GET, &args)?.unwrap_or_default();
            Ok(json!({
                "duplicate": !is_new,
                "classification": classified.text("classification"),
                "next_action": "Nothing more is to be done for the receipt. Answer the message as usual.",
            }))
        })?)
    }
}
