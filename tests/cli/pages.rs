//! Pages of `inbox`, `sent` and `peer list`: bounds, cursors, and that each row is listed exactly once.

use serde_json::{Value, json};

use crate::support::{Sandbox, keys};

/// A mailbox with so many requests from a to b, all of one moment, with bodies of one size.
fn filled(count: usize, size: usize) -> Sandbox {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    sandbox
        .sqlite(&format!(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})
            INSERT INTO messages (sender, recipient, body, created_at)
            SELECT 'a', 'b', 'message ' || i || ' ' || printf('%.*c', {size}, 'x'), 1700000000.0 FROM n;"
        ))
        .text();
    sandbox
}

/// Follows `next_page` through a shell from the first page of a command to the last one.
fn pages(sandbox: &Sandbox, first: &str) -> Vec<Value> {
    let mut pages = vec![sandbox.sh(first).done()];
    while let Some(next) = pages.last().and_then(|page| page.get("next_page")) {
        let next = next.as_str().unwrap().to_owned();
        pages.push(sandbox.sh(&next).done());
    }
    pages
}

fn sequence(pages: &[Value]) -> Vec<i64> {
    let messages = pages.iter().flat_map(|page| page["messages"].as_array().unwrap());
    messages.map(|message| message["seq"].as_i64().unwrap()).collect()
}

#[test]
fn a_walk_through_the_pages_meets_each_message_once() {
    let count = 1_000;
    let sandbox = filled(count, 1);
    let up: Vec<i64> = (1..=count as i64).collect();
    let down: Vec<i64> = up.iter().rev().copied().collect();
    for (name, verb, expected) in [("b", "inbox", &up), ("a", "sent", &down)] {
        let pages = pages(&sandbox, &format!("htalk --as {name} {verb} --limit 7"));
        assert_eq!(&sequence(&pages), expected, "{verb}");
        assert_eq!(pages.len(), count.div_ceil(7));
        for (number, page) in pages.iter().enumerate() {
            assert_eq!(page["total"], count);
            assert_eq!(page["omitted"], count.saturating_sub((number + 1) * 7));
        }
        assert_eq!(keys(&pages[0]), ["messages", "total", "omitted", "next_page", "next_action"]);
    }
}

#[test]
fn a_page_is_bounded_by_its_printed_bytes() {
    let sandbox = filled(60, 3_000);
    for (words, bound) in [
        ("inbox", 16_384),
        ("inbox --max-bytes 4096", 4_096),
        ("inbox --max-bytes 1024", 1_024),
        ("inbox --summary --max-bytes 5000", 5_000),
        ("inbox --max-bytes 10485760 --limit 500", 10_485_760),
    ] {
        let pages = pages(&sandbox, &format!("htalk --as b {words}"));
        assert_eq!(sequence(&pages), (1..=60).collect::<Vec<_>>(), "{words}");
        let sizes: Vec<Vec<usize>> = pages
            .iter()
            .map(|page| page["messages"].as_array().unwrap().iter().map(|message| message.to_string().len()).collect())
            .collect();
        for (number, page) in sizes.iter().enumerate() {
            let printed: usize = page.iter().sum();
            assert!(printed <= bound || page.len() == 1, "{words}: {printed} bytes in {} messages", page.len());
            // Nothing that would have fitted is left out.
            if let Some(next) = sizes.get(number + 1) {
                assert!(printed + next[0] > bound, "{words}: the first message of the next page had room");
            }
        }
    }
    // To the byte: two messages fit into exactly their size.
    let page = sandbox.htalk(&["--as", "b", "inbox", "--limit", "2"]).done();
    let exact: usize = page["messages"].as_array().unwrap().iter().map(|message| message.to_string().len()).sum();
    for (bytes, count) in [(exact, 2), (exact - 1, 1)] {
        let page = sandbox.htalk(&["--as", "b", "inbox", "--max-bytes", &bytes.to_string()]).done();
        assert_eq!(page["messages"].as_array().unwrap().len(), count);
    }
    // The whole output of a page of the usual size stays near that size.
    assert!(sandbox.htalk(&["--as", "b", "inbox"]).out.len() < 16_384 + 1_024);
}

#[test]
fn the_answer_counts_and_the_first_message_always_fits() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    for _ in 0..3 {
        let request = sandbox.send("a", "b", "short");
        let answer = "é\u{1b}\"".repeat(5_000);
        sandbox.htalk_reading(&["--as", "b", "reply", &request, "--message-file", "-"], answer.as_bytes()).done();
    }
    let pages = pages(&sandbox, "htalk --as a sent --max-bytes 60000");
    let counts: Vec<usize> = pages.iter().map(|page| page["messages"].as_array().unwrap().len()).collect();
    assert_eq!(counts, [1, 1, 1], "an answer of 50,000 printed bytes leaves no room for a second one");
    assert_eq!(pages[0]["messages"][0]["reply"]["body"].as_str().unwrap().chars().count(), 15_000);
    // One that is larger than a page by itself is there all the same, as its summary; so is its answer.
    let page = sandbox.htalk(&["--as", "a", "sent", "--max-bytes", "50000"]).done();
    let message = &page["messages"][2];
    assert_eq!(
        (page["omitted"].clone(), &message["body"], &message["reply"]["body"]),
        (json!(0), &Value::Null, &Value::Null)
    );
    assert_eq!((&message["body_preview"], &message["body_bytes"]), (&json!("short"), &json!(5)));
    assert_eq!(message["reply"]["body_bytes"], 20_000);
    assert!(page["next_action"].as_str().unwrap().contains("show prints the whole"), "{page}");
    let whole = sandbox.sh(message["recovery"]["show_reply"].as_str().unwrap()).done();
    assert_eq!(whole["body"].as_str().unwrap().chars().count(), 15_000);
}

#[test]
fn a_message_that_just_fits_a_page_is_whole() {
    let sandbox = filled(1, 2_000);
    let inbox = |bytes: usize| sandbox.htalk(&["--as", "b", "inbox", "--max-bytes", &bytes.to_string()]).done();
    let whole = inbox(16_384);
    let exact = whole["messages"][0].to_string().len();
    assert_eq!(inbox(exact), whole);
    let short = inbox(exact - 1);
    assert_eq!((short["total"].clone(), &short["messages"][0]["body"]), (json!(1), &Value::Null));
    assert!(short["messages"][0]["body_bytes"].as_u64().unwrap() > 2_000);
}

#[test]
fn peers_are_listed_in_pages() {
    let sandbox = Sandbox::new();
    sandbox.htalk(&["peer", "add", "first", "--harness", "test", "--delivery", "pull"]).done();
    sandbox
        .sqlite(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
            INSERT INTO peers (name, harness, delivery) SELECT 'p' || i, 'test', 'pull' FROM n;
            INSERT INTO peer_retirements (peer, action) SELECT name, 'retired' FROM peers WHERE name LIKE 'p%7';",
        )
        .text();
    let usual = sandbox.htalk(&["peer", "list"]);
    assert!(usual.out.len() < 16_384 + 1_024, "{}", usual.out.len());
    assert_eq!(keys(&usual.done()), ["peers", "retired_hidden", "total", "omitted", "next_page"]);
    for (words, total, hidden) in [
        ("peer list --limit 500 --max-bytes 1000000", 9_001, Some(json!(1_000))),
        ("peer list --all --limit 500 --max-bytes 30000", 10_001, None),
    ] {
        let pages = pages(&sandbox, &format!("htalk {words}"));
        let rows: Vec<&Value> = pages.iter().flat_map(|page| page["peers"].as_array().unwrap()).collect();
        let names: Vec<&str> = rows.iter().map(|peer| peer["name"].as_str().unwrap()).collect();
        assert_eq!(names.len(), total, "{words}");
        assert!(names.is_sorted_by(|one, next| one < next), "{words}");
        let mut seen = 0;
        for page in &pages {
            seen += page["peers"].as_array().unwrap().len();
            assert_eq!(
                (page["total"].clone(), page["omitted"].clone()),
                (json!(total), json!(total - seen)),
                "{words}"
            );
            assert_eq!(page.get("retired_hidden"), hidden.as_ref(), "{words}");
        }
    }
    // A cursor need be nobody's name.
    let page = sandbox.htalk(&["peer", "list", "--after", "p9999", "--all"]).done();
    assert_eq!((page["peers"].clone(), page["omitted"].clone(), page.get("next_page")), (json!([]), json!(0), None));
    let page = sandbox.htalk(&["peer", "list", "--after", "-", "--limit", "1"]).done();
    assert_eq!(page["peers"][0]["name"], "first");
}

#[test]
fn next_page_keeps_the_size_of_the_page() {
    let sandbox = filled(5, 10);
    let page = sandbox.htalk(&["--as", "b", "inbox", "--limit", "2", "--max-bytes", "2000", "--summary"]).done();
    let next = page["next_page"].as_str().unwrap();
    for option in ["--limit 2", "--max-bytes 2000", "--summary", "--after-seq ", "--as b"] {
        assert!(next.contains(option), "{option} is missing: {next}");
    }
    let mut sent = sandbox.htalk_command(&["sent", "--limit", "2"]);
    let page = crate::support::run(sent.env("HTALK_PEER", "a"), b"").done();
    assert_eq!(sandbox.sh(page["next_page"].as_str().unwrap()).done()["messages"][0]["seq"], 3);
}

#[test]
fn a_cursor_may_lie_anywhere() {
    let sandbox = filled(3, 1);
    for (words, listed, omitted) in [
        ("b inbox --after-seq 1", vec![2, 3], 0),
        ("b inbox --after-seq 3", vec![], 0),
        ("b inbox --after-seq 4000", vec![], 0),
        ("b inbox --after-seq 9223372036854775807", vec![], 0),
        ("b inbox --after-seq 99999999999999999999", vec![], 0),
        ("b inbox --after-seq 1 --limit 1", vec![2], 1),
        ("a sent --before-seq 1", vec![], 0),
        ("a sent --before-seq 3 --limit 1", vec![2], 1),
        ("a sent --before-seq 9223372036854775807", vec![3, 2, 1], 0),
        ("a inbox --after-seq 1", vec![], 0),
    ] {
        let words: Vec<&str> = ["--as"].into_iter().chain(words.split(' ')).collect();
        let page = sandbox.htalk(&words).done();
        assert_eq!(sequence(std::slice::from_ref(&page)), listed, "{words:?}");
        assert_eq!(page["omitted"], omitted, "{words:?}");
        assert_eq!(page.get("next_page").is_some(), omitted > 0, "{words:?}");
    }
}

#[test]
fn a_size_out_of_range_is_refused() {
    let sandbox = Sandbox::with_peers(&["a"]);
    let bytes = "max_bytes_must_be_between_1024_and_10485760";
    for (option, value, code) in [
        ("--limit", "0", "limit_must_be_between_1_and_500"),
        ("--limit", "501", "limit_must_be_between_1_and_500"),
        ("--limit", "-1", "limit_must_be_between_1_and_500"),
        ("--limit", "99999999999999999999", "limit_must_be_between_1_and_500"),
        ("--max-bytes", "1023", bytes),
        ("--max-bytes", "10485761", bytes),
        ("--max-bytes", "-99999999999999999999", bytes),
    ] {
        for words in [&["--as", "a", "inbox"][..], &["--as", "a", "sent"], &["peer", "list"]] {
            let refused = sandbox.htalk(&[words, &[option, value]].concat()).refused(code);
            assert_eq!(refused["detail"], value, "what was typed is named");
        }
    }
    for value in ["0", "-1", "-99999999999999999999"] {
        sandbox.htalk(&["--as", "a", "inbox", "--after-seq", value]).refused("seq_cursor_must_be_a_positive_integer");
        sandbox.htalk(&["--as", "a", "sent", "--before-seq", value]).refused("seq_cursor_must_be_a_positive_integer");
    }
    for words in [["--limit", "1"], ["--limit", "500"], ["--max-bytes", "1024"], ["--max-bytes", "10485760"]] {
        sandbox.htalk(&[&["--as", "a", "inbox"], &words[..]].concat()).done();
    }
}

#[test]
fn a_summary_is_the_first_line_that_says_something() {
    let sandbox = Sandbox::with_peers(&["a", "b"]);
    let long = "é".repeat(200);
    for (body, preview) in [
        ("one line", "one line"),
        ("\n \u{3000}\r\n\t\nthe first\r\nthe second", "the first"),
        ("x", "x"),
        (&long, &long[..240]),
    ] {
        let id = sandbox.send("a", "b", body);
        let page = sandbox.htalk(&["--as", "b", "inbox", "--summary"]).done();
        let message = page["messages"].as_array().unwrap().last().unwrap().clone();
        assert_eq!((&message["id"], &message["body_preview"]), (&json!(id), &json!(preview)));
        assert_eq!(message["body_bytes"], body.len());
    }
}
