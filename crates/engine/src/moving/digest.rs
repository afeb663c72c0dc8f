//! Digests for comparison. SHA-256, because every system has it.

use sha2::{Digest, Sha256};

/// The digest of rows in any order: the sum of their SHA-256 digests as 256-bit numbers. Two databases may store the
/// same rows in different order; a missing, changed or repeated row changes the sum.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RowsDigest {
    sum: [u8; 32],
}

impl RowsDigest {
    /// Adds one row.
    pub fn add(&mut self, line: &str) {
        self.add_number(&Sha256::digest(line.as_bytes()).into());
    }

    /// Adds all rows of another digest.
    pub fn add_all(&mut self, other: &Self) {
        self.add_number(&other.sum);
    }

    /// Big-endian addition; overflow is dropped.
    fn add_number(&mut self, number: &[u8; 32]) {
        let mut carry = 0;
        for (mine, theirs) in self.sum.iter_mut().zip(number).rev() {
            let sum = u16::from(*mine) + u16::from(*theirs) + carry;
            *mine = (sum & 0xff) as u8;
            carry = sum >> 8;
        }
    }

    /// The digest as hexadecimal text.
    pub fn hex(&self) -> String {
        hex(&self.sum)
    }

    /// Parses hexadecimal text.
    pub fn from_hex(text: &str) -> Option<Self> {
        let mut sum = [0; 32];
        // The parser of numbers also takes a sign.
        if text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        for (at, byte) in sum.iter_mut().enumerate() {
            *byte = u8::from_str_radix(text.get(2 * at..2 * at + 2)?, 16).ok()?;
        }
        Some(Self { sum })
    }
}

/// The digest of a file, as `sha256sum` prints it.
pub fn file_digest(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
