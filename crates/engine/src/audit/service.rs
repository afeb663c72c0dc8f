//! Chains, signs and verifies the audit log.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use chrono::{DateTime, TimeDelta, Utc};
use reflect_store::{ChainLength, SignedHead, Store, StoreError};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::head_text::head_text;
use super::key::{AuditKey, AuditPublicKey};
use super::verification::{ChainReport, ChainVerifier, Times};

/// How soon a new entry is chained. If there is none, a round is one query that finds nothing.
const CHAIN_EVERY: Duration = Duration::from_secs(5);
/// Changes that are made before the next signature cannot be found. An active project gets at most 144 signatures a day.
const SIGN_EVERY: Duration = Duration::from_secs(10 * 60);
/// Links per page of a verification.
const PAGE: i64 = 1000;

/// How a verification is done.
#[derive(Debug, Clone)]
pub struct VerificationSettings {
    /// The keys whose signatures count. Empty: only the chain itself is checked.
    pub keys: Vec<AuditPublicKey>,
    /// Signatures from outside of the database.
    pub heads: Vec<SignedHead>,
    /// How long entries are kept.
    pub retention: TimeDelta,
    /// The time of the verification.
    pub now: DateTime<Utc>,
}

/// Chains, signs and verifies the audit log.
#[derive(Debug, Clone)]
pub struct AuditLog {
    store: Store,
    key: Option<Arc<AuditKey>>,
}

impl AuditLog {
    pub(crate) const fn new(store: Store, key: Option<Arc<AuditKey>>) -> Self {
        Self { store, key }
    }

    /// Chains new entries every few seconds and signs the ends of chains, until `stop` is cancelled.
    pub async fn run(&self, stop: CancellationToken) {
        let mut sign_at = Instant::now();
        loop {
            let signs = Instant::now() >= sign_at;
            if signs {
                sign_at = Instant::now() + SIGN_EVERY;
            }
            // Stopping in the middle is safe: uncommitted work is repeated next time.
            let round = tokio::select! {
                () = stop.cancelled() => return,
                round = self.round(signs) => round,
            };
            if let Err(error) = round {
                tracing::warn!(%error, "the audit log could not be chained and will be tried again: {error}");
            }
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(CHAIN_EVERY) => {}
            }
        }
    }

    async fn round(&self, signs: bool) -> Result<(), StoreError> {
        self.chain_entries().await?;
        if signs {
            self.sign_chains(SystemTime::now().into()).await?;
        }
        Ok(())
    }

    /// Chains all waiting entries. Returns how many.
    pub async fn chain_entries(&self) -> Result<usize, StoreError> {
        let chains = self.store.maintenance().audit_chains();
        let mut chained = 0;
        for chain in chains.waiting().await? {
            loop {
                match chains.append(chain).await? {
                    0 => break,
                    more => chained += more,
                }
            }
        }
        Ok(chained)
    }

    /// Signs the ends of chains that have no signature. Returns how many. Does nothing without a key.
    pub async fn sign_chains(&self, now: DateTime<Utc>) -> Result<usize, StoreError> {
        let Some(key) = &self.key else { return Ok(0) };
        // The database stores microseconds.
        let now = DateTime::from_timestamp_micros(now.timestamp_micros()).unwrap_or(now);
        let ends = self.store.maintenance().audit_chains().unsigned().await?;
        for end in &ends {
            let signature = key.sign(&SignedHead::message(end, now));
            let head = SignedHead { end: *end, signed_at: now, key_id: key.public().id(), signature };
            self.store.maintenance().audit_chains().sign(&head).await?;
            // A copy outside of the database.
            tracing::info!(head = head_text(&head), "signed the audit log of project {}", end.chain.number());
        }
        Ok(ends.len())
    }

    /// Verifies one chain.
    pub async fn verify(
        &self,
        chain: &ChainLength,
        settings: &VerificationSettings,
    ) -> Result<ChainReport, StoreError> {
        let chains = self.store.maintenance().audit_chains();
        let times = Times { now: settings.now, expiry: settings.now - settings.retention };
        let mut heads = chains.heads(chain.chain).await?;
        let outside = settings.heads.iter().filter(|head| head.end.chain == chain.chain);
        heads.extend(outside.cloned());
        let mut verifier = ChainVerifier::new(chain.chain, heads, &settings.keys, times);
        let mut after = 0;
        loop {
            let links = chains.links(chain.chain, after, PAGE).await?;
            let Some(last) = links.last() else { break };
            after = last.sequence;
            links.iter().for_each(|link| verifier.link(link));
        }
        let unlinked = chains.unlinked(chain.chain, times.expiry).await?;
        let waiting = u64::try_from(chain.waiting).unwrap_or_default();
        Ok(verifier.finish(!settings.keys.is_empty(), waiting, &unlinked))
    }

    /// All chains, also of deleted projects, and those that only a signature outside of the database knows.
    pub async fn chains(&self, heads: &[SignedHead]) -> Result<Vec<ChainLength>, StoreError> {
        let mut chains = self.store.maintenance().audit_chains().lengths().await?;
        for head in heads {
            if chains.iter().all(|known| known.chain != head.end.chain) {
                chains.push(ChainLength { chain: head.end.chain, sequence: 0, waiting: 0 });
            }
        }
        Ok(chains)
    }
}
