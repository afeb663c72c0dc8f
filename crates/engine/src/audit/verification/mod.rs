//! Verifies one chain, link by link. Pure: the service reads the links and the signatures.
//!
//! A chain alone proves nothing about its database, because its owner can compute it again. A signature with a key outside of
//! the database proves every link up to the signed one.

use std::collections::BTreeMap;
use std::fmt;

use chrono::{DateTime, TimeDelta, Utc};
use reflect_rules::audit_chain::{AuditHash, START, link_hash};
use reflect_store::{ChainLink, SignedHead};
use reflect_types::ProjectId;
use uuid::Uuid;

use super::key::AuditPublicKey;

/// The server signs every ten minutes. An entry of this age without a signature is suspicious.
const LONGEST_UNSIGNED: TimeDelta = TimeDelta::hours(1);
/// A request can begin this long before its entry is chained and signed.
const LONGEST_REQUEST: TimeDelta = TimeDelta::minutes(10);

/// Something that an honest database does not contain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChainProblem {
    /// An entry has other content than when it was chained.
    Changed {
        /// Its place in the chain.
        sequence: i64,
        /// Its id.
        entry: Uuid,
    },
    /// An entry is not there, and has not expired.
    Removed {
        /// Its place in the chain.
        sequence: i64,
        /// Its id.
        entry: Uuid,
    },
    /// Links are missing.
    Gap {
        /// The first missing one.
        from: i64,
        /// The last missing one.
        to: i64,
    },
    /// A link does not follow from the link before it.
    Broken {
        /// Its place in the chain.
        sequence: i64,
    },
    /// A link differs from what was signed: the chain was computed again.
    Rewritten {
        /// Its place in the chain.
        sequence: i64,
    },
    /// A signature exists for a link after the last one.
    Truncated {
        /// The last link.
        last: i64,
        /// The signed one.
        signed: i64,
    },
    /// A signature is not valid.
    Forged {
        /// The link that it claims to sign.
        sequence: i64,
    },
    /// A signature was made with a key that was not given.
    UnknownKey {
        /// The link that it claims to sign.
        sequence: i64,
        /// The key that it names.
        key_id: String,
    },
    /// Links have no signature although they are old enough.
    Unsigned {
        /// The first link without a signature.
        from: i64,
    },
    /// Entries are neither in the chain nor waiting for it.
    Unlinked {
        /// How many, at most 100.
        entries: usize,
        /// The oldest.
        first: Uuid,
    },
}

impl fmt::Display for ChainProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Changed { sequence, entry } => {
                write!(f, "entry {sequence} ({entry}) was changed after it was chained")
            }
            Self::Removed { sequence, entry } => write!(f, "entry {sequence} ({entry}) was removed"),
            Self::Gap { from, to } => write!(f, "links {from} to {to} were removed"),
            Self::Broken { sequence } => write!(f, "link {sequence} does not follow from the link before it"),
            Self::Rewritten { sequence } => {
                write!(f, "link {sequence} differs from what was signed: the chain was computed again")
            }
            Self::Truncated { last, signed } => {
                write!(
                    f,
                    "the chain ends at link {last}, but link {signed} was signed: the newest entries were removed"
                )
            }
            Self::Forged { sequence } => write!(f, "the signature of link {sequence} is not valid"),
            Self::UnknownKey { sequence, key_id } => {
                write!(f, "link {sequence} was signed with the key {key_id}, which was not given")
            }
            Self::Unsigned { from } => write!(
                f,
                "links from {from} on are older than an hour and have no signature: no server signs, or signatures were removed"
            ),
            Self::Unlinked { entries, first } => {
                write!(f, "{entries} entries are not part of the chain; the oldest is {first}")
            }
        }
    }
}

/// Up to where a chain is proved by a signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SignedThrough {
    /// The signed link.
    pub sequence: i64,
    /// When it was signed.
    pub at: DateTime<Utc>,
}

/// The result for one chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainReport {
    /// The project, or the installation.
    pub chain: ProjectId,
    /// How many links were verified.
    pub links: u64,
    /// Up to where changes would be found.
    pub signed: Option<SignedThrough>,
    /// How many links after that have no signature yet.
    pub unsigned: u64,
    /// How many entries wait for their link.
    pub waiting: u64,
    /// How many entries carry a time from before the signature that precedes them: imported, or written by hand.
    pub back_dated: u64,
    /// What is wrong.
    pub problems: Vec<ChainProblem>,
}

/// What the rules of a verification depend on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Times {
    /// The time of the verification.
    pub(super) now: DateTime<Utc>,
    /// Entries from before this time may have expired.
    pub(super) expiry: DateTime<Utc>,
}

/// Verifies the links of one chain, in their order.
pub(super) struct ChainVerifier {
    times: Times,
    heads: BTreeMap<i64, SignedHead>,
    /// Number and hash of the last link. The hash is `None` if it cannot be known.
    last: Option<(i64, Option<AuditHash>)>,
    newest_signature: Option<DateTime<Utc>>,
    first_unsigned: Option<(i64, DateTime<Utc>)>,
    report: ChainReport,
}

impl ChainVerifier {
    /// Checks the signatures. Without a key, none of them counts and none is a problem.
    pub(super) fn new(
        chain: ProjectId,
        heads: Vec<SignedHead>,
        keys: &[AuditPublicKey],
        times: Times,
    ) -> Self {
        let mut problems = Vec::new();
        let mut valid = BTreeMap::new();
        for head in heads.into_iter().filter(|_| !keys.is_empty()) {
            let sequence = head.end.sequence;
            let message = SignedHead::message(&head.end, head.signed_at);
            match keys.iter().find(|key| key.id() == head.key_id) {
                None => problems.push(ChainProblem::UnknownKey { sequence, key_id: head.key_id }),
                Some(key) if head.end.chain != chain || !key.verifies(&message, &head.signature) => {
                    problems.push(ChainProblem::Forged { sequence });
                }
                Some(_) => {
                    valid.insert(sequence, head);
                }
            }
        }
        let report =
            ChainReport { chain, links: 0, signed: None, unsigned: 0, waiting: 0, back_dated: 0, problems };
        Self { times, heads: valid, last: None, newest_signature: None, first_unsigned: None, report }
    }

    pub(super) fn link(&mut self, link: &ChainLink) {
        let before = self.before(link.sequence);
        self.check_entry(link);
        if let Some(before) = before
            && link_hash(&before, link.sequence, link.audit_id.as_bytes(), &link.entry_hash) != link.hash
        {
            self.report.problems.push(ChainProblem::Broken { sequence: link.sequence });
        }
        let made_at = made_at(link.audit_id);
        if self.newest_signature.is_some_and(|signed| made_at < signed - LONGEST_REQUEST) {
            self.report.back_dated += 1;
        }
        match self.heads.get(&link.sequence) {
            Some(head) if head.end.hash != link.hash => {
                self.report.problems.push(ChainProblem::Rewritten { sequence: link.sequence });
            }
            Some(head) => {
                self.report.signed = Some(SignedThrough { sequence: link.sequence, at: head.signed_at });
                self.newest_signature = self.newest_signature.max(Some(head.signed_at));
                self.report.unsigned = 0;
                self.first_unsigned = None;
            }
            None => {
                self.report.unsigned += 1;
                let oldest = self.first_unsigned.map_or(made_at, |(_, oldest)| oldest.min(made_at));
                let first = self.first_unsigned.map_or(link.sequence, |(first, _)| first);
                self.first_unsigned = Some((first, oldest));
            }
        }
        self.report.links += 1;
        self.last = Some((link.sequence, Some(link.hash)));
    }

    /// The hash before a link. A gap is a problem, unless it is at the start and a signature from before the expiry of
    /// entries covers it.
    fn before(&mut self, sequence: i64) -> Option<AuditHash> {
        let (last, hash) = self.last.unwrap_or((0, Some(START)));
        if sequence == last + 1 {
            return hash;
        }
        let checkpoint = self.heads.get(&(sequence - 1)).filter(|_| self.last.is_none());
        if let Some(checkpoint) = checkpoint.filter(|head| head.signed_at <= self.times.expiry) {
            return Some(checkpoint.end.hash);
        }
        self.report.problems.push(ChainProblem::Gap { from: last + 1, to: sequence - 1 });
        None
    }

    fn check_entry(&mut self, link: &ChainLink) {
        let (sequence, entry) = (link.sequence, link.audit_id);
        match &link.entry {
            Some(found) if found.hash() != link.entry_hash => {
                self.report.problems.push(ChainProblem::Changed { sequence, entry });
            }
            None if made_at(entry) > self.times.expiry => {
                self.report.problems.push(ChainProblem::Removed { sequence, entry });
            }
            _ => {}
        }
    }

    /// The report. `signs` says whether a key was given, so that missing signatures are a problem.
    pub(super) fn finish(mut self, signs: bool, waiting: u64, unlinked: &[Uuid]) -> ChainReport {
        let last = self.last.map_or(0, |(last, _)| last);
        let newest = self.heads.keys().next_back().copied().unwrap_or(0);
        // After everything has expired, the last signature stays although there is no link.
        let expired = |head: &SignedHead| head.signed_at <= self.times.expiry;
        if newest > last && !(last == 0 && self.heads.get(&newest).is_some_and(expired)) {
            self.report.problems.push(ChainProblem::Truncated { last, signed: newest });
        }
        if let Some((from, oldest)) = self.first_unsigned
            && signs
            && oldest < self.times.now - LONGEST_UNSIGNED
        {
            self.report.problems.push(ChainProblem::Unsigned { from });
        }
        if let Some(first) = unlinked.first() {
            self.report.problems.push(ChainProblem::Unlinked { entries: unlinked.len(), first: *first });
        }
        self.report.waiting = waiting;
        self.report
    }
}

/// When an entry was made, from its id.
fn made_at(entry: Uuid) -> DateTime<Utc> {
    let (seconds, nanoseconds) = entry.get_timestamp().map_or((0, 0), |time| time.to_unix());
    let seconds = i64::try_from(seconds).unwrap_or(i64::MAX);
    DateTime::from_timestamp(seconds, nanoseconds).unwrap_or(DateTime::UNIX_EPOCH)
}

#[cfg(test)]
mod tests;
