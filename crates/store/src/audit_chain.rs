//! The hash chains of the audit log, one per project and one for the installation.
//!
//! Requests only insert entries. A writer appends them here in batches, so unrelated requests do not wait for each other.

use chrono::{DateTime, Utc};
use reflect_rules::audit_chain::{AuditHash, head_message, link_hash};
use reflect_types::{CrashPoint, ProjectId};
use sqlx::postgres::PgRow;
use sqlx::{Connection, FromRow, PgConnection, Row};
use uuid::Uuid;

use crate::audit::AuditRow;
use crate::db::Db;
use crate::error::StoreError;

/// Entries per transaction of the writer.
const BATCH: i64 = 500;
/// The hash of an entry that was removed before it was linked. No entry has it.
const NO_ENTRY: AuditHash = [0; 32];

/// The end of a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChainEnd {
    /// The project, or the installation.
    pub chain: ProjectId,
    /// The number of the last link.
    pub sequence: i64,
    /// Its hash.
    pub hash: AuditHash,
}

/// A signed end of a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedHead {
    /// What is signed.
    pub end: ChainEnd,
    /// When it was signed.
    pub signed_at: DateTime<Utc>,
    /// Which key signed it.
    pub key_id: String,
    /// The Ed25519 signature.
    pub signature: Vec<u8>,
}

impl SignedHead {
    /// The bytes that are signed.
    pub fn message(end: &ChainEnd, signed_at: DateTime<Utc>) -> Vec<u8> {
        head_message(end.chain.number(), end.sequence, &end.hash, signed_at.timestamp_micros())
    }
}

/// A link with its entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainLink {
    /// Its number in the chain.
    pub sequence: i64,
    /// Its entry.
    pub audit_id: Uuid,
    /// The hash of the entry when it was linked.
    pub entry_hash: AuditHash,
    /// The hash of the link.
    pub hash: AuditHash,
    /// The entry. `None` if it is not there.
    pub entry: Option<AuditRow>,
}

/// How long a chain is, and how many entries wait for their link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx::FromRow)]
pub struct ChainLength {
    /// The project, or the installation.
    pub chain: ProjectId,
    /// The number of the last link.
    pub sequence: i64,
    /// How many entries wait.
    pub waiting: i64,
}

fn hash(row: &PgRow, column: &str) -> Result<AuditHash, sqlx::Error> {
    let bytes: Vec<u8> = row.try_get(column)?;
    bytes.try_into().map_err(|_| sqlx::Error::Decode("a stored hash has the wrong length".into()))
}

/// The entry of a row from an outer join.
fn entry(row: &PgRow) -> Result<Option<AuditRow>, sqlx::Error> {
    let actor: Option<String> = row.try_get("actor")?;
    actor.map(|_| AuditRow::from_row(row)).transpose()
}

impl FromRow<'_, PgRow> for ChainEnd {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            chain: row.try_get("chain")?,
            sequence: row.try_get("sequence")?,
            hash: hash(row, "hash")?,
        })
    }
}

impl FromRow<'_, PgRow> for SignedHead {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            end: ChainEnd::from_row(row)?,
            signed_at: row.try_get("signed_at")?,
            key_id: row.try_get("key_id")?,
            signature: row.try_get("signature")?,
        })
    }
}

impl FromRow<'_, PgRow> for ChainLink {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            sequence: row.try_get("sequence")?,
            audit_id: row.try_get("audit_id")?,
            entry_hash: hash(row, "entry_hash")?,
            hash: hash(row, "hash")?,
            entry: entry(row)?,
        })
    }
}

/// An entry that waits for its link.
struct Unchained {
    audit_id: Uuid,
    entry: Option<AuditRow>,
    linked: bool,
}

impl FromRow<'_, PgRow> for Unchained {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        Ok(Self { audit_id: row.try_get("audit_id")?, entry: entry(row)?, linked: row.try_get("linked")? })
    }
}

/// The hash chains of the audit log.
#[derive(Debug, Clone, Copy)]
pub struct AuditChainStore<'a> {
    pub(crate) db: &'a Db,
}

impl AuditChainStore<'_> {
    /// The chains with entries that wait.
    pub async fn waiting(&self) -> Result<Vec<ProjectId>, StoreError> {
        let chains = sqlx::query_scalar(include_str!("../sql/audit_chain/waiting.sql"));
        Ok(chains.fetch_all(&self.db.pools.reads).await?)
    }

    /// Links a batch of waiting entries. Returns how many; 0 also if another process is linking entries of this chain.
    pub async fn append(&self, chain: ProjectId) -> Result<usize, StoreError> {
        let mut transaction = self.db.project(chain).write().await?;
        let ensure = sqlx::query(include_str!("../sql/audit_chain/ensure.sql")).bind(chain);
        ensure.execute(&mut *transaction).await?;
        let end: Option<(i64, Vec<u8>)> = sqlx::query_as(include_str!("../sql/audit_chain/lock.sql"))
            .bind(chain)
            .fetch_optional(&mut *transaction)
            .await?;
        let Some((sequence, last)) = end else { return Ok(0) };
        let corrupt = StoreError::Corrupt { what: "hash of the audit log" };
        let mut last: AuditHash = last.try_into().map_err(|_| corrupt)?;
        let unchained: Vec<Unchained> = sqlx::query_as(include_str!("../sql/audit_chain/unchained.sql"))
            .bind(chain)
            .bind(BATCH)
            .fetch_all(&mut *transaction)
            .await?;
        let mut next = sequence;
        let (mut ids, mut entries, mut hashes) = (Vec::new(), Vec::new(), Vec::new());
        for waiting in unchained.iter().filter(|waiting| !waiting.linked) {
            next += 1;
            let entry = waiting.entry.as_ref().map_or(NO_ENTRY, AuditRow::hash);
            last = link_hash(&last, next, waiting.audit_id.as_bytes(), &entry);
            ids.push(waiting.audit_id);
            entries.push(entry.to_vec());
            hashes.push(last.to_vec());
        }
        let link = sqlx::query(include_str!("../sql/audit_chain/link.sql")).bind(chain).bind(sequence);
        link.bind(&ids).bind(entries).bind(hashes).execute(&mut *transaction).await?;
        let advance = sqlx::query(include_str!("../sql/audit_chain/advance.sql")).bind(chain).bind(next);
        advance.bind(last.as_slice()).execute(&mut *transaction).await?;
        let seen: Vec<Uuid> = unchained.iter().map(|waiting| waiting.audit_id).collect();
        let done = sqlx::query(include_str!("../sql/audit_chain/done.sql")).bind(chain).bind(&seen);
        done.execute(&mut *transaction).await?;
        transaction.commit_at(CrashPoint::AuditAppend).await?;
        Ok(seen.len())
    }

    /// The ends of chains without a signature.
    pub async fn unsigned(&self) -> Result<Vec<ChainEnd>, StoreError> {
        let ends = sqlx::query_as(include_str!("../sql/audit_chain/unsigned.sql"));
        Ok(ends.fetch_all(&self.db.pools.reads).await?)
    }

    /// Stores a signature.
    pub async fn sign(&self, head: &SignedHead) -> Result<(), StoreError> {
        sqlx::query(include_str!("../sql/audit_chain/sign.sql"))
            .bind(head.end.chain)
            .bind(head.end.sequence)
            .bind(head.end.hash.as_slice())
            .bind(head.signed_at)
            .bind(&head.key_id)
            .bind(&head.signature)
            .execute(&self.db.pools.writes)
            .await?;
        Ok(())
    }

    /// All chains, also of deleted projects.
    pub async fn lengths(&self) -> Result<Vec<ChainLength>, StoreError> {
        let lengths = sqlx::query_as(include_str!("../sql/audit_chain/ends.sql"));
        Ok(lengths.fetch_all(&self.db.pools.reads).await?)
    }

    /// The links of a chain after a number, in their order.
    pub async fn links(
        &self,
        chain: ProjectId,
        after: i64,
        limit: i64,
    ) -> Result<Vec<ChainLink>, StoreError> {
        let mut transaction = self.db.project(chain).read().await?;
        let links = sqlx::query_as(include_str!("../sql/audit_chain/links.sql"));
        let links = links.bind(chain).bind(after).bind(limit).fetch_all(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(links)
    }

    /// The signatures of a chain, oldest first.
    pub async fn heads(&self, chain: ProjectId) -> Result<Vec<SignedHead>, StoreError> {
        let heads = sqlx::query_as(include_str!("../sql/audit_chain/heads.sql")).bind(chain);
        Ok(heads.fetch_all(&self.db.pools.reads).await?)
    }

    /// Entries since a time that are neither linked nor waiting. At most 100.
    pub async fn unlinked(&self, chain: ProjectId, since: DateTime<Utc>) -> Result<Vec<Uuid>, StoreError> {
        let mut transaction = self.db.project(chain).read().await?;
        let unlinked = sqlx::query_scalar(include_str!("../sql/audit_chain/unlinked.sql"));
        let unlinked = unlinked.bind(chain).bind(since).fetch_all(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(unlinked)
    }

    /// Removes the links of expired audit entries, with the rights of the tables' owner.
    pub async fn prune(&self) -> Result<(), StoreError> {
        let mut connection = PgConnection::connect_with(&self.db.owner).await?;
        let mut after = -1;
        loop {
            let page = sqlx::query_as(include_str!("../sql/maintenance/prune_audit_chains.sql")).bind(after);
            let (last, is_complete): (Option<i32>, bool) = page.fetch_one(&mut connection).await?;
            match last {
                Some(last) if is_complete => after = last,
                Some(_) => {}
                None => break,
            }
        }
        connection.close().await?;
        Ok(())
    }
}
