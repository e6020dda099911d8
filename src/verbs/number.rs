//! Numbers as arguments.

use std::num::{IntErrorKind, ParseFloatError, ParseIntError};

/// A number, and how it was typed: a refusal names what was typed, which the number itself may no longer say.
#[derive(Debug, Clone)]
pub struct Typed<T> {
    /// What was typed.
    pub text: String,
    /// The number.
    pub value: T,
}

/// A whole number. One beyond 64 bits is as good as the last one within: out of range as a size, behind every message
/// as a cursor.
pub fn whole(text: &str) -> Result<Typed<i64>, ParseIntError> {
    let value = text.parse().or_else(|error: ParseIntError| match error.kind() {
        IntErrorKind::PosOverflow => Ok(i64::MAX),
        IntErrorKind::NegOverflow => Ok(i64::MIN),
        _ => Err(error),
    });
    Ok(Typed { value: value?, text: text.to_owned() })
}

/// A number with or without a fraction.
pub fn real(text: &str) -> Result<Typed<f64>, ParseFloatError> {
    Ok(Typed { value: text.parse()?, text: text.to_owned() })
}
