//! Digests, and the secret token of a handoff.

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac_sha256::Hash;
use subtle::ConstantTimeEq;

/// Bytes of a token; written as 43 characters of base64url without padding.
const TOKEN_BYTES: usize = 32;

/// SHA-256 (by a library that does not ask the processor for its features first: on a virtual machine that takes longer
/// than what is digested here) of one text, or of several, each behind its length; 64 hexadecimal digits.
pub fn hex_digest(parts: &[&[u8]]) -> String {
    let mut hash = Hash::new();
    for part in parts {
        // Without the lengths, what is moved from one part to the next would make no difference.
        if parts.len() > 1 {
            hash.update((part.len() as u64).to_be_bytes());
        }
        hash.update(part);
    }
    hash.finalize().iter().fold(String::with_capacity(64), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// A new token; none where the system has no randomness.
pub fn token() -> Option<String> {
    let mut bytes = [0; TOKEN_BYTES];
    getrandom::fill(&mut bytes).ok()?;
    Some(URL_SAFE_NO_PAD.encode(bytes))
}

/// Whether a text is a token in its one spelling.
pub fn is_token(text: &str) -> bool {
    URL_SAFE_NO_PAD.decode(text).is_ok_and(|bytes| bytes.len() == TOKEN_BYTES)
}

/// Whether two digests are the same, compared in constant time.
pub fn is_same(one: &str, other: &str) -> bool {
    one.as_bytes().ct_eq(other.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::{hex_digest, is_same, is_token, token};

    #[test]
    fn a_digest_is_sha_256() {
        // The test vector of FIPS 180-4 for "abc".
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(hex_digest(&[b"abc"]), abc);
        assert_ne!(hex_digest(&[b"ab", b"c"]), hex_digest(&[b"a", b"bc"]));
        assert!(is_same(abc, abc) && !is_same(abc, &abc[1..]));
    }

    #[test]
    fn a_token_has_one_spelling() {
        let token = token().unwrap();
        assert!(token.len() == 43 && is_token(&token));
        // The last character carries two bits that must be 0.
        let last = token.chars().last().unwrap();
        let canonical = "AEIMQUYcgkosw048";
        assert!(canonical.contains(last));
        for wrong in [&token[1..], &format!("{token}A"), &format!("{token}="), &format!("{}B", &token[..42])] {
            assert!(!is_token(wrong), "{wrong}");
        }
    }
}
