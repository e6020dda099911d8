//! `htalk restore PATH`

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::Verb;
use crate::answer::{Answer, way};
use crate::call::Call;
use crate::error::{Error, Result};
use crate::mailbox::{restore, schema_version};

/// Put a backup in the place of what the mailbox holds. What was there is kept beside it, in MAILBOX.backups. Whoever
/// has the mailbox open sees the new content; where there is no mailbox, the backup becomes one.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  htalk restore ~/mail-backup.sqlite3")]
pub struct Restore {
    /// The backup; it is only read
    path: PathBuf,
}

impl Verb for Restore {
    /// Prints what the mailbox holds then, and where its former content is.
    fn run(self, call: &Call) -> Result<Answer> {
        let path = std::path::absolute(call.expand(&self.path)?)
            .map_err(|error| Error::new("backup_is_unusable").with_detail(error))?;
        let mailbox = call.mailbox()?;
        let restored = restore::restore(mailbox, &path, call.environment(), call.scope())?;
        let kept = restored.kept.map(|kept| kept.to_string_lossy().into_owned());
        let mut recovery = call.progress().recovery();
        if let Some(kept) = kept.as_ref().filter(|_| restored.is_kept_sound) {
            recovery.insert("undo".into(), way(&["restore", kept]));
        }
        let mut words = match &kept {
            Some(_) if restored.is_kept_sound => "The backup is in place; the recovery command undo takes that back.",
            Some(_) => "The backup is in place. What was there is damaged; its bytes are kept.",
            None => "The backup is in place.",
        }
        .to_owned();
        if restored.has_ledger {
            recovery.insert("quarantine".into(), way(&["handoff", "quarantine"]));
            words += " If handoffs were sent since the backup, run quarantine: the ledger can't know them.";
        }
        Answer::done(json!({
            "state": "restored",
            "path": path.to_string_lossy(),
            "messages": restored.messages,
            "schema_version": schema_version(),
            "resolved_path": mailbox.to_string_lossy(),
            "kept": kept,
            "kept_is_sound": restored.is_kept_sound,
            "recovery": recovery,
            "next_action": words,
        }))
    }
}
