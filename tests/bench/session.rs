//! A session of Claude Code that takes every frame at once, as far as a sender sees it (2.1.332): so that what is
//! measured is the program's own work.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::thread;

use serde_json::{Value, json};

/// The id of the session.
pub const ID: &str = "7f9619ff-8b86-4d01-b42d-00cf4fc964ff";

/// Makes this process such a session, with its record and its socket below a home, until it ends.
pub fn start(home: &Path) {
    let (records, sockets) = (home.join(".claude/sessions"), home.join("sockets"));
    for directory in [&records, &sockets] {
        fs::create_dir_all(directory).unwrap();
    }
    fs::set_permissions(&sockets, fs::Permissions::from_mode(0o700)).unwrap();
    let pid = std::process::id();
    let socket = sockets.join(format!("{pid}.sock"));
    let listener = UnixListener::bind(&socket).unwrap();
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    let start = stat.rsplit_once(')').unwrap().1.split_whitespace().nth(19).unwrap();
    let record = json!({
        "pid": pid, "sessionId": ID, "cwd": home, "procStart": start, "version": "2.1.332", "entrypoint": "cli",
        "messagingSocketPath": socket, "status": "idle", "startedAt": 1,
    });
    fs::write(records.join(format!("{pid}.json")), record.to_string()).unwrap();
    thread::spawn(move || listener.incoming().for_each(|stream| take(stream.unwrap())));
}

/// Reads one frame and reports that it went through.
fn take(stream: UnixStream) {
    let mut line = String::new();
    if BufReader::new(stream).read_line(&mut line).unwrap_or(0) == 0 {
        return;
    }
    let frame: Value = serde_json::from_str(&line).unwrap();
    let report = json!({
        "type": "control", "action": "peer_message_status", "status": "delivered", "orig_msg_id": frame["msg_id"],
    });
    let sender = frame["from"].as_str().unwrap().strip_prefix("uds:").unwrap();
    writeln!(UnixStream::connect(sender).unwrap(), "{report}").unwrap();
}
