//! The receipt of a handoff: with it the recipient's process acknowledges.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::seal;

/// What a recipient presents to acknowledge a handoff: one line of JSON on standard input.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Receipt {
    /// 1.
    pub schema_version: u8,
    /// `receipt`.
    pub kind: String,
    /// The history that the handoff belongs to.
    pub ledger_epoch: String,
    /// The handoff.
    pub correlation_id: String,
    /// The one process it was handed to.
    pub target_generation: String,
    /// What tells a repetition from another receipt.
    pub receipt_id: String,
    /// The token: 32 random bytes as 43 characters of base64url.
    pub capability: String,
}

impl Receipt {
    /// The digest that the ledger keeps in place of the token.
    pub fn digest(&self) -> String {
        seal::hex_digest(&[
            self.ledger_epoch.as_bytes(),
            self.correlation_id.as_bytes(),
            self.target_generation.as_bytes(),
            self.capability.as_bytes(),
        ])
    }

    /// A receipt of the same length as every real one for this generation.
    pub fn sample(generation: &str) -> Receipt {
        let id = Uuid::nil().to_string();
        Receipt {
            schema_version: 1,
            kind: "receipt".into(),
            ledger_epoch: id.clone(),
            correlation_id: id.clone(),
            target_generation: generation.to_owned(),
            receipt_id: id,
            capability: "A".repeat(43),
        }
    }
}
