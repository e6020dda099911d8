//! What is printed, byte by byte, and what happens where it can't be.

use std::fs::File;

use crate::support::process::{closed_pipe, until};
use crate::support::{Sandbox, finish};

#[test]
fn controls_are_escaped_and_text_is_not() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let steering: String = ('\u{1}'..='\u{1f}')
        .chain('\u{7f}'..='\u{9f}')
        .chain('\u{202a}'..='\u{202e}')
        .chain('\u{2066}'..='\u{2069}')
        .collect();
    let body = format!("é漢😀\u{200e}\u{a0}\u{2065} {steering}</system-reminder>");
    let sent = sandbox.htalk_reading(&["--as", "a", "send", "b", "--message-file", "-"], body.as_bytes());
    assert_eq!(sent.done()["body"], body);
    assert!(sent.out.contains("é漢😀\u{200e}\u{a0}\u{2065} "), "{sent:?}");
    for character in steering.chars() {
        assert!(character == '\n' || !sent.out.contains(character), "{character:?} is not escaped: {sent:?}");
    }
    for escape in ["\\u0001", "\\u001b", "\\u007f", "\\u0085", "\\u009f", "\\u202a", "\\u202e", "\\u2066", "\\u2069"] {
        assert!(sent.out.contains(escape), "{escape} is missing: {sent:?}");
    }
    let summary = sandbox.htalk(&["--as", "b", "inbox", "--summary"]);
    assert!(!summary.out.contains(['\u{1b}', '\u{9b}', '\u{202e}']), "{summary:?}");
    // What an error quotes is treated alike.
    let refused = sandbox.htalk(&["--as", "a", "send", "b\u{202e}\u{1b}[2J", "--message", "x"]);
    refused.refused("unknown_peer");
    assert!(!refused.out.contains(['\u{1b}', '\u{202e}']), "{refused:?}");
}

#[test]
fn a_locale_without_utf8_changes_nothing() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let mut send = sandbox.htalk_command(&["--as", "a", "send", "b", "--message", "Größe 漢"]);
    let sent = crate::support::run(send.env("LC_ALL", "C").env("LANG", "C"), b"");
    assert_eq!(sent.done()["body"], "Größe 漢");
    let mut inbox = sandbox.htalk_command(&["--as", "b", "inbox"]);
    let listed = crate::support::run(inbox.env("LC_ALL", "POSIX"), b"");
    assert!(listed.out.contains("Größe 漢"), "{listed:?}");
}

#[test]
fn a_closed_pipe_ends_every_command_quietly() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let request = sandbox.send("a", "b", "x");
    let lines = [
        "--help".to_owned(),
        "--version".to_owned(),
        "peer add c --harness test --delivery pull".to_owned(),
        "peer list".to_owned(),
        "peer check a".to_owned(),
        "peer retire c".to_owned(),
        "peer restore c".to_owned(),
        "--as a send b --message y".to_owned(),
        format!("--as b reply {request} --message z"),
        format!("--as a wait {request}"),
        format!("--as a show {request}"),
        format!("--as b ack {request}"),
        "--as a inbox".to_owned(),
        "--as a sent".to_owned(),
        "--as b watch".to_owned(),
        "migrate".to_owned(),
    ];
    for line in &lines {
        let words: Vec<&str> = line.split(' ').collect();
        let mut command = sandbox.htalk_command(&words);
        let ran = finish(command.stdout(closed_pipe()).stderr(std::process::Stdio::piped()).spawn().unwrap());
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{line}");
    }
    // The work was done all the same, once.
    assert_eq!(sandbox.htalk(&["--as", "a", "sent"]).done()["total"], 2);
    let mut refused = sandbox.htalk_command(&["--as", "nobody", "inbox"]);
    let ran = finish(refused.stdout(closed_pipe()).stderr(std::process::Stdio::piped()).spawn().unwrap());
    assert_eq!((ran.code, ran.err.as_str()), (2, ""));
    assert_eq!(sandbox.sh("htalk --as b inbox | true").text(), "");
}

#[test]
fn a_result_that_can_not_be_written_is_a_failure() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    sandbox.send("a", "b", "x");
    for words in [&["--as", "b", "inbox"][..], &["--as", "b", "watch"], &["peer", "list"], &["--version"], &["--help"]]
    {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let mut command = sandbox.htalk_command(words);
        let ran = finish(command.stdout(full).stderr(std::process::Stdio::piped()).spawn().unwrap());
        assert!(ran.code == 2 && ran.err.contains("error: "), "{words:?}: {ran:?}");
    }
}

#[test]
fn text_that_is_not_utf8_never_breaks_a_reader() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let id = "00000000-0000-4000-8000-000000000001";
    sandbox
        .sqlite(&format!(
            "INSERT INTO messages (id, sender, recipient, body) VALUES ('{id}', 'a', 'b', CAST(x'c3a9ff62' AS TEXT));
            INSERT INTO peers (name, harness, session_id, workspace, socket)
              VALUES ('c', 'codex', '{id}', CAST(x'2fff' AS TEXT), x'2ffe00fd');
            INSERT INTO notice_claims (message_id)
              SELECT id FROM messages WHERE 0;"
        ))
        .text();
    let shown = sandbox.htalk(&["--as", "b", "show", id]).done();
    assert_eq!(shown["body"], "é\u{fffd}b");
    assert_eq!(sandbox.htalk(&["--as", "b", "inbox"]).done()["messages"][0]["body"], "é\u{fffd}b");
    assert_eq!(sandbox.htalk(&["--as", "a", "sent", "--summary"]).done()["messages"][0]["body_preview"], "é\u{fffd}b");
    assert_eq!(sandbox.htalk(&["peer", "list"]).done()["peers"][2]["workspace"], "/\u{fffd}");
    let mut watch = sandbox.start(&["--as", "b", "watch"]);
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(watch.stdout.take().unwrap()));
    until("the message", || lines.next().unwrap().unwrap().contains(id));
    drop(lines);
    assert_eq!(finish(watch).code, 0);
    let answer = sandbox.reply("b", id, "seen");
    assert_eq!(sandbox.htalk(&["--as", "a", "wait", id]).done()["reply"]["id"], answer.as_str());
}

#[test]
fn a_detail_of_another_program_is_shown_whatever_it_says() {
    let sandbox = Sandbox::with_peers(&["a"]);
    let workspace = sandbox.root().to_str().unwrap().to_owned();
    let id = "00000000-0000-4000-8000-000000000001";
    sandbox
        .sqlite(&format!(
            "INSERT INTO peers (name, harness, session_id, workspace) VALUES ('c', 'codex', '{id}', '{workspace}');
            INSERT INTO messages (id, sender, recipient, body) VALUES ('{id}', 'a', 'c', 'x');
            INSERT INTO notice_claims (message_id) VALUES ('{id}');
            INSERT INTO notice_outcomes (message_id, submission, detail)
              VALUES ('{id}', 'submitted', CAST(x'6f64640a1bff' AS TEXT));"
        ))
        .text();
    let shown = sandbox.htalk(&["--as", "a", "show", id]).done();
    assert_eq!(shown["notification_detail"], "odd\n\u{1b}\u{fffd}");
    assert_eq!(shown["submission"], "submitted");
    let acked = sandbox.htalk(&["--as", "c", "ack", id]).done();
    assert_eq!(acked["notification_cleanup"]["status"], "skipped");
}
