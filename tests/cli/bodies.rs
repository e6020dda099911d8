//! Bodies: where they come from, what they may hold, and that they come back byte for byte.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;

use nix::fcntl::{FcntlArg, fcntl};
use nix::sys::stat::Mode;
use nix::unistd::mkfifo;

use crate::support::{Ran, Sandbox, finish, run};

/// Sends the same bytes by each way that can carry them: argument, file, standard input and FIFO.
fn send_each_way(sandbox: &Sandbox, body: &[u8]) -> Vec<(&'static str, Ran)> {
    let send = ["--as", "a", "send", "b"];
    let mut ran = Vec::new();
    // The system bounds an argument to 128 KiB and ends it at a zero byte.
    if body.len() < 128 * 1024 - 1 && !body.contains(&0) {
        ran.push(("argument", run(sandbox.htalk_command(&send).arg("--message").arg(OsStr::from_bytes(body)), b"")));
    }
    let file = sandbox.root().join("body.txt");
    fs::write(&file, body).unwrap();
    ran.push(("file", run(sandbox.htalk_command(&send).arg("--message-file").arg(&file), b"")));
    ran.push(("standard input", run(sandbox.htalk_command(&send).args(["--message-file", "-"]), body)));
    ran.push((
        "fifo",
        sandbox.sh("mkfifo fifo
        cat body.txt > fifo &
        htalk --as a send b --message-file fifo
        code=$?; wait; rm fifo; exit $code"),
    ));
    ran
}

#[test]
fn a_body_comes_back_byte_for_byte() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let exact = "é".repeat(16_000);
    for body in [
        "x",
        "one\r\ntwo\r\n",
        "\n\n  leading and trailing \t\n",
        "`id` $(id) $HOME \\ \"'\"'; -- {} %s \\u0041",
        "\u{feff}with a byte order mark",
        "\u{200b}x\u{feff}",
        "--help",
        "-",
        "c1 \u{9b} and bidi \u{202e} and e\u{301} and 👩\u{200d}👩",
        &exact,
    ] {
        for (way, ran) in send_each_way(&sandbox, body.as_bytes()) {
            assert_eq!(ran.done()["body"], body, "by {way}");
            let id = ran.json()["id"].as_str().unwrap().to_owned();
            assert_eq!(sandbox.htalk(&["--as", "b", "show", &id]).done()["body"], body, "by {way}");
            let stored = sandbox.sqlite(&format!("SELECT hex(body) FROM messages WHERE id = '{id}';"));
            let bytes: String = body.bytes().map(|byte| format!("{byte:02X}")).collect();
            assert_eq!(stored.text(), bytes, "by {way}");
        }
    }
}

#[test]
fn a_heredoc_arrives_as_it_was_typed() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let sent = sandbox.sh("htalk --as a send b --message-file - <<'EOT'\n`rm x` $(rm x) \"$HOME\" 'x' \\n\n\nEOT");
    assert_eq!(sent.done()["body"], "`rm x` $(rm x) \"$HOME\" 'x' \\n\n\n");
}

#[test]
fn a_body_that_is_no_body_is_refused_with_its_size() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let size = "message_must_be_1_to_32000_bytes";
    let blanks = "\t\n\u{b}\u{c}\r \u{85}\u{a0}\u{1680}\u{2000}\u{2001}\u{2002}\u{2003}\u{2004}\u{2005}\u{2006}\u{2007}\
        \u{2008}\u{2009}\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{ad}\u{34f}\u{61c}\u{180e}\u{200b}\u{200f}\
        \u{2060}\u{2064}\u{feff}";
    let mut cases: Vec<(Vec<u8>, &str)> = vec![
        (vec![], size),
        (b" ".to_vec(), size),
        (blanks.into(), size),
        (vec![b'x'; 32_001], size),
        (vec![b' '; 32_001], size),
        (("é".repeat(16_000) + "x").into(), size),
        (("x".to_owned() + &"é".repeat(16_000)).into(), size),
        (vec![b'x'; 131_000], size),
        (vec![b'x'; 200_000], size),
        (vec![b'x'; 3_000_000], size),
        (vec![0; 40_000], size),
        (vec![0xff; 40_000], size),
        (b"a\0b".to_vec(), "message_contains_nul"),
        (b"\0".to_vec(), "message_contains_nul"),
        (b" \0 ".to_vec(), "message_contains_nul"),
        (b"\xff".to_vec(), "message_is_not_utf8"),
        (b"ok \xc3".to_vec(), "message_is_not_utf8"),
        (b"\xed\xa0\x80".to_vec(), "message_is_not_utf8"),
        (b"\xc0\x80".to_vec(), "message_is_not_utf8"),
        (b"\xff\0".to_vec(), "message_is_not_utf8"),
        (b" \xff ".to_vec(), "message_is_not_utf8"),
    ];
    cases.extend(blanks.chars().map(|blank| (blank.to_string().into(), size)));
    for (body, code) in cases {
        for (way, ran) in send_each_way(&sandbox, &body) {
            let refused = ran.refused(code);
            let detail = refused["detail"].as_str().unwrap();
            let numbers = [body.len().to_string(), "32000".to_owned()];
            assert!(numbers.iter().all(|number| detail.contains(number)), "{} by {way}: {detail}", body.len());
        }
    }
    assert_eq!(sandbox.htalk(&["--as", "a", "sent"]).done()["total"], 0);
    // An answer obeys the same rules.
    let request = sandbox.send("a", "b", "x");
    let reply = ["--as", "b", "reply", &request, "--message-file", "-"];
    for (body, code) in
        [(&b"\0"[..], "message_contains_nul"), (b"\xff", "message_is_not_utf8"), (b"\xe3\x80\x80", size)]
    {
        sandbox.htalk_reading(&reply, body).refused(code);
    }
}

#[test]
fn a_message_file_that_can_not_be_read_is_refused() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    fs::create_dir(sandbox.root().join("directory")).unwrap();
    std::os::unix::fs::symlink("loop", sandbox.root().join("loop")).unwrap();
    fs::write(sandbox.root().join("file"), "x").unwrap();
    for path in ["missing", "directory", "loop", "file/x", "/proc/self/mem", "~/missing"] {
        let refused =
            sandbox.htalk(&["--as", "a", "send", "b", "--message-file", path]).refused("message_file_unreadable");
        assert!(refused["detail"].as_str().unwrap().contains(path), "{refused}");
    }
    // Not to be told by the permissions alone where the tests run as root.
    if !nix::unistd::geteuid().is_root() {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(sandbox.root().join("file"), fs::Permissions::from_mode(0o000)).unwrap();
        sandbox.htalk(&["--as", "a", "send", "b", "--message-file", "file"]).refused("message_file_unreadable");
    }
    assert_eq!(sandbox.htalk(&["--as", "a", "sent"]).done()["total"], 0);
}

#[test]
fn a_message_file_may_have_any_name() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    for name in ["with blank", "-dash", "~", "quote'\"$x\n", "ü"] {
        fs::write(sandbox.root().join(name), name).unwrap();
        let path = format!("./{name}");
        let sent = sandbox.htalk(&["--as", "a", "send", "b", "--message-file", &path]).done();
        assert_eq!(sent["body"], name);
    }
    let odd = OsStr::from_bytes(b"\xff.txt");
    fs::write(sandbox.root().join(odd), "x").unwrap();
    run(sandbox.htalk_command(&["--as", "a", "send", "b", "--message-file"]).arg(odd), b"").done();
    fs::write(sandbox.root().join("home.txt"), "from home").unwrap();
    let sent = sandbox.htalk(&["--as", "a", "send", "b", "--message-file", "~/home.txt"]).done();
    assert_eq!(sent["body"], "from home");
}

#[test]
fn a_fifo_is_read_to_its_end() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    mkfifo(&sandbox.root().join("fifo"), Mode::S_IRWXU).unwrap();
    let sending = sandbox.start(&["--as", "a", "send", "b", "--message-file", "fifo"]);
    let mut fifo = fs::OpenOptions::new().write(true).open(sandbox.root().join("fifo")).unwrap();
    // It holds less than a piece, so that a piece has been read in part when it is written.
    fcntl(&fifo, FcntlArg::F_SETPIPE_SZ(4096)).unwrap();
    let pieces = ["x", "y", "z"].map(|letter| letter.repeat(10_000));
    pieces.iter().for_each(|piece| fifo.write_all(piece.as_bytes()).unwrap());
    drop(fifo);
    assert_eq!(finish(sending).done()["body"], pieces.concat());
    let closed = sandbox.sh("htalk --as a send b --message-file - <&-");
    assert!(
        ["message_must_be_1_to_32000_bytes", "message_file_unreadable"]
            .contains(&closed.json()["error"].as_str().unwrap())
    );
}
