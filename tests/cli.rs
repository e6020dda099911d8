//! The contract, through the built binary.

/// A request, its answer, and what both sides find.
mod exchange;
