//! `htalk backup PATH`

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::Verb;
use crate::answer::{Answer, way};
use crate::call::Call;
use crate::error::{Error, Result};
use crate::mailbox::{Access, schema_version};

/// Copy the whole mailbox to a new file, consistent while others write, private and verified. A copy by cp lacks what
/// lies in the files beside the mailbox.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  htalk backup ~/mail-backup.sqlite3")]
pub struct Backup {
    /// The file to make; nothing is overwritten
    path: PathBuf,
}

impl Verb for Backup {
    /// Prints what the copy holds.
    fn run(self, call: &Call) -> Result<Answer> {
        let path = std::path::absolute(call.expand(&self.path)?)
            .map_err(|error| Error::new("database_backup_failed").with_detail(error))?;
        let messages = call.open(Access::Read)?.back_up_to(&path)?;
        let path = path.to_string_lossy();
        Answer::done(json!({
            "state": "saved",
            "path": path,
            "messages": messages,
            "schema_version": schema_version(),
            "resolved_path": call.mailbox()?.to_string_lossy(),
            "recovery": { "restore": way(&["restore", &path]) },
            "next_action": "Keep the copy; the recovery command restore puts it back, and keeps what was there.",
        }))
    }
}
