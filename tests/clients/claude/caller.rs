//! Which session runs a command.

use super::fake::*;
use super::scene::Scene;
use crate::support::process::write_program;
use crate::support::run;

#[test]
fn the_calling_session_is_recognised_by_its_process() {
    let scene = Scene::new();
    let record = |text: &str| {
        format!(
            "set -- $(cat /proc/$$/stat); \
             printf '{{\"pid\":%s,\"procStart\":\"%s\",\"sessionId\":\"{SESSION}\",\"cwd\":\"/\"}}' \
             $$ {text} > $CLAUDE_CONFIG_DIR/sessions/$$.json"
        )
    };
    let matching = record("${22}");
    let htalk = env!("CARGO_BIN_EXE_htalk");
    let call = |script: &str, session: &str| {
        let mut command = scene.sandbox.command("sh");
        command.env("HTALK_DB", scene.sandbox.mailbox()).env("CLAUDE_CONFIG_DIR", &scene.config);
        run(command.env("CLAUDE_CODE_SESSION_ID", session).args(["-c", script]), b"")
    };
    let told = call(&format!("{matching}; {htalk} inbox; exit $?"), SESSION).done();
    assert!(told["messages"].is_array(), "{told}");
    // Through shells in between, and with the id in another spelling.
    let deep = format!("{matching}; sh -c 'sh -c \"{htalk} inbox; exit \\$?\"; exit $?'; exit $?");
    call(&deep, &SESSION.to_uppercase()).done();
    // Another session, another process under that pid, no record, no variable.
    let none = "peer_required_use_as_or_HTALK_PEER";
    call(&format!("{matching}; {htalk} inbox; exit $?"), OTHER).refused(none);
    call(&format!("{}; {htalk} inbox; exit $?", record("1")), SESSION).refused(none);
    call(&format!("{htalk} inbox; exit $?"), SESSION).refused(none);
    call(&format!("{matching}; {htalk} inbox; exit $?"), "").refused(none);
    // The peer of another session of this client.
    scene.add("other", OTHER);
    let told = call(&format!("{matching}; {htalk} --as other inbox; exit $?"), SESSION);
    let told = told.refused("actor_conflicts_with_CLAUDE_CODE_SESSION_ID");
    let named =
        ["registered_peer", "registered_session_id", "current_session_id"].map(|key| told[key].as_str().unwrap());
    assert_eq!(named, ["other", OTHER, SESSION]);
    // Another client in between.
    let codex = scene.sandbox.root().join("codex");
    write_program(&codex, &format!("#!/bin/sh\n{htalk} inbox; exit $?\n"));
    call(&format!("{matching}; {}; exit $?", codex.display()), SESSION).refused(none);
}
