//! `htalk demo`

use std::fs;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use clap::Args;
use serde_json::{Map, Value};
use uuid::Uuid;

use super::ack::Ack;
use super::inbox::Inbox;
use super::peer_add::PeerAdd;
use super::reply::Reply;
use super::send::Send;
use super::wait::Wait;
use super::{Verb, parse};
use crate::answer::{Answer, Status};
use crate::call::{Call, Front, Handle, Progress, ReaderGone, Shared, Wanted};
use crate::environment::Environment;
use crate::error::Result;
use crate::mailbox::private_directory;
use crate::shell;

/// Show a whole exchange between two pull peers in a temporary mailbox, check every result, and remove it again.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  htalk demo")]
pub struct Demo {}

const QUESTION: &str = "Does `parse(\"\")` return an error?\nThe caller expects $none.";
const ANSWER: &str = "Yes: EmptyInput, since the last change.";

/// Why a demo ends early.
enum End {
    /// Nobody reads any more, or the call was cancelled.
    ReaderGone,
    /// Something is not as expected, in words.
    Unexpected(String),
}

impl From<ReaderGone> for End {
    fn from(_: ReaderGone) -> Self {
        End::ReaderGone
    }
}

impl From<String> for End {
    fn from(words: String) -> Self {
        End::Unexpected(words)
    }
}

impl From<io::Error> for End {
    fn from(error: io::Error) -> Self {
        End::Unexpected(error.to_string())
    }
}

type Shown<T> = std::result::Result<T, End>;

impl Verb for Demo {
    /// Prints each command as a person would type it, with its result; done if everything was as expected.
    fn run(self, call: &Call) -> Result<Answer> {
        call.progress().is_stream = true;
        let (words, status) = match in_temporary_directory(call) {
            Ok(()) => ("\nEverything was as expected. The mailbox is removed.\n".to_owned(), Status::Done),
            Err(End::ReaderGone) => return Answer::given(Status::Done),
            Err(End::Unexpected(words)) => (format!("\nThe demo failed: {words}\n"), Status::Failed),
        };
        let _ = call.front().text(&words);
        Answer::given(status)
    }
}

fn in_temporary_directory(call: &Call) -> Shown<()> {
    let directory = std::env::temp_dir().join(format!("htalk-demo-{}", Uuid::new_v4()));
    let has_ended = Arc::new(Mutex::new(false));
    let ((), begun) = call.scope().begin(|| {
        private_directory(&directory)?;
        let (directory, has_ended) = (directory.clone(), has_ended.clone());
        let undo = move || {
            // Not while a step is at work: it would make its files anew.
            *has_ended.lock().unwrap_or_else(PoisonError::into_inner) = true;
            let _ = fs::remove_dir_all(directory);
        };
        Ok(((), undo))
    })?;
    exchange(&Steps { call, mailbox: &directory.join("mail.sqlite3"), has_ended: &has_ended })?;
    fs::remove_dir_all(&directory)?;
    begun.strike_off();
    Ok(())
}

fn exchange(demo: &Steps) -> Shown<()> {
    demo.say("Two peers that look for their mail themselves; the first one makes the mailbox.")?;
    for name in ["asker", "helper"] {
        let peer =
            demo.step::<PeerAdd>(None, &["peer", "add"], &[name, "--harness", "demo", "--delivery", "pull"], None)?;
        expect(peer["name"] == name, "the registered name")?;
    }
    demo.say("The asker sends a request; from standard input it arrives byte for byte.")?;
    let sent = demo.step::<Send>(Some("asker"), &["send"], &["helper", "--message-file", "-"], Some(QUESTION))?;
    expect(sent["created"] == true && sent["body"] == QUESTION, "the saved request")?;
    let request = sent["id"].as_str().unwrap_or_default();
    demo.say("The helper looks into its inbox, says that it has read the request, and answers it.")?;
    let inbox = demo.step::<Inbox>(Some("helper"), &["inbox"], &[], None)?;
    expect(inbox["messages"][0]["id"] == request && inbox["total"] == 1, "the request in the inbox")?;
    let read = demo.step::<Ack>(Some("helper"), &["ack"], &[request], None)?;
    expect(read["ack_at"].is_f64(), "the time of the acknowledgment")?;
    let answered = demo.step::<Reply>(Some("helper"), &["reply"], &[request, "--message", ANSWER], None)?;
    expect(answered["in_reply_to"] == request, "the answer to the request")?;
    demo.say("The asker gets the answer, now or later, and acknowledges it.")?;
    let waited = demo.step::<Wait>(Some("asker"), &["wait"], &[request, "--seconds", "5"], None)?;
    expect(waited["reply"]["body"] == ANSWER, "the answer")?;
    let reply = answered["id"].as_str().unwrap_or_default();
    let read = demo.step::<Ack>(Some("asker"), &["ack"], &[reply], None)?;
    expect(read["ack_at"].is_f64(), "the time of the acknowledgment")?;
    demo.say("Nothing is open any more.")?;
    for name in ["asker", "helper"] {
        let inbox = demo.step::<Inbox>(Some(name), &["inbox"], &[], None)?;
        expect(inbox["total"] == 0, "an empty inbox")?;
    }
    Ok(())
}

/// Makes calls on the mailbox of the demo.
struct Steps<'a> {
    call: &'a Call,
    mailbox: &'a Path,
    /// Held while a step is at work; whether the demo was cancelled.
    has_ended: &'a Mutex<bool>,
}

impl Steps<'_> {
    /// Shows a command, makes its call, and shows and returns its result.
    fn step<V: Verb>(&self, actor: Option<&str>, verb: &[&str], words: &[&str], input: Option<&str>) -> Shown<Value> {
        let mailbox = self.mailbox.to_str().ok_or("the temporary directory has no UTF-8 name".to_owned())?;
        let typed = shell::htalk(mailbox, actor, verb.iter().chain(words).copied());
        let heredoc = input.map(|text| format!(" <<'END'\n{text}\nEND")).unwrap_or_default();
        self.show(&format!("$ {typed}{heredoc}\n"))?;
        let stage = Stage { call: self.call.front().clone(), input: input.map(str::to_owned) };
        let wanted =
            Wanted { mailbox: Some(self.mailbox.to_owned()), actor: actor.map(str::to_owned), ..Wanted::default() };
        let (handle, nothing) = (Handle::default(), Environment::given::<String, String>([]));
        let step = Call::new(handle.clone(), wanted, nothing, Arc::new(stage), &Shared::default());
        let verb = parse::<V>(words).map_err(|error| error.to_string())?;
        let Answer { object, status } = {
            // Nothing is shown meanwhile: whoever cancels the demo may hold the output, and waits for this.
            let has_ended = self.has_ended.lock().unwrap_or_else(PoisonError::into_inner);
            if *has_ended {
                return Err(End::ReaderGone);
            }
            step.run(V::REFUSED, |call| verb.run(call))
        };
        let object = object.unwrap_or_default();
        self.show(&(self.call.front().show(&handle.progress(), &object) + "\n"))?;
        expect(status == Status::Done, "a call that ends well")?;
        Ok(object.into())
    }

    fn say(&self, words: &str) -> Shown<()> {
        self.show(&format!("\n# {words}\n"))
    }

    fn show(&self, text: &str) -> Shown<()> {
        Ok(self.call.front().text(text)?)
    }
}

/// The front of a step: that of the demo, with an input of its own.
struct Stage {
    call: Arc<dyn Front>,
    input: Option<String>,
}

impl Front for Stage {
    fn show(&self, call: &Progress, object: &Map<String, Value>) -> String {
        self.call.show(call, object)
    }

    fn line(&self, line: &Value) -> std::result::Result<(), ReaderGone> {
        self.call.line(line)
    }

    fn text(&self, text: &str) -> std::result::Result<(), ReaderGone> {
        self.call.text(text)
    }

    fn sleep(&self, limit: Duration) -> std::result::Result<(), ReaderGone> {
        self.call.sleep(limit)
    }

    fn input(&self) -> io::Result<OwnedFd> {
        let (reader, mut writer) = io::pipe()?;
        // A pipe holds more than this.
        writer.write_all(self.input.as_deref().unwrap_or_default().as_bytes())?;
        Ok(reader.into())
    }
}

fn expect(is_so: bool, what: &str) -> Shown<()> {
    if is_so { Ok(()) } else { Err(End::Unexpected(format!("expected {what}"))) }
}
