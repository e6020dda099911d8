//! Codex: the shared app server where it listens, else the command `codex queue`; its state database for who is who.
//! Seen on Codex 0.171.0.

mod app_server;
mod codes;
mod discover;
mod home;
mod locks;
mod pipes;
mod queue;
mod socket;
mod state;
mod wire;

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value};

use super::{Address, Binding, Client, Context, Found, Outcome, Purpose, Refusal, Removal, Search, Submission};
use crate::environment::Environment;
use app_server::{AppServer, Failure};
use queue::Queued;
use socket::Unusable;
use wire::Wire;

use crate::code::Code;

/// Connecting, `initialize` and `thread/read` together; a few milliseconds on Codex 0.171.0.
const LOOK: Duration = Duration::from_secs(4);

/// The answer to the one write.
const WRITE: Duration = Duration::from_secs(8);

/// An app server of our own, from its start (0.2 s) to its answer.
const OWN_SERVER: Duration = Duration::from_secs(10);

/// The adapter.
pub struct Codex;

impl Client for Codex {
    fn name(&self) -> &'static str {
        "codex"
    }

    fn codes(&self) -> &'static [Code] {
        codes::CODES
    }

    fn discover(&self, context: Context<'_>, search: &Search) -> Vec<Found> {
        discover::all(context.environment, search)
    }

    fn check(&self, context: Context<'_>, address: &Address) -> Result<Map<String, Value>, Refusal> {
        let mut evidence = Map::new();
        let home = home::home(context.environment, address.home.as_deref())?;
        match route(context.environment, address, &home)? {
            Route::Server(mut server, socket) => {
                let status = recipient(&mut server, address)?;
                evidence.insert("transport".into(), "codex_app_server".into());
                evidence.insert("runtime_status".into(), status.into());
                evidence.insert("socket".into(), socket.display().to_string().into());
            }
            Route::Command => {
                let (path, place) = saved(context, address, &home)?;
                queue::codex(context, address, &home, &place)?;
                evidence.insert("transport".into(), "codex_cli_queue".into());
                evidence.insert("runtime_status".into(), locks::runtime_status(&home, &address.session_id).into());
                evidence.insert("metadata_source".into(), path.display().to_string().into());
            }
        }
        Ok(evidence)
    }

    fn bind(&self, context: Context<'_>, address: &Address, purpose: Purpose) -> Result<Binding, Refusal> {
        let home = home::home(context.environment, address.home.as_deref())?;
        let mut found = Map::new();
        found.insert("home".into(), state::resolved(&home).display().to_string().into());
        let mut target = Map::new();
        target.insert("thread_id".into(), address.session_id.as_str().into());
        let writer = match door(context.environment, address, &home)? {
            // A server that serves this home loads the thread with the next item. Directly before a submission the
            // recipient is not verified here: that follows on the connection that submits.
            Some(wire) => {
                if !purpose.is_submission {
                    recipient(&mut server(wire, address)?, address)?;
                }
                "live"
            }
            None => {
                let (path, place) = saved(context, address, &home)?;
                target.insert("database".into(), path.display().to_string().into());
                let command = queue::codex(context, address, &home, &place)?;
                if purpose.is_submission {
                    target.insert("version".into(), queue::version(context.scope, command, address)?.into());
                }
                match locks::is_held(&home, &address.session_id) {
                    Some(true) => "live",
                    Some(false) => "inactive",
                    None => "unknown",
                }
            }
        };
        let mut objection = None;
        // The usual home is where its user looks next; one that is named may be a copy that nobody opens again.
        if purpose.names_home {
            found.insert("writer".into(), writer.into());
            found.insert("allows_inactive".into(), purpose.allows_inactive_home.into());
            if writer != "live" && !purpose.allows_inactive_home {
                let detail = format!("writer {writer} in {}", home.display());
                objection = Some(Refusal::new("inactive_codex_home").with_detail(detail));
            }
        }
        Ok(Binding { context: Some(found), target, objection, ..Binding::default() })
    }

    fn notify(
        &self,
        context: Context<'_>,
        address: &Address,
        text: &str,
        skip: &mut dyn FnMut() -> Option<&'static str>,
    ) -> Outcome {
        let home = match home::home(context.environment, address.home.as_deref()) {
            Ok(home) => home,
            Err(refusal) => return Outcome::refused(refusal.code, None),
        };
        match route(context.environment, address, &home) {
            Err(refusal) => Outcome::refused(refusal.code, None),
            Ok(Route::Server(server, _)) => notify_server(server, address, text, skip),
            Ok(Route::Command) => notify_command(context, &home, address, text, skip),
        }
    }

    fn withdraw(&self, context: Context<'_>, address: &Address, queue_id: &str) -> Removal {
        let mut server = match home::home(context.environment, address.home.as_deref())
            .and_then(|home| any_server(context, address, &home))
        {
            Ok(server) => server,
            Err(refusal) => return Removal::Unavailable(refusal),
        };
        server.allow(WRITE);
        match server.delete(&address.session_id, queue_id) {
            Ok(true) => Removal::Removed,
            Ok(false) => Removal::Absent,
            Err(failure) => {
                let code = failure
                    .refusal(&address.session_id)
                    .unwrap_or_else(|| format!("codex_withdrawal_unconfirmed:{}", failure.reason()));
                Removal::Unknown(with_words(code, &failure))
            }
        }
    }
}

/// The way to a peer.
enum Route {
    /// A server that answered, at this socket.
    Server(AppServer, PathBuf),
    /// Nobody listens on the usual socket.
    Command,
}

/// The control socket of a configuration directory (0.171.0): a symlink into the temporary directory.
fn control_socket(home: &Path) -> PathBuf {
    home.join("app-server-control/app-server-control.sock")
}

/// A socket that was registered is the only way; else the control socket, else the command.
fn route(environment: &Environment, address: &Address, home: &Path) -> Result<Route, Refusal> {
    Ok(match door(environment, address, home)? {
        Some(wire) => Route::Server(server(wire, address)?, socket_path(address, home)),
        None => Route::Command,
    })
}

/// The socket that was registered, else the control socket.
fn socket_path(address: &Address, home: &Path) -> PathBuf {
    address.socket.clone().unwrap_or_else(|| control_socket(home))
}

/// A connection to the socket that leads to a peer; none where nobody listens on the usual one.
fn door(environment: &Environment, address: &Address, home: &Path) -> Result<Option<Box<dyn Wire>>, Refusal> {
    let path = socket_path(address, home);
    match socket::open(&path, address.within(LOOK)) {
        Ok(wire) => Ok(Some(wire)),
        // `codex queue` takes the same two cases for "no daemon" (0.171.0).
        Err(Unusable::Missing | Unusable::Deserted) if address.socket.is_none() => Ok(None),
        Err(unusable) => Err(closed_door(environment, &unusable, &path)),
    }
}

/// The server at the other end of a connection.
fn server(wire: Box<dyn Wire>, address: &Address) -> Result<AppServer, Refusal> {
    AppServer::initialize(wire).map_err(|failure| before_write(&failure, &address.session_id))
}

/// The refusal for a socket that can't be used.
fn closed_door(environment: &Environment, unusable: &Unusable, socket: &Path) -> Refusal {
    let (code, words) = match unusable {
        Unusable::Missing => ("recipient_socket_unavailable".into(), "no such file".into()),
        Unusable::Deserted => ("recipient_socket_unavailable".into(), "nobody listens".into()),
        Unusable::Foreign(words) => ("recipient_socket_unavailable".into(), words.clone()),
        Unusable::Forbidden(error) if is_inside_codex(environment) => {
            ("codex_sandbox_blocks_socket".into(), error.to_string())
        }
        Unusable::Forbidden(error) => ("recipient_socket_unavailable".into(), error.to_string()),
        Unusable::Silent(fault) => {
            (format!("codex_app_server_unusable:{}", fault.as_str()), "it does not answer as an app server".into())
        }
    };
    Refusal::new(code).with_detail(format!("{}: {words}", socket.display()))
}

/// Whether Codex runs this process. `CODEX_SANDBOX_NETWORK_DISABLED` is no evidence: it is set outside the sandbox too.
fn is_inside_codex(environment: &Environment) -> bool {
    environment.get("CODEX_THREAD_ID").is_some()
}

/// What a failed request before the write is called.
fn before_write(failure: &Failure, id: &str) -> Refusal {
    let code = failure.refusal(id).unwrap_or_else(|| match failure {
        Failure::Stated { code, .. } => format!("codex_app_server_refused:{code}"),
        Failure::Fault(fault) => format!("codex_app_server_unusable:{}", fault.as_str()),
    });
    with_words(code, failure)
}

fn with_words(code: String, failure: &Failure) -> Refusal {
    Refusal { code, detail: failure.words().map(|words| words.chars().take(500).collect()) }
}

/// Verifies the recipient as the server describes it; its status.
fn recipient(server: &mut AppServer, address: &Address) -> Result<&'static str, Refusal> {
    let read = server.read(&address.session_id).map_err(|failure| before_write(&failure, &address.session_id))?;
    read.thread.verify(address)?;
    Ok(read.status)
}

/// Verifies the recipient as the state database describes it; the database and its place.
fn saved(context: Context<'_>, address: &Address, home: &Path) -> Result<(PathBuf, home::Place), Refusal> {
    let places = home::places(context.environment, home, address.home.is_some(), Some(&address.workspace))?;
    let (thread, path, place) = state::thread(&places, &address.session_id)?;
    thread.verify(address)?;
    Ok((path, place))
}

fn notify_server(
    mut server: AppServer,
    address: &Address,
    text: &str,
    skip: &mut dyn FnMut() -> Option<&'static str>,
) -> Outcome {
    let status = match recipient(&mut server, address) {
        Ok(status) => Some(status),
        Err(refusal) => return Outcome::refused(refusal.code, None),
    };
    if let Some(code) = skip() {
        return Outcome::refused(code, status);
    }
    server.allow(address.within(WRITE));
    match server.queue(&address.session_id, text) {
        Ok(id) => queued("codex_app_server_queued", id, status),
        Err(failure) => match failure.refusal(&address.session_id) {
            Some(code) => Outcome::refused(code, status),
            None => {
                let code = format!("codex_app_server_unconfirmed_receipt:{}", failure.reason());
                in_doubt(code, status)
            }
        },
    }
}

fn notify_command(
    context: Context<'_>,
    home: &Path,
    address: &Address,
    text: &str,
    skip: &mut dyn FnMut() -> Option<&'static str>,
) -> Outcome {
    let place = match saved(context, address, home) {
        Ok((_, place)) => place,
        Err(refusal) => return Outcome::refused(refusal.code, None),
    };
    let status = Some(locks::runtime_status(home, &address.session_id));
    let command = match queue::codex(context, address, home, &place) {
        Ok(command) => command,
        Err(refusal) => return Outcome::refused(refusal.code, status),
    };
    if let Some(code) = skip() {
        return Outcome::refused(code, status);
    }
    match queue::submit(context.scope, command, address, text) {
        Queued::Yes(id) => queued("codex_cli_queued", id, status),
        Queued::No(code) => Outcome::refused(code, status),
        Queued::Unknown(code) => in_doubt(code, status),
    }
}

/// A notice that Codex queued under this id; the receipt shows it too.
fn queued(receipt: &str, id: String, recipient_status: Option<&'static str>) -> Outcome {
    let detail = format!("{receipt}:{id}");
    Outcome { submission: Submission::Submitted, detail, queue_id: Some(id), recipient_status }
}

fn in_doubt(code: String, recipient_status: Option<&'static str>) -> Outcome {
    Outcome { submission: Submission::Unknown, detail: code, queue_id: None, recipient_status }
}

/// A server to ask for a removal: the one that listens, else one of our own on the same database. It ends with the
/// answer.
fn any_server(context: Context<'_>, address: &Address, home: &Path) -> Result<AppServer, Refusal> {
    if let Route::Server(server, _) = route(context.environment, address, home)? {
        return Ok(server);
    }
    let places = home::places(context.environment, home, address.home.is_some(), Some(&address.workspace))?;
    // An archived or vanished thread has no row; the likeliest database is then as good as any.
    let place = state::thread(&places, &address.session_id).map_or_else(|_| places[0].clone(), |(_, _, place)| place);
    let mut command = queue::codex(context, address, home, &place)?;
    let wire = pipes::start(context.scope, command.args(["app-server", "--stdio"]), OWN_SERVER)
        .map_err(|error| Refusal::new("adapter_unavailable").with_detail(error))?;
    AppServer::initialize(wire).map_err(|failure| match failure {
        // In its sandbox Codex can't start a server: it ends without a word.
        Failure::Fault(_) => Refusal::new("codex_app_server_not_started").with_detail(failure.reason()),
        Failure::Stated { .. } => before_write(&failure, &address.session_id),
    })
}
