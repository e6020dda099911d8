//! The one table of tools: the list that a client sees, the command behind each tool, and the way back from a command
//! to the tool are made of it.

use rmcp::model::{Tool as Listed, ToolAnnotations};
use serde_json::{Map, Value, json};

/// Room for the rows of a page, in bytes: with what stands around them it is less than a text may have
/// ([`super::text::LIMIT`]).
const PAGE: &[&str] = &["--max-bytes", "8500"];

/// A tool.
pub struct Tool {
    /// Its name; that of its verb.
    pub name: &'static str,
    /// What it does, for a model.
    about: &'static str,
    /// The command behind it.
    pub words: &'static [&'static str],
    /// Options of the command that every call has.
    pub fixed: &'static [&'static str],
    /// What it takes, besides what every tool takes.
    own: &'static [Argument],
    /// Whether it changes nothing: a client may run it without asking.
    reads: bool,
    /// Whether it only waits for somebody else, and so ends with the client.
    pub only_waits: bool,
    /// Whether its answer repeats the text that was just given; that is left out.
    pub echoes: bool,
}

/// What a tool takes.
pub struct Argument {
    /// Its name.
    pub name: &'static str,
    about: &'static str,
    /// Its type.
    pub form: Form,
    /// Where it stands in the command.
    pub place: Place,
    /// Whether the tool can't do without.
    pub is_required: bool,
}

/// The type of an argument.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A name or an id.
    Word,
    /// One of them, or several in an array.
    Words,
    /// A text of any length.
    Text,
    /// A number.
    Number,
    /// A whole number.
    Count,
    /// Yes or no.
    Flag,
}

/// Where an argument stands in the command.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// By itself.
    Alone,
    /// Behind this option.
    Behind(&'static str),
    /// Nowhere: the front itself uses it.
    Front,
}

const RECIPIENT: Argument = Argument {
    name: "recipient",
    about: "The peer to ask: a name that peers lists.",
    form: Form::Words,
    place: Place::Alone,
    is_required: true,
};
const MESSAGE: Argument = Argument {
    name: "message",
    about: "The text, 1 to 32,000 bytes. It arrives as it is.",
    form: Form::Text,
    place: Place::Behind("--message"),
    is_required: true,
};
const NEW_ID: Argument = Argument {
    name: "id",
    about: "A new UUID for the request: with it, repeating the call is safe.",
    form: Form::Word,
    place: Place::Behind("--id"),
    is_required: false,
};
const ID: Argument = Argument {
    name: "id",
    about: "The id of the message, or at least its first 8 digits.",
    form: Form::Word,
    place: Place::Alone,
    is_required: true,
};
const REQUEST: Argument = Argument { about: "The id of the request, or at least its first 8 digits.", ..ID };
const SECONDS: Argument = Argument {
    name: "seconds",
    about: "How long, 0 to 45; 45 if not given.",
    form: Form::Number,
    place: Place::Behind("--seconds"),
    is_required: false,
};
const WAIT: Argument = Argument {
    about: "Wait so long for the answer, 0 to 45; 0 if not given.",
    place: Place::Behind("--wait"),
    ..SECONDS
};
const FROM: Argument = Argument {
    name: "from",
    about: "Begin the text behind so many characters, as body_rest says.",
    form: Form::Count,
    place: Place::Front,
    is_required: false,
};
const AFTER_SEQ: Argument = Argument {
    name: "after",
    about: "Only messages with a higher seq.",
    form: Form::Count,
    place: Place::Behind("--after-seq"),
    is_required: false,
};
const SUMMARY: Argument = Argument {
    name: "summary",
    about: "The first line of each text instead of the whole.",
    form: Form::Flag,
    place: Place::Behind("--summary"),
    is_required: false,
};
const AFTER_NAME: Argument = Argument {
    name: "after",
    about: "Only peers whose names come after this one.",
    form: Form::Word,
    place: Place::Behind("--after"),
    is_required: false,
};

const ABOUT: Argument = Argument {
    name: "about",
    about: "An earlier message between you and the recipient: this one belongs to its conversation.",
    form: Form::Word,
    place: Place::Behind("--about"),
    is_required: false,
};
const NOTE_ABOUT: Argument = Argument {
    about: "A message that you sent or received: the note goes to the other side of its conversation. Give this or \
        recipient.",
    ..ABOUT
};
const NOTED: Argument = Argument { form: Form::Word, about: "The peer to tell.", is_required: false, ..RECIPIENT };
const NAME: Argument = Argument {
    name: "name",
    about: "The name to have; else that which this session has, or a new one.",
    form: Form::Word,
    place: Place::Alone,
    is_required: false,
};
const THREAD: Argument = Argument {
    name: "thread",
    about: "All messages of its conversation.",
    form: Form::Flag,
    place: Place::Behind("--thread"),
    is_required: false,
};

/// What every tool takes.
const AS: Argument = Argument {
    name: "as",
    about: "Your peer name, only where htalk asks for it.",
    form: Form::Word,
    place: Place::Front,
    is_required: false,
};

/// The argument in which OpenCode's plug-in names the session that calls. It is in no schema, for no model fills it in.
pub const OPENCODE_SESSION: &str = "opencode_session";

/// What a tool is unless it says otherwise.
const PLAIN: Tool =
    Tool { name: "", about: "", words: &[], fixed: &[], own: &[], reads: false, only_waits: false, echoes: false };

/// The tools, at most 14. A new verb gets its line here.
pub const TOOLS: &[Tool] = &[
    Tool {
        name: "send",
        about: "Ask another peer: saves a request and tells its client once that mail is waiting. Wait for the answer \
            with seconds, or with wait, or find it in inbox later.",
        words: &["send"],
        own: &[RECIPIENT, MESSAGE, NEW_ID, ABOUT, WAIT],
        echoes: true,
        ..PLAIN
    },
    Tool {
        name: "reply",
        about: "Answer a request: saves its one answer and tells the asker's client once.",
        words: &["reply"],
        own: &[REQUEST, MESSAGE],
        echoes: true,
        ..PLAIN
    },
    Tool {
        name: "inbox",
        about: "List your open mail, oldest first: unanswered requests, unacknowledged answers and notes.",
        words: &["inbox"],
        fixed: PAGE,
        own: &[AFTER_SEQ, SUMMARY],
        reads: true,
        ..PLAIN
    },
    Tool {
        name: "show",
        about: "Read one message that you sent or received, and its answer.",
        words: &["show"],
        own: &[ID, THREAD, FROM],
        reads: true,
        ..PLAIN
    },
    Tool { name: "ack", about: "Acknowledge a message after reading it.", words: &["ack"], own: &[ID], ..PLAIN },
    Tool {
        name: "wait",
        about: "Wait for the answer to a request of yours. It can be repeated, and no answer is lost by not waiting.",
        words: &["wait"],
        own: &[REQUEST, SECONDS],
        only_waits: true,
        ..PLAIN
    },
    Tool {
        name: "note",
        about: "Tell a peer something that needs no answer: progress, a remark.",
        words: &["note"],
        own: &[NOTED, MESSAGE, NOTE_ABOUT],
        echoes: true,
        ..PLAIN
    },
    Tool {
        name: "cancel",
        about: "Take a request of yours back that has no answer.",
        words: &["cancel"],
        own: &[REQUEST],
        ..PLAIN
    },
    Tool {
        name: "nudge",
        about: "Try once more to tell the recipient of a message of yours, where the last attempt was not submitted.",
        words: &["nudge"],
        own: &[ID],
        ..PLAIN
    },
    Tool {
        name: "join",
        about: "Take part from this session, under a name. It can be repeated.",
        words: &["join"],
        own: &[NAME],
        ..PLAIN
    },
    Tool {
        name: "whoami",
        about: "Your name, the mailbox, and how much mail is open.",
        words: &["whoami"],
        own: &[],
        reads: true,
        ..PLAIN
    },
    Tool {
        name: "peers",
        about: "List the peers that can be asked.",
        words: &["peer", "list"],
        fixed: PAGE,
        own: &[AFTER_NAME],
        reads: true,
        ..PLAIN
    },
];

/// The tool of a name.
pub fn named(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name)
}

impl Tool {
    /// What it takes.
    pub fn arguments(&self) -> impl Iterator<Item = &'static Argument> {
        self.own.iter().chain([&AS])
    }

    /// The tool as a client lists it.
    pub fn listed(&self) -> Listed {
        let properties: Map<String, Value> =
            self.arguments().map(|argument| (argument.name.to_owned(), argument.schema())).collect();
        let required: Vec<&str> =
            self.arguments().filter(|argument| argument.is_required).map(|argument| argument.name).collect();
        let mut schema = Map::new();
        schema.insert("type".into(), "object".into());
        schema.insert("properties".into(), properties.into());
        schema.insert("required".into(), required.into());
        schema.insert("additionalProperties".into(), false.into());
        let annotations = match self.reads {
            true => ToolAnnotations::new().read_only(true).open_world(false),
            // What is saved is added to what is there, and nothing leaves this machine.
            false => ToolAnnotations::new().read_only(false).destructive(false).open_world(false),
        };
        Listed::new(self.name, self.about, schema).with_annotations(annotations)
    }
}

impl Argument {
    fn schema(&self) -> Value {
        let mut schema = match self.form {
            Form::Word | Form::Text => json!({ "type": "string" }),
            Form::Words => json!({
                "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" }, "minItems": 1 }],
            }),
            Form::Number => json!({ "type": "number", "minimum": 0, "maximum": 45 }),
            Form::Count => json!({ "type": "integer", "minimum": 0 }),
            Form::Flag => json!({ "type": "boolean" }),
        };
        schema["description"] = self.about.into();
        schema
    }
}
