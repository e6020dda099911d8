//! Random input for the tests of what htalk reads from others: it may be refused, but nothing panics, hangs or grows.
//!
//! The seed is fixed. `HTALK_NOISE_CASES` makes each test go on for longer.

use std::time::{Duration, Instant};

use proptest::collection::{SizeRange, vec};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngAlgorithm, TestError, TestRng, TestRunner};
use serde_json::Value;

/// Inputs of a test.
const CASES: u32 = 1000;

/// The time for one input: far beyond what a slow machine needs, and short of what hangs.
const CEILING: Duration = Duration::from_secs(20);

/// Runs a test on many inputs. One that fails is made as small as it can be, and shown.
pub fn each<S: Strategy>(inputs: S, mut test: impl FnMut(S::Value)) {
    let cases = std::env::var("HTALK_NOISE_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(CASES);
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, b"a fixed seed for random input...");
    let test = std::cell::RefCell::new(&mut test);
    let ended = TestRunner::new_with_rng(config, rng).run(&inputs, |input| {
        let begun = Instant::now();
        (test.borrow_mut())(input);
        prop_assert!(begun.elapsed() < CEILING, "{:?} for one input", begun.elapsed());
        Ok(())
    });
    if let Err(TestError::Fail(why, input)) = ended {
        panic!("{why}: {input:?}");
    }
}

/// JSON of any form, with these words as keys and as texts where a client has them.
pub fn json(words: &'static [&'static str]) -> impl Strategy<Value = Value> {
    let word = move || select(words).prop_map(str::to_owned);
    let text = move || prop_oneof![3 => word(), 1 => ".{0,12}"];
    let leaf = prop_oneof![
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::from),
        1 => any::<i64>().prop_map(Value::from),
        1 => any::<u64>().prop_map(Value::from),
        1 => any::<f64>().prop_map(Value::from),
        4 => text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 8, move |inner| {
        prop_oneof![
            1 => vec(inner.clone(), 0..4).prop_map(Value::from),
            3 => vec((text(), inner), 0..10).prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

/// An object whose keys have values of their own or noise, some of them missing: nearly what a client writes.
pub fn nearly(object: Value, words: &'static [&'static str]) -> impl Strategy<Value = Value> {
    let Value::Object(object) = object else { panic!("no object") };
    let pairs: Vec<(String, Value)> = object.into_iter().collect();
    let count = pairs.len();
    vec((0..10_u8, json(words)), count).prop_map(move |changes| {
        let pairs = pairs.iter().zip(changes).filter_map(|((key, value), (kind, noise))| match kind {
            0 => None,
            1 | 2 => Some((key.clone(), noise)),
            _ => Some((key.clone(), value.clone())),
        });
        Value::Object(pairs.collect())
    })
}

/// One of these texts with some changes in its bytes, or bytes of any kind.
pub fn bytes(samples: &'static [&'static str]) -> impl Strategy<Value = Vec<u8>> {
    let edits = vec((any::<u16>(), 0..6_u8, any::<u8>()), SizeRange::from(0..6));
    let changed = (select(samples), edits).prop_map(|(sample, edits)| {
        let mut bytes = sample.as_bytes().to_vec();
        for (place, kind, byte) in edits {
            let place = usize::from(place) % (bytes.len() + 1);
            match kind {
                0 => bytes.truncate(place),
                1 => bytes.insert(place, byte),
                2 => bytes.insert(place, b"\0\n\"{}[]().:-/"[usize::from(byte) % 13]),
                3 if place < bytes.len() => drop(bytes.remove(place)),
                4 if place < bytes.len() => bytes[place] = byte,
                _ => bytes.extend_from_within(place / 2..place),
            }
        }
        bytes
    });
    let deep = select(&["[", "{\"a\":", "(", "a: ", "%"][..]).prop_map(|part: &str| part.repeat(50_000).into_bytes());
    prop_oneof![20 => changed, 4 => vec(any::<u8>(), 0..200), 1 => deep]
}

/// The same as text.
pub fn text(samples: &'static [&'static str]) -> impl Strategy<Value = String> {
    bytes(samples).prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}
