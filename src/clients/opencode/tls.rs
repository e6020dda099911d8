//! HTTPS to a server on the loopback: a front such as a reverse proxy, for OpenCode itself speaks plain HTTP.
//!
//! Certificates are verified against the system's roots, or those that `SSL_CERT_FILE` and `SSL_CERT_DIR` name.

use std::env::split_paths;
use std::fmt;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::verify_server_name;
use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{
    CertificateError, ClientConfig, ClientConnection, DigitallySignedStruct, OtherError, RootCertStore,
    SignatureScheme, StreamOwned,
};
use rustls_native_certs::{load_certs_from_paths, load_native_certs};
use ureq::unversioned::transport::{
    Buffers, ConnectionDetails, Connector, Either, LazyBuffers, NextTimeout, Transport, TransportAdapter,
};

use crate::environment::Environment;

/// No secure connection came about; nothing of the request was written.
#[derive(Debug)]
pub struct TlsFailure(String);

impl fmt::Display for TlsFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TlsFailure {}

fn failure(error: impl fmt::Display) -> ureq::Error {
    ureq::Error::Other(Box::new(TlsFailure(error.to_string())))
}

/// Wraps the connection in TLS where the URL says `https`; the handshake is complete when it returns.
#[derive(Debug)]
pub struct Tls {
    environment: Environment,
    config: OnceLock<Arc<ClientConfig>>,
}

impl Tls {
    /// TLS that trusts what this environment names, else what the system does.
    pub fn new(environment: Environment) -> Tls {
        Tls { environment, config: OnceLock::new() }
    }
}

impl<In: Transport> Connector<In> for Tls {
    type Out = Either<In, TlsTransport<In>>;

    fn connect(&self, details: &ConnectionDetails, chained: Option<In>) -> Result<Option<Self::Out>, ureq::Error> {
        let Some(inner) = chained else { return Ok(None) };
        if !details.needs_tls() {
            return Ok(Some(Either::A(inner)));
        }
        let host = details.uri.host().unwrap_or_default().trim_matches(['[', ']']).to_owned();
        let name = ServerName::try_from(host).map_err(failure)?;
        let config = match self.config.get() {
            Some(config) => Arc::clone(config),
            None => {
                let config = Arc::new(client_config(&self.environment).map_err(failure)?);
                Arc::clone(self.config.get_or_init(|| config))
            }
        };
        let mut connection = ClientConnection::new(config, name).map_err(failure)?;
        let mut socket = TransportAdapter::new(inner, Arc::clone(&details.current_time));
        socket.set_timeout(details.timeout);
        while connection.is_handshaking() {
            connection.complete_io(&mut socket).map_err(|error| match error.downcast::<ureq::Error>() {
                Ok(error) => error,
                Err(error) => failure(error),
            })?;
        }
        let buffers = LazyBuffers::new(details.config.input_buffer_size(), details.config.output_buffer_size());
        Ok(Some(Either::B(TlsTransport { buffers, stream: StreamOwned::new(connection, socket) })))
    }
}

/// A TLS connection over another transport.
pub struct TlsTransport<In: Transport> {
    buffers: LazyBuffers,
    stream: StreamOwned<ClientConnection, TransportAdapter<In>>,
}

impl<In: Transport> fmt::Debug for TlsTransport<In> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TlsTransport")
    }
}

impl<In: Transport> Transport for TlsTransport<In> {
    fn buffers(&mut self) -> &mut dyn Buffers {
        &mut self.buffers
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), ureq::Error> {
        self.stream.sock.set_timeout(timeout);
        let output = &self.buffers.output()[..amount];
        Ok(self.stream.write_all(output)?)
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, ureq::Error> {
        self.stream.sock.set_timeout(timeout);
        let amount = self.stream.read(self.buffers.input_append_buf())?;
        self.buffers.input_appended(amount);
        Ok(amount > 0)
    }

    fn is_open(&mut self) -> bool {
        self.stream.sock.get_mut().is_open()
    }

    fn is_tls(&self) -> bool {
        true
    }
}

/// The certificates of `SSL_CERT_FILE` and of the directories in `SSL_CERT_DIR`; without both, the system's.
fn trusted(environment: &Environment) -> Vec<CertificateDer<'static>> {
    let file = environment.get("SSL_CERT_FILE").map(PathBuf::from);
    let list = environment.get("SSL_CERT_DIR").unwrap_or_default();
    let directories: Vec<PathBuf> = split_paths(&list).filter(|path| !path.as_os_str().is_empty()).collect();
    if file.is_none() && directories.is_empty() {
        return load_native_certs().certs;
    }
    let mut certificates = load_certs_from_paths(file.as_deref(), None).certs;
    certificates.extend(directories.iter().flat_map(|path| load_certs_from_paths(None, Some(path)).certs));
    certificates
}

fn client_config(environment: &Environment) -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(ring::default_provider());
    let trusted = trusted(environment);
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(trusted.iter().cloned());
    let chain = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider))
        .build()
        .map_err(|error| rustls::Error::Other(OtherError(Arc::new(error))))?;
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(Verifier { chain, trusted }))
        .with_no_client_auth();
    config.resumption = rustls::client::Resumption::disabled();
    Ok(config)
}

/// The usual verification, and one thing more that other programs accept: a server that shows the very certificate
/// which the roots name, though that is marked as an authority (what `openssl req -x509` makes).
#[derive(Debug)]
struct Verifier {
    chain: Arc<WebPkiServerVerifier>,
    trusted: Vec<CertificateDer<'static>>,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        shown: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let verdict = self.chain.verify_server_cert(shown, intermediates, name, ocsp, now);
        match &verdict {
            // The library judges the dates before the kind of certificate, so those are right here; the name is not
            // judged yet.
            Err(rustls::Error::InvalidCertificate(CertificateError::Other(OtherError(cause))))
                if cause.downcast_ref() == Some(&webpki::Error::CaUsedAsEndEntity) && self.trusted.contains(shown) =>
            {
                verify_server_name(&ParsedCertificate::try_from(shown)?, name)?;
                Ok(ServerCertVerified::assertion())
            }
            _ => verdict,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        shown: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.chain.verify_tls12_signature(message, shown, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        shown: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.chain.verify_tls13_signature(message, shown, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.chain.supported_verify_schemes()
    }
}
