//! Whose server listens at a TCP port.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use super::Hidden;

/// How much of each table of sockets is read, in bytes; about 25,000 sockets.
const TABLE_LIMIT: u64 = 4 << 20;

/// Rows are read one by one: the kernel searches for a row when it is read, and the search after the last one takes 2
/// ms.
const ROW: usize = 256;

/// The user whose server listens at the first of `addresses` that has a listener; none where no listener is listed (a
/// port that is forwarded).
///
/// # Errors
/// The system does not list its listeners.
pub fn listener_user(addresses: &[SocketAddr]) -> Result<Option<u32>, Hidden> {
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"];
    if tables.iter().all(|table| open(table).is_none()) {
        return Err(Hidden);
    }
    Ok(addresses.iter().find_map(|address| {
        let exact = |table| listener(open(table)?, &exact_places(address));
        let wildcard = |table| listener(open(table)?, &wildcard_places(address));
        tables.into_iter().find_map(exact).or_else(|| tables.into_iter().find_map(wildcard))
    }))
}

fn open(path: &str) -> Option<impl BufRead> {
    File::open(path).ok().map(|file| BufReader::with_capacity(ROW, file.take(TABLE_LIMIT)))
}

/// How the tables spell a listener at just this address; the kernel prefers it to one at every address.
fn exact_places(address: &SocketAddr) -> Vec<String> {
    let port = address.port();
    match address.ip() {
        IpAddr::V4(ip) => vec![place(&ip.octets(), port), place(&ip.to_ipv6_mapped().octets(), port)],
        IpAddr::V6(ip) => vec![place(&ip.octets(), port)],
    }
}

/// How the tables spell a listener at every address that also serves this one.
fn wildcard_places(address: &SocketAddr) -> Vec<String> {
    let v6 = place(&Ipv6Addr::UNSPECIFIED.octets(), address.port());
    if address.is_ipv4() { vec![place(&[0; 4], address.port()), v6] } else { vec![v6] }
}

/// The owner of the listening socket at one of `places`.
fn listener(table: impl BufRead, places: &[String]) -> Option<u32> {
    table.lines().map_while(Result::ok).find_map(|line| {
        let mut words = line.split_ascii_whitespace().skip(1);
        let (local, state) = (words.next()?, words.nth(1)?);
        let uid = words.nth(3)?.parse().ok()?;
        (state == "0A" && places.iter().any(|place| place == local)).then_some(uid)
    })
}

/// An address in the kernel's spelling: 32-bit words of the machine's own byte order, in hexadecimal.
fn place(octets: &[u8], port: u16) -> String {
    let mut text = String::new();
    for word in octets.chunks_exact(4) {
        text.push_str(&format!("{:08X}", u32::from_ne_bytes([word[0], word[1], word[2], word[3]])));
    }
    text + &format!(":{port:04X}")
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;
    use crate::noise;

    const TABLE: &str = "\
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1000 00000000:0000 01 00000000:00000000 00:00000000 00000000  9999        0 1
   1: 00000000:1000 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1001        0 2
   2: 0100007F:1000 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1002        0 3
   3: 00000000000000000000000000000000:1001 00000000000000000000000000000000:0000 0A \
      00000000:00000000 00:00000000 00000000  1003        0 4
";

    #[test]
    #[cfg(target_endian = "little")]
    fn the_exact_listener_comes_before_a_wildcard() {
        let of = |text: &str| {
            let address = text.parse().expect("an address");
            let at = |places: Vec<String>| listener(TABLE.as_bytes(), &places);
            at(exact_places(&address)).or_else(|| at(wildcard_places(&address)))
        };
        assert_eq!(of("127.0.0.1:4096"), Some(1002));
        assert_eq!(of("127.0.0.2:4096"), Some(1001));
        assert_eq!(of("127.0.0.1:4097"), Some(1003));
        assert_eq!(of("[::1]:4097"), Some(1003));
        assert_eq!(of("[::1]:4096"), None);
    }

    #[test]
    fn a_listener_has_its_user() {
        let socket = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = socket.local_addr().expect("its address");
        let me = nix::unistd::geteuid().as_raw();
        let expected = if cfg!(target_os = "linux") { Ok(Some(me)) } else { Err(Hidden) };
        assert_eq!(listener_user(&[address]), expected);
    }

    #[test]
    fn a_table_of_any_form_is_read() {
        let places = exact_places(&"127.0.0.1:4096".parse().expect("an address"));
        noise::each(noise::bytes(&[TABLE, "   2: 0100007F:1000 00000000:0000 0A"]), |table| {
            let _ = listener(&table[..], &places);
        });
    }
}
