//! `htalk demo`

use std::fs;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use clap::Args;
use serde_json::Value;

use super::Done;
use crate::progress::progress;
use crate::{db, output};

/// Show a whole exchange between two pull peers in a temporary mailbox, check every result, and remove it again.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  htalk demo")]
pub struct Demo {}

const QUESTION: &str = "Does `parse(\"\")` return an error?\nThe caller expects $none.";
const ANSWER: &str = "Yes: EmptyInput, since the last change.";

/// Ends the demo quietly; never printed.
const READER_GONE: &str = "reader_gone";

/// How a demo goes wrong, in words.
type Shown<T> = Result<T, String>;

impl Demo {
    /// Prints each command as a person would type it, with its result; exits 0 if everything was as expected.
    pub fn run(self) -> Done {
        let directory = std::env::temp_dir().join(format!("htalk-demo-{}", uuid::Uuid::new_v4()));
        let shown = {
            let mut state = progress();
            state.is_stream = true;
            state.scratch.push(directory.clone());
            db::private_directory(&directory).map_err(|error| error.to_string())
        };
        let shown = shown.and_then(|()| exchange(&directory.join("mail.sqlite3")));
        let removed = fs::remove_dir_all(&directory).map_err(|error| error.to_string());
        let (words, exit) = match shown.and(removed) {
            Ok(()) => ("\nEverything was as expected. The mailbox is removed.\n".to_owned(), 0),
            Err(words) if words == READER_GONE => return Done { value: None, exit: 0 },
            Err(words) => (format!("\nThe demo failed: {words}\n"), 2),
        };
        let _ = output::plain(&words);
        Done { value: None, exit }
    }
}

fn exchange(mailbox: &Path) -> Shown<()> {
    let demo = Steps { mailbox };
    say("Two peers that look for their mail themselves; the first one makes the mailbox.")?;
    for name in ["asker", "helper"] {
        let peer = demo.step(None, &["peer", "add", name, "--harness", "demo", "--delivery", "pull"], None)?;
        expect(peer["name"] == name, "the registered name")?;
    }
    say("The asker sends a request; from standard input it arrives byte for byte.")?;
    let sent = demo.step(Some("asker"), &["send", "helper", "--message-file", "-"], Some(QUESTION))?;
    expect(sent["created"] == true && sent["body"] == QUESTION, "the saved request")?;
    let request = sent["id"].as_str().unwrap_or_default();
    say("The helper looks into its inbox, says that it has read the request, and answers it.")?;
    let inbox = demo.step(Some("helper"), &["inbox"], None)?;
    expect(inbox["messages"][0]["id"] == request && inbox["total"] == 1, "the request in the inbox")?;
    let read = demo.step(Some("helper"), &["ack", request], None)?;
    expect(read["ack_at"].is_f64(), "the time of the acknowledgment")?;
    let answered = demo.step(Some("helper"), &["reply", request, "--message", ANSWER], None)?;
    expect(answered["in_reply_to"] == request, "the answer to the request")?;
    say("The asker gets the answer, now or later, and acknowledges it.")?;
    let waited = demo.step(Some("asker"), &["wait", request, "--seconds", "5"], None)?;
    expect(waited["reply"]["body"] == ANSWER, "the answer")?;
    let reply = answered["id"].as_str().unwrap_or_default();
    let read = demo.step(Some("asker"), &["ack", reply], None)?;
    expect(read["ack_at"].is_f64(), "the time of the acknowledgment")?;
    say("Nothing is open any more.")?;
    for name in ["asker", "helper"] {
        let inbox = demo.step(Some(name), &["inbox"], None)?;
        expect(inbox["total"] == 0, "an empty inbox")?;
    }
    Ok(())
}

/// Runs commands on the mailbox of the demo.
struct Steps<'a> {
    mailbox: &'a Path,
}

impl Steps<'_> {
    /// Prints and runs one command, and prints and returns its result.
    fn step(&self, actor: Option<&str>, words: &[&str], input: Option<&str>) -> Shown<Value> {
        let mailbox = self.mailbox.to_str().ok_or("the temporary directory has no UTF-8 name")?;
        let mut all = vec!["--db", mailbox];
        all.extend(actor.iter().flat_map(|name| ["--as", *name]));
        all.extend(words);
        let typed = shlex::try_join(all.iter().copied()).map_err(|error| error.to_string())?;
        let heredoc = input.map(|text| format!(" <<'END'\n{text}\nEND")).unwrap_or_default();
        print(&format!("$ htalk {typed}{heredoc}\n"))?;
        // Held until the step is over: an interrupt, which answers with it, would pull the mailbox away from under the
        // step. For the same reason the step is out of reach of a terminal's interrupt.
        let _step = progress();
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut child = Command::new(program)
            .args(&all)
            .process_group(0)
            .env_remove("HTALK_DB")
            .env_remove("HTALK_PEER")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| error.to_string())?;
        let written =
            child.stdin.take().map_or(Ok(()), |mut stdin| stdin.write_all(input.unwrap_or_default().as_bytes()));
        let ended = child.wait_with_output().map_err(|error| error.to_string())?;
        written.map_err(|error| error.to_string())?;
        let result = String::from_utf8_lossy(&ended.stdout);
        print(&result)?;
        expect(ended.status.success(), "exit 0")?;
        serde_json::from_str(&result).map_err(|error| error.to_string())
    }
}

fn say(words: &str) -> Shown<()> {
    print(&format!("\n# {words}\n"))
}

fn print(text: &str) -> Shown<()> {
    output::plain(text).map_err(|_| READER_GONE.to_owned())
}

fn expect(is_so: bool, what: &str) -> Shown<()> {
    if is_so { Ok(()) } else { Err(format!("expected {what}")) }
}
