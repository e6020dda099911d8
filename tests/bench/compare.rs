//! htalk and the closest peer, harness-talk 0.16.0, side by side: whole processes, in one run, on the same disk.
//!
//! ```sh
//! python3 -m venv /tmp/peer && /tmp/peer/bin/pip install harness-talk==0.16.0
//! cargo bench --bench compare -- --peer /tmp/peer/bin/htalk
//! ```
//!
//! `--quick` measures fewer pairs; `--dir DIR` names the disk (else the directory for temporary files; about 4 GB). The
//! runs of the two programs alternate, and what counts is the median of the ratios of each pair: what else the machine
//! does meets both. Rows marked over miss their target; the exit code then is 1.
//!
//! The first rows count instructions, with valgrind's callgrind. They hardly change from run to run, whatever else the
//! machine does; `--instructions` prints only them, in a minute.

use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::exit;
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use mailbox::{Mail, Mailbox};
use table::{Figure, Table, Times, median, ms, quantile};

/// One program with its mailbox.
mod mailbox;
/// What the kernel and strace count.
mod meter;
/// A session that can be notified.
mod session;
/// Statistics and their table.
mod table;

const HTALK: &str = env!("CARGO_BIN_EXE_htalk");
const USAGE: &str = "usage: cargo bench --bench compare -- --peer PATH_OF_HARNESS_TALKS_HTALK \
    [--instructions | --quick] [--dir DIR]";

/// A mailbox in use, of 100,000 messages.
const USED: Mail = Mail { exchanges: 50_000, open: 20, asked: 300 };
const EMPTY: Mail = Mail { exchanges: 0, open: 0, asked: 0 };
/// Enough to count on: instructions hardly depend on the size of a mailbox, but of one that is searched through.
const SMALL: Mail = Mail { exchanges: 2_000, open: 20, asked: 20 };
const HUGE: Mail = Mail { exchanges: 500_000, open: 20, asked: 0 };

/// The processes that write at once, and how many messages each.
const WRITERS: usize = 16;
const SENDS: usize = 25;

/// Who writes what is sent for measuring.
const SENDER: &str = "peer2";

/// Turns before the measured ones.
const WARM_UPS: usize = 3;

fn main() {
    let mut words = env::args_os().skip(1);
    let (mut peer, mut is_quick, mut only_counts, mut disk) = (None, false, false, env::temp_dir());
    while let Some(word) = words.next() {
        match word.to_str() {
            Some("--meter") => meter::run(words),
            Some("--peer") => peer = words.next().map(PathBuf::from),
            Some("--dir") => disk = words.next().map_or(disk, PathBuf::from),
            Some("--quick") => is_quick = true,
            Some("--instructions") => only_counts = true,
            // Of cargo.
            Some("--bench") => {}
            _ => peer = None,
        }
    }
    let Some(peer) = peer.and_then(|peer| peer.canonicalize().ok()) else {
        eprintln!("{USAGE}");
        exit(2);
    };
    let scratch = disk.join(format!("htalk-bench-{}", std::process::id()));
    fs::create_dir_all(&scratch).unwrap();
    let (pairs, rounds) = if is_quick { (11, 1) } else { (41, 3) };
    let mut bench = Bench { scratch: scratch.canonicalize().unwrap(), peer, pairs, rounds, table: Table::new() };
    bench.instructions();
    if !only_counts {
        bench.clock();
    }
    let over = bench.table.over();
    fs::remove_dir_all(&scratch).unwrap();
    exit(i32::from(over > 0));
}

struct Bench {
    scratch: PathBuf,
    peer: PathBuf,
    /// How many pairs of short runs.
    pairs: usize,
    /// How many rounds of many writers.
    rounds: usize,
    table: Table,
}

/// The same mail in a mailbox of htalk and in one of the peer.
type Both = (Mailbox, Mailbox);

impl Bench {
    fn clock(&mut self) {
        let fresh = self.both("fresh", EMPTY);
        self.pair("--version", &fresh, 0.65, |_| words("--version"));
        self.pair("send 1 KB, mailbox of 0", &fresh, 0.65, |_| send());

        let used = self.both("used", USED);
        self.reads_and_writes(&used);
        self.wake_up(&used);
        self.idle_wait(&used);
        self.writers(&used);
        self.costs(&used);

        let huge = (self.ours("huge", HUGE), fresh.0);
        self.pair("send at 1,000,000 against htalk's own at 0", &huge, 1.3, |_| send());
        self.handoffs();
    }

    /// Whole processes in instructions, each on a copy of the same mailbox: how long the write-ahead log is decides how
    /// much of it a process reads when it opens the mailbox.
    fn instructions(&mut self) {
        if !meter::has_callgrind() {
            println!("no valgrind: instructions are not counted");
            return;
        }
        let small = self.both("small", SMALL);
        for mailbox in [&small.0, &small.1] {
            // The side files of a mailbox in use.
            mailbox.timed(&send().iter().map(String::as_str).collect::<Vec<_>>());
        }
        let (asked, sent) = (&small.0.sent_by("asker")[0], &small.0.sent_by("peer0")[100]);
        let rows: [(&str, Words, u64); 9] = [
            ("--version", words("--version"), 150_000),
            ("send 1 KB", send(), 5_200_000),
            ("ack", words(&format!("--as desk ack {asked}")), 6_300_000),
            ("reply", reply(asked), 7_200_000),
            ("show", words(&format!("--as peer0 show {sent}")), 4_200_000),
            ("inbox, 20 open", words("--as busy inbox"), 6_000_000),
            ("inbox, none open", words("--as peer1 inbox"), 4_600_000),
            ("sent, a page", words("--as peer0 sent"), 9_000_000),
            ("peer list", words("peer list"), 4_300_000),
        ];
        for (name, words, most) in rows {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let count = |mailbox: &Mailbox| meter::instructions(&mailbox.copy_to(mailbox.beside("copy")), &words);
            let (ours, peers) = (count(&small.0), count(&small.1));
            let [shown, peers_shown, limit] = [ours, peers, most].map(Figure::Millions);
            let ratio = Some(ours as f64 / peers as f64);
            let target = format!("<= {limit}");
            self.table.row(&format!("instructions: {name}"), shown, peers_shown, ratio, &target, ours <= most);
        }
    }

    fn ours(&self, name: &str, mail: Mail) -> Mailbox {
        let file = self.scratch.join(format!("{name}-htalk"));
        Mailbox::new(Path::new(HTALK), file, mail, include_str!("fill_htalk.sql"))
    }

    fn both(&self, name: &str, mail: Mail) -> Both {
        let file = self.scratch.join(format!("{name}-peer"));
        (self.ours(name, mail), Mailbox::new(&self.peer, file, mail, include_str!("fill_harness_talk.sql")))
    }

    /// Runs the same command on both sides in turns, with other words each turn.
    fn pair(&mut self, name: &str, both: &Both, most: f64, words: impl Fn(usize) -> Words) {
        let mut times = (Times::new(), Times::new());
        for turn in 0..WARM_UPS + self.pairs {
            let words = words(turn);
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let (ours, peers) = (both.0.timed(&words), both.1.timed(&words));
            if turn >= WARM_UPS {
                times.0.push(ms(ours));
                times.1.push(ms(peers));
            }
        }
        self.table.pairs(name, &times, most);
    }

    fn reads_and_writes(&mut self, used: &Both) {
        // The ids are the same on both sides.
        let (asked, history) = (used.0.sent_by("asker"), used.0.sent_by("peer0"));
        self.pair("send 1 KB", used, 0.85, |_| send());
        self.pair("ack", used, 0.85, |turn| words(&format!("--as desk ack {}", asked[turn])));
        self.pair("reply", used, 0.85, |turn| reply(&asked[turn]));
        self.pair("show", used, 1.0, |turn| words(&format!("--as peer0 show {}", history[turn * 97])));
        self.pair("inbox, 20 open", used, 0.03, |_| words("--as busy inbox"));
        self.pair("inbox, none open", used, 0.03, |_| words("--as peer1 inbox"));
        self.pair("sent, 25,000 sent", used, 0.08, |_| words("--as peer0 sent"));
    }

    /// From the end of `reply` to the end of the waiter.
    fn wake_up(&mut self, used: &Both) {
        let asked = used.0.sent_by("asker");
        let latency = |mailbox: &Mailbox, turn: usize| {
            let id = &asked[100 + turn];
            let waiter = mailbox.command(&["--as", "asker", "wait", id, "--seconds", "20"]).spawn().unwrap();
            let ended = thread::spawn(move || (waiter.wait_with_output().unwrap().status, Instant::now()));
            // The waiter settles; then the answer comes at any moment of a peer's looking in every 100 ms.
            thread::sleep(Duration::from_millis(300 + turn as u64 * 37 % 100));
            mailbox.timed(&reply(id).iter().map(String::as_str).collect::<Vec<_>>());
            let replied = Instant::now();
            let (status, ended) = ended.join().unwrap();
            assert!(status.success());
            ms(ended.saturating_duration_since(replied))
        };
        let times: (Times, Times) =
            (0..self.pairs).map(|turn| (latency(&used.0, turn), latency(&used.1, turn))).unzip();
        for (name, share, most) in [("median", 0.5, 5.0), ("95 of 100", 0.95, 15.0)] {
            let [ours, peers] = [&times.0, &times.1].map(|times| Figure::Ms(quantile(times, share)));
            self.table.own(&format!("end of reply to end of its waiter, {name}"), ours, peers, Figure::Ms(most));
        }
    }

    /// A wait that nobody answers.
    fn idle_wait(&mut self, used: &Both) {
        let asked = used.0.sent_by("asker");
        let wait = ["--as", "asker", "wait", asked.last().unwrap(), "--seconds", "20"];
        // One after the other: each wakes the processor anew, which the other would do for it.
        let [ours, peers] = [&used.0, &used.1].map(|mailbox| Figure::Ms(meter::usage(mailbox, &wait).cpu));
        self.table.own("20 s of waiting in vain: processor time", ours, peers, Figure::Ms(15.0));
        let calls = at_once(used, |mailbox| meter::calls(mailbox, None, &wait));
        self.counted("20 s of waiting in vain: system calls", calls, 1500);
    }

    fn counted(&mut self, name: &str, calls: [Option<u64>; 2], most: u64) {
        match calls {
            [Some(ours), Some(peers)] => {
                self.table.own(name, Figure::Count(ours), Figure::Count(peers), Figure::Count(most));
            }
            _ => self.table.missing(name, "not measured: no strace"),
        }
    }

    /// Many processes that write at once.
    fn writers(&mut self, used: &Both) {
        let all = WRITERS * SENDS;
        let mut rounds = [Vec::new(), Vec::new()];
        for _ in 0..self.rounds {
            for (rounds, mailbox) in rounds.iter_mut().zip([&used.0, &used.1]) {
                rounds.push(Round::run(mailbox));
            }
        }
        let of = |side: usize, what: fn(&Round) -> f64| rounds[side].iter().map(what).collect::<Times>();
        let (ours, peers) = (of(0, |round| round.rate), of(1, |round| round.rate));
        let ratio = median(&ours.iter().zip(&peers).map(|(ours, peer)| ours / peer).collect::<Times>());
        let name = format!("{WRITERS} processes x {SENDS} sends");
        let [rate, peers_rate] = [median(&ours), median(&peers)].map(Figure::Rate);
        self.table.row(&format!("{name}: rate"), rate, peers_rate, Some(ratio), ">= 1.3 x", ratio >= 1.3);
        let [slowest, peers_slowest] = [0, 1].map(|side| quantile(&of(side, |round| round.slowest), 1.0));
        let ratio = slowest / peers_slowest;
        let [slowest, peers_slowest] = [slowest, peers_slowest].map(Figure::Ms);
        self.table.row(&format!("{name}: slowest send"), slowest, peers_slowest, Some(ratio), "<= 1 x", ratio <= 1.0);
        for (what, count) in [("failed", (|round| round.failed) as fn(&Round) -> usize), ("lost", |round| round.lost)] {
            let [ours, peers] = [0, 1].map(|side| Figure::Count(rounds[side].iter().map(count).sum::<usize>() as u64));
            self.table.own(&format!("{name}: {what} of {}", all * self.rounds), ours, peers, Figure::Count(0));
        }
    }

    /// Handoffs against ordinary messages to the same session, in the same mailbox.
    fn handoffs(&mut self) {
        let home = self.scratch.join("handoffs");
        fs::DirBuilder::new().mode(0o700).create(&home).unwrap();
        let mailbox = Mailbox::new(Path::new(HTALK), home.join("mail"), EMPTY, include_str!("fill_htalk.sql"));
        session::start(&home);
        let add = format!("peer add session --harness claude --session {} --workspace {}", session::ID, home.display());
        let text = home.join("text");
        fs::write(&text, &"1 KB of it. ".repeat(86).as_bytes()[..1024]).unwrap();
        fs::set_permissions(&text, fs::Permissions::from_mode(0o600)).unwrap();
        let text = text.to_str().unwrap();
        let run = |line: &str| mailbox.answer(&line.split(' ').collect::<Vec<_>>());
        run(&add);
        run("handoff init");
        let (mut sends, mut looks) = ((Times::new(), Times::new()), (Times::new(), Times::new()));
        for turn in 0..WARM_UPS + self.pairs {
            let prepared = run(&format!("--as {SENDER} handoff prepare --to session --message-file {text}"));
            let id = prepared.1["handoff"]["correlation_id"].as_str().unwrap();
            let sent = run(&format!("--as {SENDER} handoff send {id} --to session --message-file {text}"));
            let usual = run(&format!("--as {SENDER} send session --message-file {text}"));
            let status = run(&format!("--as {SENDER} handoff status {id}"));
            let shown = run(&format!("--as {SENDER} show {id}"));
            if turn >= WARM_UPS {
                sends.0.push(ms(prepared.0 + sent.0));
                sends.1.push(ms(usual.0));
                looks.0.push(ms(status.0));
                looks.1.push(ms(shown.0));
            }
        }
        self.table.pairs("handoff prepare + send, against htalk's send", &sends, 2.0);
        self.table.pairs("handoff status, against htalk's show", &looks, 1.2);
    }

    /// What a send costs apart from time.
    fn costs(&mut self, used: &Both) {
        let send = send();
        let send: Vec<&str> = send.iter().map(String::as_str).collect();
        // Now and then a checkpoint is due, or the log begins anew; the usual send is asked for.
        let usual = |mailbox: &Mailbox| {
            let calls: Option<Vec<u64>> = (0..9).map(|_| meter::calls(mailbox, Some(meter::SYNCS), &send)).collect();
            calls.map(|mut calls| {
                calls.sort_unstable();
                calls[calls.len() / 2]
            })
        };
        self.counted("syncs in a send", [usual(&used.0), usual(&used.1)], 2);
        let memory = |mailbox: &Mailbox| Figure::Mb(meter::usage(mailbox, &send).memory);
        self.table.own("peak memory of a send", memory(&used.0), memory(&used.1), Figure::Mb(6.0));
        let [ours, peers] = [&used.0, &used.1].map(|mailbox| Figure::Mb(mailbox.program_size()));
        self.table.own("size of the program", ours, peers, Figure::Mb(8.0));
    }
}

/// One round of many writers on one mailbox.
struct Round {
    rate: f64,
    slowest: f64,
    failed: usize,
    lost: usize,
}

impl Round {
    fn run(mailbox: &Mailbox) -> Round {
        let before = mailbox.sent_by(SENDER).len();
        let start = Instant::now();
        let writer = || {
            let send = send();
            let send: Vec<&str> = send.iter().map(String::as_str).collect();
            let timed = |_| {
                let start = Instant::now();
                (mailbox.command(&send).output().unwrap().status.success(), ms(start.elapsed()))
            };
            (0..SENDS).map(timed).collect::<Vec<_>>()
        };
        let sends: Vec<(bool, f64)> = thread::scope(|scope| {
            let writers: Vec<_> = (0..WRITERS).map(|_| scope.spawn(writer)).collect();
            writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect()
        });
        let seconds = start.elapsed().as_secs_f64();
        let saved = sends.iter().filter(|(is_saved, _)| *is_saved).count();
        Round {
            rate: saved as f64 / seconds,
            slowest: sends.iter().map(|(_, time)| *time).fold(0.0, f64::max),
            failed: sends.len() - saved,
            lost: (before + saved).saturating_sub(mailbox.sent_by(SENDER).len()),
        }
    }
}

/// Measures both sides at the same time: for what takes long and does little.
fn at_once<T: Send>(both: &Both, measure: impl Fn(&Mailbox) -> T + Sync) -> [T; 2] {
    thread::scope(|scope| {
        let peers = scope.spawn(|| measure(&both.1));
        [measure(&both.0), peers.join().unwrap()]
    })
}

/// The words of a command.
type Words = Vec<String>;

fn words(line: &str) -> Words {
    line.split(' ').map(str::to_owned).collect()
}

fn with_body(line: &str) -> Words {
    [words(line), vec!["--message".to_owned(), "1 KB of it. ".repeat(86)[..1024].to_owned()]].concat()
}

fn send() -> Words {
    with_body(&format!("--as {SENDER} send peer3"))
}

fn reply(request: &str) -> Words {
    with_body(&format!("--as desk reply {request}"))
}
