//! Claude Code: sessions from its own records, notices by its messaging socket.
//!
//! Everything here was seen on 2.1.332 and 2.1.197 (Linux) unless a comment says otherwise. 2.1.197 has the records
//! but no socket; such a session can be found and can send, and reads its mail by asking for it.

mod agents;
mod attempt;
mod codes;
mod frame;
mod generation;
mod listener;
mod report;
pub mod sessions;
mod transcript;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::{Address, Binding, Client, Context, Found, Outcome, Purpose, Refusal, Search};
use crate::code::Code;
use crate::platform::process::Process;
use sessions::{Record, Records, config_directory, same_place};

/// The adapter of Claude Code.
pub struct Claude;

impl Client for Claude {
    fn name(&self) -> &'static str {
        "claude"
    }

    fn codes(&self) -> &'static [Code] {
        codes::CODES
    }

    fn discover(&self, context: Context<'_>, _search: &Search) -> Vec<Found> {
        let Some((config, is_usual)) = config_directory(context.environment, None) else {
            let detail = "neither CLAUDE_CONFIG_DIR nor HOME names a configuration directory";
            return vec![Found { source: unavailable(None, "adapter_unavailable", detail), sessions: Vec::new() }];
        };
        let directory = config.join("sessions");
        if !config.is_dir() {
            let detail = "Claude Code has no configuration directory here";
            return vec![Found {
                source: unavailable(Some(&directory), "adapter_unavailable", detail),
                sessions: Vec::new(),
            }];
        }
        let home = if is_usual { None } else { Some(std::fs::canonicalize(&config).unwrap_or(config.clone())) };
        let records = match Records::read(&config) {
            Ok(records) if records.live.is_empty() && records.rejected > 0 => {
                let words = format!("none of {} records could be understood", records.rejected);
                return by_the_client(context, &config, home.as_deref(), words, records.rejected);
            }
            // The client's own list could not be judged either.
            Ok(records) if records.live.is_empty() && records.hidden > 0 => {
                return vec![Found {
                    source: unavailable(Some(&directory), "adapter_unavailable", HIDDEN),
                    sessions: Vec::new(),
                }];
            }
            Ok(records) => records,
            Err(error) => return by_the_client(context, &config, home.as_deref(), error.to_string(), 0),
        };
        let is_partial = records.rejected > 0 || records.is_cut || !records.elsewhere.is_empty();
        let mut source = source_row(RECORDS, if is_partial { "partial" } else { "ok" });
        source.insert("path".into(), json!(directory));
        source.insert("rejected".into(), json!(records.rejected));
        if records.rejected > 0 {
            source.insert("error".into(), json!("claude_records_unreadable"));
        }
        if records.is_cut {
            source.insert("detail".into(), json!("the directory holds more records than were read"));
        }
        if !records.elsewhere.is_empty() {
            source.insert("error".into(), json!("claude_session_not_visible"));
            source.insert("detail".into(), json!(format!("{} sessions {ELSEWHERE}", records.elsewhere.len())));
        }
        let sessions = session_rows(records.live, RECORDS, home.as_deref());
        vec![Found { source, sessions }]
    }

    fn check(&self, context: Context<'_>, address: &Address) -> Result<Map<String, Value>, Refusal> {
        let (_, record) = find(context, address)?;
        let socket = socket(&record)?;
        let refuse = |error: io::Error| refuse_socket(&record, socket, &error);
        frame::is_owned_socket(socket).map_err(refuse)?;
        let mut evidence = Map::new();
        evidence.insert("harness".into(), json!("claude"));
        evidence.insert("session_id".into(), json!(record.session_id));
        evidence.insert("workspace".into(), json!(address.workspace));
        evidence.insert("runtime_status".into(), json!(record.status));
        evidence.insert("socket".into(), json!(socket));
        evidence.insert("pid".into(), json!(record.pid));
        evidence.insert("version".into(), json!(record.version));
        Ok(evidence)
    }

    fn bind(&self, context: Context<'_>, address: &Address, _purpose: Purpose) -> Result<Binding, Refusal> {
        let (config, record) = find(context, address)?;
        let socket = socket(&record)?;
        frame::is_owned_socket(socket).map_err(|error| refuse_socket(&record, socket, &error))?;
        let generation = generation::of(&config, &record).ok_or_else(|| {
            Refusal::new("target_generation_unavailable").with_detail("this system can't tell its processes apart")
        })?;
        let mut target = Map::new();
        target.insert("pid".into(), json!(record.pid));
        target.insert("name".into(), json!(Process::read(record.pid).ok().flatten().map(|process| process.name)));
        Ok(Binding { generation: Some(generation), target, ..Binding::default() })
    }

    fn notify(
        &self,
        context: Context<'_>,
        address: &Address,
        text: &str,
        skip: &mut dyn FnMut() -> Option<&'static str>,
    ) -> Outcome {
        attempt::notify(context, address, text, skip)
    }
}

/// The name of the usual source of discovery, and of the one for the case that the records cannot be read.
const RECORDS: &str = "session_records";
const AGENTS: &str = "agents_command";

/// Why no record can be used on a system that does not show its processes.
const HIDDEN: &str = "this system does not show whether the processes of the sessions run";

/// What is said of records of another pid namespace.
const ELSEWHERE: &str =
    "can't be seen from here: their records are of processes outside of this sandbox, which may run";

/// Finds the process of a registered session: in its workspace, a terminal before any other, then the latest start.
///
/// Answers the configuration directory with it.
fn find(context: Context<'_>, address: &Address) -> Result<(PathBuf, Record), Refusal> {
    let Some((config, _)) = config_directory(context.environment, address.home.as_deref()) else {
        return Err(Refusal::new("adapter_unavailable").with_detail("HOME is not set"));
    };
    if !config.is_dir() {
        let detail = format!("{} is no directory", config.display());
        return Err(Refusal::new("adapter_unavailable").with_detail(detail));
    }
    let records = Records::read(&config).map_err(|error| unreadable(context, &config, address, error.to_string()))?;
    let Records { live, ended, rejected, hidden, elsewhere, .. } = records;
    let of_session: Vec<Record> = live.into_iter().filter(|record| record.session_id == address.session_id).collect();
    if of_session.is_empty() {
        if elsewhere.contains(&address.session_id) {
            let detail = "its record is of a process outside of this sandbox, which may run or not";
            return Err(Refusal::new("claude_session_not_visible").with_detail(detail));
        }
        if hidden > 0 {
            return Err(Refusal::new("adapter_unavailable").with_detail(HIDDEN));
        }
        if rejected > 0 {
            return Err(unreadable(context, &config, address, format!("{rejected} records could not be understood")));
        }
        let reason = ended.iter().find(|(session, _)| *session == address.session_id).map(|(_, reason)| *reason);
        let detail = reason.unwrap_or("no running process has this session; after /clear or an exit its id is gone");
        return Err(Refusal::new("recipient_unavailable").with_detail(detail));
    }
    let elsewhere = of_session[0].workspace.clone();
    let is_meant = |record: &Record| address.is_anywhere() || same_place(&record.workspace, &address.workspace);
    let in_workspace = of_session.into_iter().filter(is_meant);
    in_workspace.max_by_key(Record::rank).map(|record| (config, record)).ok_or_else(|| {
        Refusal::new("recipient_identity_changed").with_detail(format!("the session runs in {}", elsewhere.display()))
    })
}

/// The refusal for a session whose record may be among those that cannot be read; the client itself is asked once.
fn unreadable(context: Context<'_>, config: &Path, address: &Address, words: String) -> Refusal {
    let listed = agents::list(context, config);
    let row = listed.iter().flatten().find(|record| record.session_id == address.session_id);
    match (row, &listed) {
        (Some(row), _) => Refusal::new("claude_records_unreadable").with_detail(format!(
            "{words}; the client itself lists the session as {} under pid {}, but only its record names the socket",
            row.status, row.pid
        )),
        (None, Ok(_)) => Refusal::new("recipient_unavailable")
            .with_detail(format!("{words}; the client itself does not list the session")),
        (None, Err(error)) => {
            Refusal::new("claude_records_unreadable").with_detail(format!("{words}; `claude agents --json`: {error}"))
        }
    }
}

/// The socket that a record names.
fn socket(record: &Record) -> Result<&Path, Refusal> {
    record.socket.as_deref().ok_or_else(|| {
        let version = record.version.as_deref().unwrap_or("unknown");
        Refusal::new("recipient_has_no_socket")
            .with_detail(format!("pid {} runs version {version}, its record names no messaging socket", record.pid))
    })
}

/// The refusal for a socket that cannot be used.
fn refuse_socket(record: &Record, socket: &Path, error: &io::Error) -> Refusal {
    Refusal::new("recipient_socket_unavailable").with_detail(format!(
        "{} of pid {}: {error}",
        socket.display(),
        record.pid
    ))
}

/// Discovery by the client's own list, where its records cannot be read: both sources are named.
fn by_the_client(
    context: Context<'_>,
    config: &Path,
    home: Option<&Path>,
    words: String,
    rejected: usize,
) -> Vec<Found> {
    let mut broken = unavailable(Some(&config.join("sessions")), "claude_records_unreadable", &words);
    broken.insert("rejected".into(), json!(rejected));
    let broken = Found { source: broken, sessions: Vec::new() };
    let listed = match agents::list(context, config) {
        Ok(records) => Found { source: source_row(AGENTS, "ok"), sessions: session_rows(records, AGENTS, home) },
        Err(error) => {
            let mut source = source_row(AGENTS, "unavailable");
            source.insert("error".into(), json!("adapter_unavailable"));
            source.insert("detail".into(), json!(error.to_string()));
            Found { source, sessions: Vec::new() }
        }
    };
    vec![broken, listed]
}

/// One row a session id, of the process that a notice would go to.
fn session_rows(records: Vec<Record>, source: &str, home: Option<&Path>) -> Vec<Map<String, Value>> {
    let mut preferred: BTreeMap<String, Record> = BTreeMap::new();
    for record in records {
        match preferred.get(&record.session_id) {
            Some(other) if other.rank() >= record.rank() => {}
            _ => {
                preferred.insert(record.session_id.clone(), record);
            }
        }
    }
    let row = |record: Record| {
        let mut row = Map::new();
        row.insert("harness".into(), json!("claude"));
        row.insert("session_id".into(), json!(record.session_id));
        row.insert("workspace".into(), json!(record.workspace));
        row.insert("home".into(), json!(home));
        row.insert("runtime_status".into(), json!(record.status));
        row.insert("source".into(), json!(source));
        row
    };
    preferred.into_values().map(row).collect()
}

fn source_row(name: &str, status: &str) -> Map<String, Value> {
    let mut row = Map::new();
    row.insert("harness".into(), json!("claude"));
    row.insert("source".into(), json!(name));
    row.insert("status".into(), json!(status));
    row.insert("rejected".into(), json!(0));
    row.insert("error".into(), Value::Null);
    row.insert("detail".into(), Value::Null);
    row
}

fn unavailable(path: Option<&Path>, error: &str, detail: &str) -> Map<String, Value> {
    let mut row = source_row(RECORDS, "unavailable");
    row.insert("path".into(), json!(path));
    row.insert("error".into(), json!(error));
    row.insert("detail".into(), json!(detail));
    row
}
