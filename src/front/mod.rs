//! The fronts: whoever makes calls, shows their answers and ends the process. Nothing else prints, quotes a command for
//! a shell, catches a signal or exits.

pub mod command_line;
pub mod json;
pub mod mcp;
mod output;
mod signals;
