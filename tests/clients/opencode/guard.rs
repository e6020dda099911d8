//! Whom htalk speaks to, and what it tells them of its credentials.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::thread;

use super::fake::{Answer, Fake, Request, Server, session};
use super::setting::*;
use crate::support::{Sandbox, has, run, skip};

#[test]
fn credentials_come_from_the_environment_and_are_never_shown() {
    // alice:open sesame
    let (sandbox, fake) = setting(|server| server.credentials = Some("YWxpY2U6b3BlbiBzZXNhbWU="));
    let with = |user: &str, password: &str, words: &[&str]| {
        let mut command = sandbox.htalk_command(words);
        command.env("OPENCODE_SERVER_USERNAME", user).env("OPENCODE_SERVER_PASSWORD", password);
        let ran = run(&mut command, b"");
        assert!(!format!("{ran:?}").contains("sesame"), "{ran:?}");
        ran
    };
    assert_eq!(with("alice", "open sesame", &["peer", "check", "oc"]).done()["authenticated"], true);
    let sent = with("alice", "open sesame", &["--as", "me", "send", "oc", "--message", "hello"]).done();
    assert_eq!(sent["submission"], "submitted");
    with("alice", "closed", &["peer", "check", "oc"]).refused("opencode_unauthorized");
    with("", "open sesame", &["peer", "check", "oc"]).refused("opencode_unauthorized");
    check(&sandbox).refused("opencode_unauthorized");
    let refused = sandbox.htalk(&["--as", "me", "send", "oc", "--message", "hello"]);
    assert_eq!((refused.code, refused.json()["submission"].as_str()), (2, Some("not_submitted")));
    assert_eq!(refused.json()["notification_detail"], "opencode_unauthorized");
    assert_eq!(fake.prompts().len(), 1);
    let stored = std::fs::read(sandbox.mailbox()).unwrap();
    assert!(!stored.windows(6).any(|bytes| bytes == b"sesame"));

    // The name that the server has by default; one that asks for no credentials proves nothing about them.
    let (sandbox, fake) = setting(|_| ());
    let mut command = sandbox.htalk_command(&["peer", "check", "oc"]);
    assert_eq!(run(command.env("OPENCODE_SERVER_PASSWORD", "x"), b"").done()["authenticated"], false);
    assert!(fake.seen().iter().any(|request| request.header("authorization") == Some("Basic b3BlbmNvZGU6eA==")));
}

#[test]
fn only_the_named_server_is_spoken_to() {
    let stranger = Fake::new(|_| Answer::Empty(200));
    let target = format!("{}/session/{ID}", stranger.url());
    let (sandbox, _fake) = bent(move |request| {
        let answer = format!("HTTP/1.1 307 x\r\nLocation: {target}\r\nContent-Length: 0\r\n\r\n");
        request.path().starts_with("/session").then(|| Answer::Raw(answer.into_bytes()))
    });
    check(&sandbox).refused("opencode_unexpected_answer:307");
    let (sandbox, _fake) = setting(|_| ());
    let mut command = sandbox.htalk_command(&["peer", "check", "oc"]);
    for name in ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "HTTPS_PROXY"] {
        command.env(name, stranger.url());
    }
    run(&mut command, b"").done();
    assert!(stranger.seen().is_empty());
}

#[test]
fn a_url_is_checked_before_it_is_stored_and_before_it_is_used() {
    let sandbox = Sandbox::with_peers(&["me"]);
    let workspace = sandbox.root().to_str().unwrap().to_owned();
    let add = |url: &str| {
        let words = ["--harness", "opencode", "--session", ID, "--workspace", &workspace, "--url", url];
        sandbox.htalk(&[&["peer", "add", "oc"], &words[..]].concat())
    };
    add("http://127.attacker.example").refused("opencode_url_must_be_loopback");
    add("http://2130706433:4096").refused("opencode_url_must_be_loopback");
    add("http://127.0.0.1:4096/api?x").refused("invalid_opencode_url");
    add("ftp://127.0.0.1").refused("invalid_opencode_url");
    assert_eq!(add("HTTP://LOCALHOST:1/").done()["url"], "http://localhost:1");
    // Another program wrote this one.
    let insert = "INSERT INTO peers(name, harness, delivery, session_id, workspace, url) \
        VALUES ('x', 'opencode', 'native', 'ses_x', '/', 'http://192.0.2.1:4096')";
    sandbox.sqlite(insert).text();
    sandbox.htalk(&["peer", "check", "x"]).refused("opencode_url_must_be_loopback");
}

#[test]
fn nothing_is_said_to_a_server_that_has_no_tls_where_the_url_says_so() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let sandbox = mailbox(&format!("https://{}", listener.local_addr().unwrap()));
    let server = thread::spawn(move || {
        [(); 2].map(|()| {
            let mut stream = listener.accept().unwrap().0;
            stream.write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n").unwrap();
            let mut said = Vec::new();
            let _ = stream.read_to_end(&mut said);
            said
        })
    });
    let words = [&["peer", "check", "oc"][..], &["--as", "me", "send", "oc", "--message", "hello"]];
    let [checked, sent] =
        words.map(|words| run(sandbox.htalk_command(words).env("OPENCODE_SERVER_PASSWORD", "open sesame"), b""));
    checked.refused("opencode_tls_failed");
    let sent = sent.ended(2);
    assert_eq!(
        (&sent["submission"], &sent["notification_detail"]),
        (&"not_submitted".into(), &"opencode_tls_failed".into())
    );
    for said in server.join().unwrap() {
        // The beginning of a handshake, and no request.
        assert!(said.starts_with(&[0x16, 3]) && !said.windows(4).any(|bytes| bytes == b"HTTP"), "{said:?}");
    }
}

#[test]
fn a_port_of_another_user_is_not_spoken_to() {
    if !nix::unistd::geteuid().is_root() {
        return skip("only root can start a program as another user");
    }
    if !has("perl") {
        return;
    }
    let listen = "use IO::Socket::INET; $| = 1; \
        my $s = IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1') or die; print $s->sockport, \"\\n\"; \
        my $c = $s->accept; print \"spoken to\\n\" if sysread $c, my $b, 1;";
    let mut stranger = Command::new("perl");
    stranger.args(["-e", listen]).uid(65_534).stdout(Stdio::piped()).stdin(Stdio::null()).current_dir("/");
    let mut stranger = stranger.spawn().unwrap();
    let mut said = BufReader::new(stranger.stdout.take().unwrap()).lines();
    let sandbox = mailbox(&format!("http://127.0.0.1:{}", said.next().unwrap().unwrap()));
    let told = check(&sandbox);
    stranger.kill().unwrap();
    stranger.wait().unwrap();
    told.refused("opencode_server_of_another_user");
    assert!(said.next().is_none(), "the stranger was spoken to");
}

/// A front can serve several programs, each below a path of its own.
#[test]
fn requests_go_below_the_path_of_a_server() {
    let sandbox = Sandbox::with_peers(&["me"]);
    let workspace = sandbox.root().to_str().unwrap().to_owned();
    let server = Server::with(vec![session(ID, &workspace)]);
    let fake = Fake::new(move |request| match request.target.strip_prefix("/oc") {
        Some(rest) => server.answer(&Request { target: rest.to_owned(), ..request.clone() }),
        None => Answer::Empty(404),
    });
    register(&sandbox, &format!("{}/oc//", fake.url()), &workspace);
    let url = format!("{}/oc", fake.url());
    assert_eq!(check(&sandbox).done()["url"], *url);
    let sent = sandbox.htalk(&["--as", "me", "send", "oc", "--message", "hello"]).done();
    assert_eq!(sent["submission"], "submitted");
    let words = ["peer", "discover", "--harness", "opencode", "--opencode-url", &url];
    let found = sandbox.htalk(&words).done();
    assert_eq!(found["sessions"][0]["url"], *url);
    assert!(fake.seen().iter().all(|request| request.target.starts_with("/oc/")), "{:?}", fake.seen());
    // As an earlier release stored it.
    let stored = format!("'old', 'opencode', 'ses_old', '{workspace}', '{url}/'");
    sandbox.sqlite(&format!("INSERT INTO peers (name, harness, session_id, workspace, url) VALUES ({stored});")).text();
    sandbox.htalk(&["peer", "check", "old"]).refused("recipient_not_in_opencode_server");
}
