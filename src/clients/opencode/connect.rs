//! How a connection to an OpenCode server is made, and how far a request came over it.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use nix::unistd::geteuid;
use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{Buffers, ConnectionDetails, Connector, NextTimeout, Transport};

use super::url;
use crate::platform::ports;

/// Knows the loopback addresses and nothing else: no name server is ever asked.
#[derive(Debug)]
pub struct LoopbackOnly;

impl Resolver for LoopbackOnly {
    fn resolve(&self, uri: &Uri, _: &Config, _: NextTimeout) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let mut addresses = self.empty();
        url::addresses(uri).into_iter().for_each(|address| addresses.push(address));
        if addresses.is_empty() { Err(ureq::Error::HostNotFound) } else { Ok(addresses) }
    }
}

/// The listener belongs to another user; nothing was written to it.
#[derive(Debug)]
pub struct ForeignListener(pub u32);

impl fmt::Display for ForeignListener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the listener belongs to the user with id {}", self.0)
    }
}

impl std::error::Error for ForeignListener {}

/// Lets a connection through only to a listener of the same user, or of root, who can read everything anyway: a port
/// belongs to whoever took it first, so credentials and notices go to nobody else. Where no listener is shown there is
/// nothing to judge by.
#[derive(Debug)]
pub struct SameUser;

impl<In: Transport> Connector<In> for SameUser {
    type Out = In;

    fn connect(&self, details: &ConnectionDetails, chained: Option<In>) -> Result<Option<In>, ureq::Error> {
        let addresses: Vec<SocketAddr> = details.addrs.iter().copied().collect();
        match ports::listener_user(&addresses) {
            Ok(Some(uid)) if uid != 0 && uid != geteuid().as_raw() => {
                Err(ureq::Error::Other(Box::new(ForeignListener(uid))))
            }
            _ => Ok(chained),
        }
    }
}

/// Notes that a request is being written: the last connector of the chain, so a TLS handshake does not count.
#[derive(Debug)]
pub struct Watch(pub Arc<AtomicBool>);

impl<In: Transport> Connector<In> for Watch {
    type Out = Watched<In>;

    fn connect(&self, _: &ConnectionDetails, chained: Option<In>) -> Result<Option<Self::Out>, ureq::Error> {
        Ok(chained.map(|inner| Watched { inner, written: Arc::clone(&self.0) }))
    }
}

/// A transport whose first write leaves a mark.
#[derive(Debug)]
pub struct Watched<In> {
    inner: In,
    written: Arc<AtomicBool>,
}

impl<In: Transport> Transport for Watched<In> {
    fn buffers(&mut self) -> &mut dyn Buffers {
        self.inner.buffers()
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), ureq::Error> {
        self.written.store(true, Ordering::Relaxed);
        self.inner.transmit_output(amount, timeout)
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, ureq::Error> {
        loop {
            match self.inner.await_input(timeout) {
                // A process that was stopped and goes on.
                Err(ureq::Error::Io(error)) if error.kind() == io::ErrorKind::Interrupted => {}
                other => return other,
            }
        }
    }

    fn is_open(&mut self) -> bool {
        self.inner.is_open()
    }

    fn is_tls(&self) -> bool {
        self.inner.is_tls()
    }
}
