//! What carries a conversation with an app server: one JSON text after the other, with one deadline and one budget of
//! bytes for all of it.

use std::io;
use std::time::Duration;

/// Bytes of one message of a server.
pub const MESSAGE: usize = 4 << 20;

/// Bytes of a whole conversation.
pub const CONVERSATION: usize = 16 << 20;

/// Why there was no usable message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The deadline passed.
    TimedOut,
    /// The other side ended the conversation.
    Closed,
    /// More bytes came than are taken.
    TooLarge,
    /// It was no message of this protocol.
    Malformed,
    /// A receipt named another message or thread.
    OtherMessage,
    /// The system refused to read or write.
    Io,
}

impl Fault {
    /// Its name, as the part of a code after `:`.
    pub fn as_str(self) -> &'static str {
        match self {
            Fault::TimedOut => "timed_out",
            Fault::Closed => "closed",
            Fault::TooLarge => "answer_too_large",
            Fault::Malformed => "malformed_answer",
            Fault::OtherMessage => "other_message",
            Fault::Io => "io_error",
        }
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => Fault::TimedOut,
            io::ErrorKind::UnexpectedEof
            | io::ErrorKind::BrokenPipe
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::NotConnected => Fault::Closed,
            io::ErrorKind::FileTooLarge => Fault::TooLarge,
            _ => Fault::Io,
        }
    }
}

impl From<tungstenite::Error> for Fault {
    fn from(error: tungstenite::Error) -> Self {
        use tungstenite::Error;
        use tungstenite::error::ProtocolError;
        match error {
            Error::Io(error) => error.into(),
            Error::ConnectionClosed | Error::AlreadyClosed => Fault::Closed,
            Error::Protocol(ProtocolError::ResetWithoutClosingHandshake | ProtocolError::HandshakeIncomplete) => {
                Fault::Closed
            }
            Error::Capacity(_) => Fault::TooLarge,
            _ => Fault::Malformed,
        }
    }
}

/// One JSON text after the other, in both directions.
pub trait Wire {
    /// Sends one.
    fn send(&mut self, text: &str) -> Result<(), Fault>;
    /// The next one.
    fn receive(&mut self) -> Result<String, Fault>;
    /// Sets the time that everything from now on may take together.
    fn allow(&mut self, limit: Duration);
}
