//! One JSON object on standard input: a receipt, or a sender's statement.

use std::time::{Duration, Instant};

use clap::Args;
use serde::Deserialize;

use super::{input, remote};
use crate::call::Call;
use crate::error::{Error, Result};

/// Bytes of a frame.
const FRAME: usize = 4096;

/// How long the whole frame may take to come.
const TIME: Duration = Duration::from_secs(5);

/// Where the frame is read: only standard input, for arguments and environments can be read by others.
#[derive(Debug, Args)]
pub struct Frame {
    /// Always -, standard input: one JSON object of at most 4,096 bytes
    #[arg(long, value_name = "-")]
    receipt: String,
}

impl Frame {
    /// What was given as `--receipt`.
    pub fn of(receipt: String) -> Frame {
        Frame { receipt }
    }

    /// Reads it.
    ///
    /// # Errors
    /// `invalid_receipt`, and what standard input is refused for.
    pub fn read<T: for<'a> Deserialize<'a>>(&self, call: &Call) -> Result<T> {
        // Judged here and not by the parser of arguments, which would show what it refuses.
        if self.receipt != "-" {
            return Err(
                Error::new("invalid_receipt").with_detail("--receipt takes only -: give the JSON on standard input")
            );
        }
        let bytes = input::from_stdin(call, FRAME, Instant::now() + TIME)?;
        if bytes.len() > FRAME {
            return Err(Error::new("invalid_receipt").with_detail(format!("more than {FRAME} bytes")));
        }
        remote::object(&bytes).ok_or_else(|| Error::new("invalid_receipt"))
    }
}
