//! The address of an OpenCode server: what `peer add --url` accepts, and where a connection to it may go.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use ureq::http::Uri;
use ureq::http::uri::Authority;

/// The stored form of a server's URL: lower case scheme and host, no trailing `/`. Requests go below its path, which a
/// front that serves several programs gives to each.
///
/// The parser is the one that the connection uses, and a host counts as loopback only in the spelling that
/// [`addresses`] understands: so `127.1`, `0x7f.1`, `2130706433`, `0177.0.0.1` and `127.attacker.example` are all
/// refused.
///
/// # Errors
///
/// `invalid_opencode_url` for another scheme, user info, a query, a fragment or a port outside 1–65535;
/// `opencode_url_must_be_loopback` for any host but `localhost`, 127.0.0.0/8 and `[::1]`.
pub fn server_url(text: &str) -> Result<String, &'static str> {
    const INVALID: &str = "invalid_opencode_url";
    // The parser drops a fragment without a word and reads an empty query or user info as none.
    if text.contains(['#', '?', '@', '\\']) {
        return Err(INVALID);
    }
    let uri: Uri = text.parse().map_err(|_| INVALID)?;
    let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else { return Err(INVALID) };
    if !matches!(scheme, "http" | "https") {
        return Err(INVALID);
    }
    let port = explicit_port(authority).ok_or(INVALID)?;
    let host = match host(authority).ok_or("opencode_url_must_be_loopback")? {
        Host::Localhost => "localhost".to_owned(),
        Host::Ip(IpAddr::V4(ip)) => ip.to_string(),
        Host::Ip(IpAddr::V6(ip)) => format!("[{ip}]"),
    };
    Ok(format!("{scheme}://{host}{port}{}", uri.path().trim_end_matches('/')))
}

/// The socket addresses of a server's URL, in the order in which they are tried; empty where it is none of ours.
///
/// `localhost` is fixed to the two loopback addresses, so that no resolver, hosts file or name server has a say.
pub fn addresses(uri: &Uri) -> Vec<SocketAddr> {
    let Some(authority) = uri.authority() else { return Vec::new() };
    let port = authority.port_u16().unwrap_or(if uri.scheme_str() == Some("https") { 443 } else { 80 });
    match host(authority) {
        Some(Host::Ip(ip)) => vec![(ip, port).into()],
        Some(Host::Localhost) => vec![(Ipv4Addr::LOCALHOST, port).into(), (Ipv6Addr::LOCALHOST, port).into()],
        None => Vec::new(),
    }
}

enum Host {
    Localhost,
    Ip(IpAddr),
}

/// The host where it is a loopback one in plain spelling.
fn host(authority: &Authority) -> Option<Host> {
    let host = authority.host();
    if host.eq_ignore_ascii_case("localhost") {
        return Some(Host::Localhost);
    }
    let ip = match host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(v6) => IpAddr::V6(v6.parse().ok()?),
        // The parser of the standard library takes four decimal numbers without leading zeros and nothing else.
        None => IpAddr::V4(host.parse().ok()?),
    };
    ip.is_loopback().then_some(Host::Ip(ip))
}

/// `:PORT` as it was given, in its plain spelling, or nothing; none where something else follows the host.
fn explicit_port(authority: &Authority) -> Option<String> {
    let rest = authority.as_str().strip_prefix(authority.host())?;
    if rest.is_empty() {
        return Some(String::new());
    }
    let digits = rest.strip_prefix(':')?;
    let port: u16 = digits.parse().ok().filter(|_| digits.bytes().all(|b| b.is_ascii_digit()))?;
    (port > 0).then(|| format!(":{port}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepted_urls_are_stored_in_one_form() {
        for (given, stored) in [
            ("http://127.0.0.1:4096", "http://127.0.0.1:4096"),
            ("http://127.0.0.1:4096/", "http://127.0.0.1:4096"),
            ("HTTPS://LocalHost:08443/", "https://localhost:8443"),
            ("http://127.255.3.4", "http://127.255.3.4"),
            ("http://[::1]:1", "http://[::1]:1"),
            ("http://[0:0:0:0:0:0:0:1]:65535", "http://[::1]:65535"),
            ("http://127.0.0.1/Api", "http://127.0.0.1/Api"),
            ("http://127.0.0.1//", "http://127.0.0.1"),
            ("http://LOCALHOST:9/oc/%41b//", "http://localhost:9/oc/%41b"),
        ] {
            assert_eq!(server_url(given).as_deref(), Ok(stored), "{given}");
            assert_eq!(server_url(stored).as_deref(), Ok(stored), "{stored} again");
        }
    }

    #[test]
    fn other_hosts_are_not_loopback() {
        for given in [
            "http://127.attacker.example",
            "http://127.0.0.1.attacker.example:4096",
            "http://localhost.attacker.example",
            "http://localhost.",
            "http://127.1",
            "http://127.0.1",
            "http://0x7f.1",
            "http://0x7f000001",
            "http://2130706433",
            "http://0177.0.0.1",
            "http://127.0.0.01",
            "http://127.0.0.1.",
            "http://0.0.0.0:4096",
            "http://128.0.0.1",
            "http://192.168.1.2",
            "http://[::]",
            "http://[::2]",
            "http://[::1%25lo]",
            "http://[::ffff:127.0.0.1]",
            "http://[::ffff:10.0.0.1]",
            "https://opencode.ai",
        ] {
            assert_eq!(server_url(given), Err("opencode_url_must_be_loopback"), "{given}");
        }
    }

    #[test]
    fn malformed_urls_are_refused() {
        for given in [
            "",
            "127.0.0.1:4096",
            "localhost",
            "//127.0.0.1",
            "/",
            "ftp://127.0.0.1",
            "file:///etc/passwd",
            "http:127.0.0.1",
            "http:///127.0.0.1",
            "http://",
            "http://user@127.0.0.1",
            "http://user:secret@127.0.0.1",
            "http://@127.0.0.1",
            "http://127.0.0.1@attacker.example",
            "http://127.0.0.1/a b",
            "http://127.0.0.1/api?x",
            "http://127.0.0.1/api#x",
            "http://127.0.0.1?x=1",
            "http://127.0.0.1/?",
            "http://127.0.0.1/#",
            "http://127.0.0.1#x",
            "http://127.0.0.1:",
            "http://127.0.0.1:0",
            "http://127.0.0.1:65536",
            "http://127.0.0.1:99999",
            "http://127.0.0.1:+80",
            "http://127.0.0.1:80:80",
            "http://127.0.0.1 ",
            " http://127.0.0.1",
            "http://127.0.0.1\n",
            "http://127.0.0.1\\@attacker.example",
            "http://[::1",
            "http://[::1]x",
            "http://１２７.0.0.1",
        ] {
            assert_eq!(server_url(given), Err("invalid_opencode_url"), "{given}");
        }
    }

    #[test]
    fn localhost_is_resolved_without_a_resolver() {
        let of = |text: &str| addresses(&text.parse().expect("a URL"));
        assert_eq!(
            of("http://localhost:7"),
            ["127.0.0.1:7".parse().expect("an address"), "[::1]:7".parse().expect("an address")]
        );
        assert_eq!(of("https://127.0.0.2"), ["127.0.0.2:443".parse().expect("an address")]);
        assert!(of("http://127.1:7").is_empty());
    }

    #[test]
    fn whatever_is_accepted_is_loopback_and_stays_as_it_is_stored() {
        let samples =
            &["http://127.0.0.1:4096/oc/", "https://[::1]:08443", "http://localhost", "HTTP://LocalHost:1//a"];
        crate::noise::each(crate::noise::text(samples), |given| {
            let Ok(stored) = server_url(&given) else { return };
            assert_eq!(server_url(&stored).as_deref(), Ok(&*stored), "{given}");
            assert!(!stored.ends_with('/') && !stored.contains(['?', '#', '@', ' ']), "{given} as {stored}");
            let uri: Uri = format!("{stored}/session?directory=x").parse().expect("a URL with a path below it");
            let addresses = addresses(&uri);
            assert!(
                !addresses.is_empty() && addresses.iter().all(|at| at.ip().is_loopback()),
                "{given}: {addresses:?}"
            );
        });
    }
}
