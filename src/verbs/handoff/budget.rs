//! The time that a handoff verb has, and what it may wait for.

use std::time::{Duration, Instant};

use clap::ValueEnum;

use super::ledger;
use crate::error::{Error, Result};
use crate::platform::clock::Moment;

/// Of a budget, what is kept for cleaning up.
const RESERVE: Duration = Duration::from_secs(5);

/// What a wait is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Goal {
    /// The recipient presented its receipt, or the sender confirmed that it has the message
    Acknowledged,
    /// The message stands before the model; no client tells that
    Delivered,
}

impl Goal {
    /// The value of `handoff_waits.goal`.
    pub fn as_str(self) -> &'static str {
        match self {
            Goal::Acknowledged => "acknowledged",
            Goal::Delivered => "delivered",
        }
    }
}

/// The time that a command has in all: a whole number of 1 to 60 seconds from its start.
pub struct Budget {
    /// Its seconds.
    pub seconds: i64,
    /// Its start, by the clock that decides.
    pub start: Moment,
    begun: Instant,
}

impl Budget {
    /// The usual 30 seconds.
    pub fn usual() -> Result<Budget> {
        Budget::parse("30")
    }

    /// # Errors
    /// `wait_timeout_must_be_between_1_and_60`, `handoff_clock_unavailable`
    pub fn parse(text: &str) -> Result<Budget> {
        // 01 is as odd as +1: a spelling that nobody means.
        let is_plain = !text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit());
        let seconds = text.parse().ok().filter(|seconds| is_plain && (1..=60).contains(seconds));
        let seconds = seconds
            .ok_or_else(|| Error::new("wait_timeout_must_be_between_1_and_60").with_detail(format!("{text:?}")))?;
        Ok(Budget { seconds, start: ledger::now()?, begun: Instant::now() })
    }

    /// Until when something may be tried.
    pub fn cutoff(&self) -> Instant {
        self.end().checked_sub(RESERVE).unwrap_or(self.begun).max(self.begun)
    }

    /// When everything must be over.
    fn end(&self) -> Instant {
        self.begun + Duration::from_secs(self.seconds as u64)
    }

    /// When a client that was begun in time must have answered; what is left is for recording it.
    pub fn patience(&self) -> Instant {
        (self.end() - Duration::from_secs(1)).max(self.cutoff())
    }

    /// Whether nothing is left of it but the time for cleaning up.
    pub fn is_short(&self) -> bool {
        self.cutoff() == self.begun
    }
}
