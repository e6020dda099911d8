//! `htalk peer retire NAME` and `htalk peer restore NAME`

use clap::Args;

use super::Done;
use crate::config::{Run, known_peer};
use crate::db::Access;
use crate::error::Result;
use crate::sql;

/// The peer to retire or to restore.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  htalk peer retire me\n  htalk peer restore me")]
pub struct PeerName {
    /// Its name
    name: String,
}

impl PeerName {
    /// No new request goes to or from the peer; what was asked before can still be answered.
    pub fn retire(self, run: &Run) -> Result<Done> {
        self.record(run, "retired")
    }

    /// The peer takes part again.
    pub fn restore(self, run: &Run) -> Result<Done> {
        self.record(run, "restored")
    }

    fn record(&self, run: &Run, action: &str) -> Result<Done> {
        let db = run.open(Access::Write)?;
        known_peer(&db, &self.name)?;
        let args = [(":name", self.name.as_str().into()), (":action", action.into())];
        db.write(|db| db.row(sql::PEER_RETIRE, &args))?;
        Done::ok(known_peer(&db, &self.name)?)
    }
}
