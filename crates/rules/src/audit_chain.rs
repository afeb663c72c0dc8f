//! The hash chain of the audit log: what the hash of an entry and of a link covers, and what a signature covers.
//!
//! Lengths are part of every hash, so two different lists of fields never give the same bytes.

use sha2::{Digest, Sha256};

/// A SHA-256 value.
pub type AuditHash = [u8; 32];

/// The hash before the first link.
pub const START: AuditHash = [0; 32];

const ENTRY: &[u8] = b"reflect audit entry 1";
const LINK: &[u8] = b"reflect audit link 1";
const HEAD: &[u8] = b"reflect audit head 1";

/// The hash of an entry's fields. An absent field differs from an empty one.
pub fn entry_hash(fields: &[Option<&[u8]>]) -> AuditHash {
    let mut hash = Sha256::new();
    hash.update(ENTRY);
    for field in fields {
        match field {
            None => hash.update([0]),
            Some(bytes) => {
                hash.update([1]);
                hash.update(length(bytes));
                hash.update(bytes);
            }
        }
    }
    hash.finalize().into()
}

/// The hash of a link. It covers the previous link and so all entries before it.
pub fn link_hash(previous: &AuditHash, sequence: i64, entry_id: &[u8; 16], entry: &AuditHash) -> AuditHash {
    let mut hash = Sha256::new();
    hash.update(LINK);
    hash.update(previous);
    hash.update(sequence.to_be_bytes());
    hash.update(entry_id);
    hash.update(entry);
    hash.finalize().into()
}

/// What is signed: the end of a chain at a time, in microseconds since 1970.
pub fn head_message(chain: i32, sequence: i64, hash: &AuditHash, signed_at: i64) -> Vec<u8> {
    [HEAD, &chain.to_be_bytes(), &sequence.to_be_bytes(), hash, &signed_at.to_be_bytes()].concat()
}

fn length(bytes: &[u8]) -> [u8; 8] {
    (bytes.len() as u64).to_be_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_cannot_be_moved_into_each_other() {
        let hash = |fields: &[Option<&[u8]>]| entry_hash(fields);
        assert_ne!(hash(&[Some(b"ab"), Some(b"c")]), hash(&[Some(b"a"), Some(b"bc")]));
        assert_ne!(hash(&[None, Some(b"a")]), hash(&[Some(b"a"), None]));
        assert_ne!(hash(&[None]), hash(&[Some(b"")]));
        assert_eq!(hash(&[Some(b"ab"), None]), hash(&[Some(b"ab"), None]));
    }

    #[test]
    fn a_link_covers_its_place_its_entry_and_everything_before() {
        let link = link_hash(&START, 1, &[7; 16], &[1; 32]);
        assert_ne!(link, link_hash(&START, 2, &[7; 16], &[1; 32]));
        assert_ne!(link, link_hash(&[9; 32], 1, &[7; 16], &[1; 32]));
        assert_ne!(link, link_hash(&START, 1, &[8; 16], &[1; 32]));
        assert_ne!(link, link_hash(&START, 1, &[7; 16], &[2; 32]));
    }
}
