//! Wrong usage, help and version.

use std::fs;

use crate::support::{Sandbox, run};

/// Every command that has a help text.
const COMMANDS: [&str; 25] = [
    "",
    "peer add",
    "peer list",
    "peer move",
    "peer check",
    "peer discover",
    "peer retire",
    "peer restore",
    "join",
    "whoami",
    "send",
    "reply",
    "note",
    "cancel",
    "nudge",
    "wait",
    "show",
    "ack",
    "inbox",
    "sent",
    "watch",
    "migrate",
    "demo",
    "mcp",
    "peer",
];

/// The ids that the examples name.
const ID: &str = "1f0c9d52-0000-4000-8000-000000000001";
const BATCH: &str = "5b2d7c1e-9f3a-4c60-8a51-0d6e2f7b9c34";

#[test]
fn wrong_usage_prints_only_to_standard_error() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    for words in [
        "",
        "peer",
        "fetch",
        "inbox --db",
        "peer add c --harness codex --workspace .",
        "peer add c --harness opencode --session ses_1",
        "peer add c --harness claude",
        "peer add c --harness claude --delivery native",
        "inbox --limit",
        "inbox --limit few",
        "inbox --after-seq 1.5",
        "inbox extra",
        "--db",
        "--as",
        "show",
        "send",
        "send b",
        "send b --message x --message-file y",
        "send b --message x --message y",
        "send b --message x --wait soon",
        "reply 1f0c9d52",
        "wait 1f0c9d52 --seconds",
        "peer add",
        "peer add c --delivery pull",
        "peer list a",
        "migrate now",
    ] {
        let ran = sandbox.htalk(&words.split_whitespace().collect::<Vec<_>>());
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{words:?}: {ran:?}");
        assert!(ran.err.contains("error: ") || ran.err.contains("Usage: htalk"), "{words:?}: {ran:?}");
        assert!(!ran.err.contains("panicked"), "{words:?}: {ran:?}");
    }
}

#[test]
fn an_argument_that_is_not_utf8_is_wrong_usage() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let sandbox = Sandbox::with_peers(&["a"]);
    let odd = OsStr::from_bytes(b"\xff");
    for words in [["--as"], ["show"]] {
        let ran = run(sandbox.htalk_command(&words).arg(odd).arg("inbox"), b"");
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{ran:?}");
    }
}

#[test]
fn version_is_the_bare_number() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.htalk(&["--version"]).text(), env!("CARGO_PKG_VERSION"));
}

#[test]
fn help_version_and_discovery_leave_the_mailbox_alone() {
    let sandbox = Sandbox::new();
    fs::write(sandbox.mailbox(), "no mailbox").unwrap();
    for command in COMMANDS {
        let words: Vec<&str> = command.split_whitespace().chain(["--help"]).collect();
        let help = sandbox.htalk(&words);
        assert!(help.text().contains("Usage: htalk"), "{command}: {help:?}");
    }
    sandbox.htalk(&["--version"]).text();
    let discovered = sandbox.htalk(&["peer", "discover"]).json();
    assert_ne!(discovered["error"], "not_a_mailbox");
    assert_eq!(fs::read(sandbox.mailbox()).unwrap(), b"no mailbox");
    fs::remove_file(sandbox.mailbox()).unwrap();
    sandbox.htalk(&["peer", "discover"]).json();
    assert!(!sandbox.mailbox().exists());
}

#[test]
fn the_example_of_each_help_text_runs_as_it_stands() {
    for command in COMMANDS {
        // What these do depends on the clients; they have tests of their own.
        if ["peer", "peer discover", "peer move", "nudge"].contains(&command) {
            continue;
        }
        let sandbox = set_up(command);
        let words: Vec<&str> = command.split_whitespace().chain(["--help"]).collect();
        let help = sandbox.htalk(&words);
        let mut example = example(help.text());
        assert!(example.contains(&format!("htalk {}", command.split(' ').next().unwrap())) || example.contains("--as"));
        if command == "watch" {
            example += " | head -n 1";
        }
        let ran = sandbox.sh(&format!("set -e\n{example}"));
        assert!(ran.code == 0 && ran.err.is_empty() && !ran.out.is_empty(), "{example}: {ran:?}");
        // A shell reads a heredoc whose end it does not recognise to the end of the file, and says nothing.
        assert!(!ran.out.contains("EOT"), "{example}: {ran:?}");
    }
}

/// What the example of a command takes for granted.
fn set_up(command: &str) -> Sandbox {
    if ["", "peer add", "join", "demo"].contains(&command) {
        return Sandbox::new();
    }
    let sandbox = Sandbox::with_peers(&["me", "reviewer", "builder"]);
    let (sender, recipient) = if command == "ack" { ("reviewer", "me") } else { ("me", "reviewer") };
    sandbox.htalk(&["--as", sender, "send", recipient, "--id", ID, "--message", "Which test is missing?"]).done();
    if command == "wait" {
        sandbox.reply("reviewer", ID, "The one for empty input.");
        let batch = ["--as", "me", "send", "reviewer", "builder", "--batch", BATCH, "--message", "Does it build?"];
        let sent = sandbox.htalk(&batch).done();
        sandbox.reply("builder", sent["messages"][1]["id"].as_str().unwrap(), "It does.");
    }
    sandbox
}

/// The lines of the example, up to the next blank line.
fn example(help: &str) -> String {
    let lines = help.lines().skip_while(|line| !line.starts_with("Example")).skip(1);
    lines.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}
