//! What a receipt and a confirmation look like, to the byte, and how they are read.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::json;

use super::fake::inbox::Inbox;
use super::scene::{Scene, grades, id};
use crate::support::{Ran, finish, has, keys, run};

/// The frames that are none, made of a right one: what they are, and what they say.
fn broken(frame: &str) -> Vec<(&'static str, Vec<u8>)> {
    let inner = frame.trim_start_matches('{').trim_end_matches('}');
    let with = |old: &str, new: &str| {
        assert!(frame.contains(old), "{old}");
        frame.replacen(old, new, 1).into_bytes()
    };
    let without = |key: &str| {
        let start = frame.find(&format!("\"{key}\":")).unwrap();
        let end = start + frame[start..].find(',').unwrap() + 1;
        format!("{}{}", &frame[..start], &frame[end..]).into_bytes()
    };
    let values: Vec<String> = inner.split(',').map(|part| part.split_once(':').unwrap().1.to_owned()).collect();
    vec![
        ("nothing", Vec::new()),
        ("blanks", b" \n".to_vec()),
        ("half", frame.as_bytes()[..frame.len() - 1].to_vec()),
        ("an array of the values", format!("[{}]", values.join(",")).into_bytes()),
        ("an array around it", format!("[{frame}]").into_bytes()),
        ("a text", format!("{:?}", frame).into_bytes()),
        ("null", b"null".to_vec()),
        ("a key twice, with one value", format!("{{\"schema_version\":1,{inner}}}").into_bytes()),
        ("a key twice, with another", format!("{{{inner},\"correlation_id\":\"x\"}}").into_bytes()),
        ("a key twice, escaped", format!("{{{inner},\"schema\\u005fversion\":1}}").into_bytes()),
        ("an unknown key", format!("{{{inner},\"more\":1}}").into_bytes()),
        ("a key too little", without("ledger_epoch")),
        ("no version", without("schema_version")),
        ("version 1.0", with("\"schema_version\":1", "\"schema_version\":1.0")),
        ("version 1e0", with("\"schema_version\":1", "\"schema_version\":1e0")),
        ("version 2", with("\"schema_version\":1", "\"schema_version\":2")),
        ("version as a text", with("\"schema_version\":1", "\"schema_version\":\"1\"")),
        ("version true", with("\"schema_version\":1", "\"schema_version\":true")),
        ("version -0", with("\"schema_version\":1", "\"schema_version\":-0")),
        ("version null", with("\"schema_version\":1", "\"schema_version\":null")),
        ("a BOM", [b"\xef\xbb\xbf", frame.as_bytes()].concat()),
        ("a blank before it", format!(" {frame}").into_bytes()),
        ("a second frame behind it", format!("{frame}\n{frame}").into_bytes()),
        ("a letter behind it", format!("{frame}x").into_bytes()),
        ("U+0000 behind it", format!("{frame}\0").into_bytes()),
        ("no UTF-8", [&frame.as_bytes()[..1], b"\"\xff\":1,", inner.as_bytes(), b"}"].concat()),
        ("4,097 bytes", format!("{frame:<4097}").into_bytes()),
        ("a comma too many", format!("{{{inner},}}").into_bytes()),
        ("single quotes", frame.replace('"', "'").into_bytes()),
    ]
}

fn ack(scene: &Scene, frame: &[u8]) -> Ran {
    scene.handoff_reading("ack --receipt -", frame)
}

#[test]
fn a_receipt_is_exactly_its_frame() {
    let scene = Scene::new();
    let Some(inbox) = Inbox::open(&scene) else { return };
    let id = id(&scene.send("--to r --request-ack"));
    let receipt = inbox.receipt();
    let expected =
        ["schema_version", "kind", "ledger_epoch", "correlation_id", "target_generation", "receipt_id", "capability"];
    let frame: serde_json::Value = serde_json::from_str(&receipt.frame).unwrap();
    assert_eq!(keys(&frame), expected);
    let before = scene.dump();
    for (what, frame) in broken(&receipt.frame) {
        let ran = ack(&scene, &frame);
        assert_eq!((ran.code, ran.json()["error"].as_str()), (1, Some("invalid_receipt")), "{what}: {ran:?}");
    }
    let token = receipt.token();
    for (key, value) in [
        ("kind", "confirm"),
        ("kind", "Receipt"),
        ("capability", &token[..42]),
        ("capability", &format!("{token}A")),
        ("capability", &format!("{token}=")),
        ("capability", &format!("{}+", &token[..42])),
        ("receipt_id", "1F0C9D52-AAAA-4AAA-8AAA-000000000001"),
        ("receipt_id", "x"),
    ] {
        scene.present(&receipt.with(key, value)).refused_by(1, "invalid_receipt");
    }
    for key in ["kind", "ledger_epoch", "correlation_id", "target_generation", "receipt_id", "capability"] {
        for value in ["1", "null", "[]", "{}"] {
            let frame = receipt.frame.replace(&format!("\"{}\"", receipt.value(key)), value);
            ack(&scene, frame.as_bytes()).refused_by(1, "invalid_receipt");
        }
    }
    // 43 characters hold two bits more than 32 bytes: four spellings decode to the same bytes, one of them counts.
    let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let last = alphabet.find(&token[42..]).unwrap();
    for other in (0..64).filter(|other| other / 4 == last / 4 && *other != last) {
        let spelled = format!("{}{}", &token[..42], &alphabet[other..=other]);
        let told = scene.present(&receipt.with("capability", &spelled)).ended(1);
        let codes = ["invalid_receipt", "receipt_authority_unavailable"];
        assert!(codes.contains(&told["error"].as_str().unwrap()), "{told}");
    }
    assert_eq!(scene.dump(), before);
    // As large as may be, with white space behind it, and in whatever order.
    let padded = format!("{:<4095}\n", receipt.frame);
    assert_eq!(ack(&scene, padded.as_bytes()).done()["duplicate"], false);
    let reordered: serde_json::Map<_, _> = frame.as_object().unwrap().clone().into_iter().rev().collect();
    assert_eq!(ack(&scene, json!(reordered).to_string().as_bytes()).done()["duplicate"], true);
    assert_eq!(grades(&scene.status(&id))[0], "acknowledged");
}

#[test]
fn a_confirmation_is_exactly_its_frame() {
    let scene = Scene::new();
    let Some(_inbox) = Inbox::open(&scene) else { return };
    let id = id(&scene.send("--to r"));
    let frame = scene.confirmation(&id);
    let before = scene.dump();
    let confirm = |frame: &[u8]| scene.handoff_reading("confirm --receipt -", frame);
    let more = ["false", "1", "null", "\"true\""];
    let unconfirmed = more.map(|value| frame.replace("\"confirmed\":true", &format!("\"confirmed\":{value}")));
    let more = unconfirmed.into_iter().map(|frame| ("not confirmed", frame.into_bytes()));
    for (what, frame) in broken(&frame).into_iter().chain(more) {
        let ran = confirm(&frame);
        assert_eq!((ran.code, ran.json()["error"].as_str()), (1, Some("invalid_receipt")), "{what}: {ran:?}");
    }
    assert_eq!(scene.dump(), before);
    confirm(format!("{frame:<4096}").as_bytes()).done();
    assert_eq!(scene.status(&id)["handoff"]["ack"]["assurance"], "operator_confirmed");
}

#[test]
fn a_frame_without_an_end_is_left_after_five_seconds() {
    let scene = Scene::new();
    let Some(inbox) = Inbox::open(&scene) else { return };
    let id = id(&scene.send("--to r --request-ack"));
    let (receipt, begin) = (inbox.receipt(), Instant::now());
    let mut held = [scene.reading("ack", &receipt.frame), scene.reading("confirm", &scene.confirmation(&id))];
    let _inputs = held.each_mut().map(|child| child.stdin.take());
    for child in held {
        finish(child).refused_by(1, "handoff_stdin_deadline");
        let elapsed = begin.elapsed();
        assert!((Duration::from_secs(4)..Duration::from_secs(50)).contains(&elapsed), "{elapsed:?}");
    }
    assert_eq!(grades(&scene.status(&id))[2], "pending");
}

#[test]
fn a_terminal_or_a_directory_is_no_standard_input() {
    // It makes the terminal.
    if !has("python3") {
        return;
    }
    let scene = Scene::new();
    let script = "import os, subprocess, sys\n_, terminal = os.openpty()\n\
        sys.exit(subprocess.run(sys.argv[1:], stdin=terminal).returncode)";
    for words in ["send --to q", "send --to q --message-file -", "ack --receipt -", "confirm --receipt -"] {
        let mut command = scene.program("python3");
        command.args(["-c", script, env!("CARGO_BIN_EXE_htalk"), "--as", "b", "handoff"]).args(words.split(' '));
        run(&mut command, b"").refused_by(1, "handoff_stdin_terminal");
        let directory = fs::File::open(scene.workspace()).unwrap();
        let child = scene.handoff_command(words).stdin(directory).spawn().unwrap();
        finish(child).refused_by(1, "handoff_stdin_unavailable");
    }
    assert_eq!(scene.handoffs(), "0");
}
