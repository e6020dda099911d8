//! Which file is the mailbox, who makes it, and who may read it.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use crate::support::shell::Shell;
use crate::support::{Ran, Sandbox, finish, has, run};

const ADD: [&str; 6] = ["add", "a", "--harness", "test", "--delivery", "pull"];

/// Where `migrate` looks for the mailbox, with these variables (none but HOME else) and options.
fn looked_at(sandbox: &Sandbox, environment: &[(&str, &str)], options: &[&str], directory: &Path) -> String {
    let mut command = sandbox.htalk_command(options);
    command.env_remove("HTALK_DB").envs(environment.iter().copied()).arg("migrate").current_dir(directory);
    run(&mut command, b"").refused("database_not_found")["resolved_path"].as_str().unwrap().to_owned()
}

#[test]
fn the_option_beats_the_variable_beats_the_usual_places() {
    let sandbox = Sandbox::new();
    let root = sandbox.root().to_str().unwrap();
    fs::create_dir_all(sandbox.root().join("sub/deeper")).unwrap();
    symlink("sub", sandbox.root().join("link")).unwrap();
    symlink("sub/gone.db", sandbox.root().join("dangling")).unwrap();
    let usual = ".local/share/harness-talk/mail.sqlite3";
    for (environment, options, expected) in [
        (&[][..], &[][..], usual),
        (&[("HTALK_DB", ""), ("XDG_DATA_HOME", "")], &[], usual),
        (&[("XDG_DATA_HOME", "~/data")], &[], "data/harness-talk/mail.sqlite3"),
        // Relative paths are ignored, as the specification says.
        (&[("XDG_DATA_HOME", "x")], &[], usual),
        (&[("XDG_DATA_HOME", "./x/../y")], &[], usual),
        (&[("HTALK_DB", "~/var.db"), ("XDG_DATA_HOME", "/nowhere")], &[], "var.db"),
        (&[("HTALK_DB", "/nowhere/var.db")], &["--db", "opt.db"], "sub/opt.db"),
        (&[("HTALK_DB", "/nowhere/var.db")], &["--db", "~/opt.db"], "opt.db"),
        (&[], &["--db", "../link/deeper/../x.db"], "sub/x.db"),
        (&[], &["--db", "../dangling"], "sub/gone.db"),
        (&[], &["--db", "no/such/directory/x.db"], "sub/no/such/directory/x.db"),
        (&[], &["--db", "~user/x.db"], "sub/~user/x.db"),
    ] {
        let found = looked_at(&sandbox, environment, options, &sandbox.root().join("sub"));
        assert_eq!(found, format!("{root}/{expected}"), "{environment:?} {options:?}");
    }
    let xdg = format!("{root}/xdg");
    let found = looked_at(&sandbox, &[("XDG_DATA_HOME", &xdg)], &[], sandbox.root());
    assert_eq!(found, format!("{xdg}/harness-talk/mail.sqlite3"));
}

#[test]
fn a_home_that_says_nothing_is_told() {
    let sandbox = Sandbox::new();
    for home in [None, Some(""), Some("x"), Some("./x")] {
        for (options, variable) in [(&[][..], ""), (&["--db", "~/x.db"], ""), (&[], "~/x.db")] {
            let mut command = sandbox.htalk_command(options);
            command.env_remove("HOME").envs(home.map(|home| ("HOME", home))).env("HTALK_DB", variable);
            let refused = run(command.args(["peer"]).args(ADD), b"").refused("database_unavailable");
            assert!(refused["detail"].as_str().unwrap().contains("HOME"), "{home:?} {options:?}: {refused}");
        }
    }
    assert_eq!(fs::read_dir(sandbox.root()).unwrap().count(), 0);
}

#[test]
fn every_way_to_a_mailbox_leads_to_the_same_one() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let id = sandbox.send("a", "b", "x");
    let root = sandbox.root();
    fs::create_dir_all(root.join("project/src")).unwrap();
    symlink(root, root.join("project/up")).unwrap();
    symlink(sandbox.mailbox(), root.join("link.db")).unwrap();
    let real = sandbox.mailbox();
    for (directory, path) in [
        ("", "mail.sqlite3"),
        ("", "./link.db"),
        ("project/src", "../../mail.sqlite3"),
        ("project", "up/link.db"),
        ("project/src", "~/link.db"),
    ] {
        let mut command = sandbox.htalk_command(&["--db", path, "--as", "b", "show", &id]);
        let shown = run(command.current_dir(root.join(directory)), b"").done();
        let command = shown["recovery"]["show"].as_str().unwrap();
        assert!(command.starts_with(&format!("htalk --db {} --as b", real.display())), "{path}: {command}");
    }
    // Through a link, the side files lie beside the real file.
    assert!(!root.join("link.db-wal").exists());
}

#[test]
fn a_git_worktree_shares_the_mailbox_and_keeps_its_own_workspace() {
    if !has("git") {
        return;
    }
    let sandbox = Sandbox::new();
    let made = sandbox.sh(
        "set -e; mkdir repo; cd repo; git init -q; git -c user.name=n -c user.email=e commit -q --allow-empty -m one
        git worktree add -q ../tree 2>/dev/null",
    );
    assert_eq!(made.code, 0, "{made:?}");
    for (name, directory, session) in [("here", "repo", 'a'), ("there", "tree", 'b')] {
        let session = "00000000-0000-4000-8000-00000000000".to_owned() + &session.to_string();
        let words = ["peer", "add", name, "--harness", "codex", "--session", &session, "--workspace", "."];
        let mut command = sandbox.htalk_command(&words);
        command.env_remove("HTALK_DB").current_dir(sandbox.root().join(directory));
        let peer = run(&mut command, b"").done();
        assert_eq!(peer["workspace"], sandbox.root().join(directory).to_str().unwrap());
    }
    let mut list = sandbox.htalk_command(&["peer", "list"]);
    let listed = run(list.env_remove("HTALK_DB").current_dir(sandbox.root().join("tree")), b"").done();
    assert_eq!(listed["peers"].as_array().unwrap().len(), 2);
}

#[test]
fn only_peer_add_makes_a_mailbox() {
    let sandbox = Sandbox::new();
    let id = "00000000-0000-4000-8000-000000000001";
    for words in [
        "peer list",
        "peer check a",
        "peer retire a",
        "peer restore a",
        "--as a send b --message x",
        &format!("--as a reply {id} --message x"),
        &format!("--as a wait {id}"),
        &format!("--as a show {id}"),
        &format!("--as a ack {id}"),
        "--as a inbox",
        "--as a sent",
        "--as a watch",
        "inbox",
        "migrate",
    ] {
        let refused = sandbox.htalk(&words.split(' ').collect::<Vec<_>>()).refused("database_not_found");
        assert_eq!(refused["resolved_path"], sandbox.mailbox().to_str().unwrap(), "{words}");
        assert!(refused["recovery"].get("peers").is_none(), "{words}: it would fail in the same way");
        assert_eq!(fs::read_dir(sandbox.root()).unwrap().count(), 0, "{words} made something");
    }
    let mut command = sandbox.htalk_command(&["--db", "new/deep/mail.db", "peer"]);
    run(command.args(ADD), b"").done();
    assert!(sandbox.root().join("new/deep/mail.db").is_file());
}

#[test]
fn an_empty_file_is_filled_by_peer_add_and_migrate_alone() {
    let sandbox = Sandbox::new();
    let migrate = |sandbox: &Sandbox| sandbox.htalk(&["migrate"]);
    let add = |sandbox: &Sandbox| run(sandbox.htalk_command(&["peer"]).args(ADD), b"");
    for fill in [&migrate as &dyn Fn(&Sandbox) -> Ran, &add] {
        fs::write(sandbox.mailbox(), "").unwrap();
        for words in [&["--as", "a", "inbox"][..], &["peer", "list"], &["--as", "a", "send", "b", "--message", "x"]] {
            sandbox.htalk(words).refused("not_a_mailbox");
        }
        // A registration that is refused leaves it empty.
        sandbox.htalk(&["peer", "add", "A", "--harness", "x", "--delivery", "pull"]).refused("invalid_peer_name");
        assert_eq!(fs::metadata(sandbox.mailbox()).unwrap().len(), 0);
        fill(&sandbox).done();
        sandbox.htalk(&["peer", "list"]).done();
        for file in fs::read_dir(sandbox.root()).unwrap() {
            fs::remove_file(file.unwrap().path()).unwrap();
        }
    }
}

#[test]
fn migrate_says_what_the_mailbox_is_and_changes_nothing_twice() {
    let sandbox = Sandbox::with_peers(&["a"]);
    let ready = sandbox.htalk(&["migrate"]).done();
    assert_eq!(crate::support::keys(&ready), ["state", "schema_version", "resolved_path"]);
    assert_eq!(ready["state"], "ready");
    assert_eq!(ready["resolved_path"], sandbox.mailbox().to_str().unwrap());
    let version = sandbox.sqlite("PRAGMA user_version; PRAGMA application_id;");
    assert_eq!(version.text(), format!("{}\n{}", ready["schema_version"], 0x6874_6C6B));
    assert_eq!(sandbox.htalk(&["migrate"]).done(), ready);
    assert!(!sandbox.root().join("mail.sqlite3.backups").exists());
}

/// The permissions of everything below a directory.
fn modes(directory: &Path, found: &mut Vec<(String, u32)>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let facts = fs::symlink_metadata(&path).unwrap();
        found.push((path.display().to_string(), facts.permissions().mode() & 0o7777));
        if facts.is_dir() {
            modes(&path, found);
        }
    }
}

#[test]
fn everything_is_private_whatever_the_umask() {
    for umask in ["000", "022", "777"] {
        let sandbox = Sandbox::new();
        let place = sandbox.root().join("new/place");
        let mailbox = place.join("mail.db");
        let command = |words: &str| {
            let script = format!("umask {umask}; exec htalk --db {} {words}", mailbox.display());
            sandbox.sh(&script)
        };
        for name in ["a", "b"] {
            command(&format!("peer add {name} --harness test --delivery pull")).done();
        }
        let id = command("--as a send b --message x").done()["id"].as_str().unwrap().to_owned();
        // A wait hangs up its bell, and a writer that finds the mailbox locked makes a queue file.
        let program = env!("CARGO_BIN_EXE_htalk");
        let script = format!("umask {umask}; exec {program} --db {} \"$@\"", mailbox.display());
        let start = |words: &[&str]| {
            let mut command = sandbox.command("sh");
            command.args(["-c", &script, "sh"]).args(words).stdout(std::process::Stdio::piped());
            command.stderr(std::process::Stdio::piped()).spawn().unwrap()
        };
        let waiting = start(&["--as", "a", "wait", &id]);
        let bell =
            || fs::read_dir(&place).unwrap().any(|file| file.unwrap().path().to_str().unwrap().contains("-wait-"));
        crate::support::process::until("the bell", bell);
        let mut lock = Shell::open(&sandbox, &mailbox);
        lock.tell(".timeout 10000\nBEGIN IMMEDIATE;");
        let sending = start(&["--as", "a", "send", "b", "--message", "y"]);
        crate::support::process::until("the queue", || place.join("mail.db-queue").exists());
        crate::support::process::until("its mode", || {
            fs::metadata(place.join("mail.db-queue")).unwrap().permissions().mode() & 0o777 == 0o600
        });
        let mut found = Vec::new();
        modes(sandbox.root(), &mut found);
        assert!(found.len() >= 7, "{found:?}");
        for (path, mode) in found {
            let expected = if Path::new(&path).is_dir() { 0o700 } else { 0o600 };
            assert_eq!(mode, expected, "umask {umask}: {path} has {mode:o}");
        }
        lock.tell("COMMIT;");
        finish(sending).done();
        command(&format!("--as b reply {id} --message z")).done();
        assert_eq!(finish(waiting).done()["reply"]["body"], "z");
        assert_eq!(command("demo").code, 0);
    }
}

#[test]
fn permissions_that_the_owner_chose_are_kept() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    fs::set_permissions(sandbox.mailbox(), Permissions::from_mode(0o640)).unwrap();
    sandbox.send("a", "b", "x");
    assert_eq!(fs::metadata(sandbox.mailbox()).unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn a_path_that_no_answer_could_name_is_refused() {
    use std::os::unix::ffi::OsStrExt;
    let sandbox = Sandbox::new();
    let mut command = sandbox.htalk_command(&["peer", "add", "a", "--harness", "x", "--delivery", "pull"]);
    command.env("HTALK_DB", std::ffi::OsStr::from_bytes(b"odd\xff.sqlite3"));
    let answer = run(&mut command, b"");
    assert_eq!(answer.refused("database_unavailable")["recovery"], serde_json::json!({}), "nothing else can be opened");
    assert_eq!(fs::read_dir(sandbox.root()).unwrap().count(), 0);
}

#[test]
fn discovery_needs_no_mailbox() {
    let sandbox = Sandbox::new();
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_htalk"));
    command.env_remove("HOME").env("CLAUDE_CONFIG_DIR", sandbox.root()).env("CODEX_HOME", sandbox.root());
    let answer = run(command.args(["peer", "discover"]), b"").json();
    assert!(answer["sources"].is_array(), "{answer}");
}
