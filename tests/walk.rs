//! Walks that nobody planned: thousands of random steps of several peers and programs on one mailbox, beside a small
//! model of what it must hold. After each step both are compared.
//!
//! The seed is fixed. A walk that fails is made shorter until nothing can be left out of it, and is printed: it becomes
//! a test of its own below. `HTALK_WALK_SECONDS` makes the walks go on for longer, each time with another seed.

/// The comparison of both.
mod compare;
/// What the mailbox must hold.
mod model;
/// Another program.
mod shell;
/// What can be done to a mailbox.
mod step;
/// A mailbox, the programs at work on it, and its model.
mod world;

use std::cell::Cell;
use std::time::{Duration, Instant};

use proptest::collection::vec;
use proptest::test_runner::{Config, RngAlgorithm, TestError, TestRng, TestRunner};

use step::{Body, Clause, Pick, Spelling, Step, step};
use world::World;

/// Walks of an ordinary run, and how long each is at most.
const WALKS: u32 = 8;
const STEPS: usize = 400;

/// The time after which no further walk is begun.
const USUAL: Duration = Duration::from_secs(20);

/// The time for making a failing walk shorter, in milliseconds.
const SHRINKING: u32 = 120_000;

/// Takes all steps in a mailbox of their own.
fn walk(steps: &[Step]) {
    let mut world = World::new();
    for step in steps {
        world.take(step);
    }
    world.end();
}

#[test]
fn a_walk_of_random_steps_leaves_the_mailbox_as_the_model_has_it() {
    let asked = std::env::var("HTALK_WALK_SECONDS").ok().map(|text| text.parse().expect("a number of seconds"));
    let limit = asked.map_or(USUAL, Duration::from_secs);
    let begun = Instant::now();
    let mut round = 0;
    while round == 0 || asked.is_some() && begun.elapsed() < limit {
        let config = Config {
            cases: WALKS,
            max_shrink_iters: 4096,
            max_shrink_time: SHRINKING,
            failure_persistence: None,
            ..Config::default()
        };
        let mut seed = *b"a fixed seed for the walks......";
        seed[31] = round;
        let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &seed));
        // Walks that were begun and did not end: one that failed is made shorter, whatever the time.
        let failing = Cell::new(0);
        let ended = runner.run(&vec(step(), STEPS / 2..=STEPS), |steps| {
            if begun.elapsed() < limit || failing.get() > 0 {
                failing.set(failing.get() + 1);
                walk(&steps);
                failing.set(failing.get() - 1);
            }
            Ok(())
        });
        if let Err(TestError::Fail(why, steps)) = ended {
            panic!("{why}\nThe shortest walk:\n{steps:#?}");
        }
        round = round.wrapping_add(1);
    }
}

/// The steps that a walk is made of, each at least once, in an order that a person can follow.
#[test]
fn a_walk_that_was_planned() {
    let first = Pick::Pool(0);
    walk(&[
        Step::Send { actor: 0, to: 1, id: Some(0), body: Body::Text("a question"), spelling: Spelling::Upper },
        Step::Send { actor: 0, to: 1, id: Some(0), body: Body::Text("a question"), spelling: Spelling::Bare },
        Step::Send { actor: 0, to: 1, id: Some(0), body: Body::Text("another"), spelling: Spelling::Whole },
        Step::Inbox { actor: 1, limit: 1 },
        Step::Ack { actor: 1, which: first, spelling: Spelling::Eight },
        Step::Reply { actor: 2, which: first, body: Body::Text("not mine"), spelling: Spelling::Whole },
        Step::Reply { actor: 1, which: first, body: Body::Text("an answer"), spelling: Spelling::Whole },
        Step::Reply { actor: 1, which: first, body: Body::Text("a second"), spelling: Spelling::Whole },
        Step::Wait { actor: 0, which: first, spelling: Spelling::Braced },
        Step::Ack { actor: 0, which: Pick::Nth(1), spelling: Spelling::Urn },
        Step::Insert {
            clause: Clause::Replace,
            sender: 1,
            to: 0,
            id: Some(0),
            answer: None,
            body: Body::Text("x"),
            seq: None,
        },
        Step::Insert {
            clause: Clause::Fail,
            sender: 1,
            to: 0,
            id: None,
            answer: Some(first),
            body: Body::Text("x"),
            seq: None,
        },
        Step::Insert {
            clause: Clause::Plain,
            sender: 1,
            to: 0,
            id: None,
            answer: None,
            body: Body::Long(32_000),
            seq: Some(7),
        },
        Step::InsertAck { clause: Clause::Ignore, actor: 0, which: Pick::Nth(2) },
        Step::Tamper(3, first),
        Step::RolledBack { sender: 2, to: 0 },
        Step::Killed { actor: 2, to: 0, id: 9, micros: 3000 },
        Step::Retire { peer: 1, is_back: false },
        Step::Send { actor: 0, to: 1, id: None, body: Body::Text("too late"), spelling: Spelling::Whole },
        Step::Retire { peer: 1, is_back: true },
        Step::Add { peer: 4 },
        Step::Show { actor: 0, which: first, spelling: Spelling::Whole },
        Step::Program { actor: 0, to: 4, id: 3, body: Body::Long(32_001) },
        Step::Backup,
        Step::Ack { actor: 0, which: Pick::Nth(2), spelling: Spelling::Whole },
        Step::Send { actor: 2, to: 0, id: None, body: Body::Text("lost again"), spelling: Spelling::Whole },
        Step::Restore(0),
        Step::Send { actor: 2, to: 0, id: None, body: Body::Text("afterwards"), spelling: Spelling::Whole },
        Step::Sent { actor: 0, limit: 2 },
    ]);
}
