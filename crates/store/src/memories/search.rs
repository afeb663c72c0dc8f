//! The first step of a retrieval: candidates by similarity, with what ranking needs to know of them.
//!
//! This is the seam behind which another kind of search can come in: it answers with ids and
//! similarities, and nothing after it knows how they were found.

use reflect_types::{KeyId, MemoryId, MemoryStatus, TraceId};
use serde_json::{Map, Value};
use sqlx::{Postgres, Transaction};

use crate::error::StoreError;
use crate::project_ctx::{ProjectCtx, SearchBy};
use crate::spaces::SpaceId;

/// Asking for this many times more finds enough, when many of the nearest may not be served.
const WIDER: i64 = 4;
const WIDEST: i64 = 100_000;

/// Which memories are considered at all.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MemoryFilter {
    /// Each of these must be there with that value, or with a list that holds it.
    pub with: Map<String, Value>,
    /// A memory that has all of these is left out.
    pub without: Map<String, Value>,
}

impl MemoryFilter {
    fn is_empty(&self) -> bool {
        self.with.is_empty() && self.without.is_empty()
    }
}

/// A memory that may help.
#[derive(Debug, Clone, Copy, PartialEq, sqlx::FromRow)]
pub struct Candidate {
    /// Its id.
    pub memory_id: MemoryId,
    /// Cosine of the angle to the question, or how many words it shares.
    pub similarity: f32,
    /// Its utility.
    pub q: f32,
    /// What ranking may use instead.
    pub credit: f32,
    /// How much that rests on.
    pub evidence: i32,
    /// The key that it came from, if that is not trusted.
    pub author_key: Option<KeyId>,
    /// The run that it came from, if that key is not trusted.
    pub source_trace: Option<TraceId>,
    status: i16,
}

/// An open search: candidates first, then what is served, in one transaction.
#[derive(Debug)]
pub struct Search {
    pub(super) project: ProjectCtx,
    pub(super) transaction: Transaction<'static, Postgres>,
}

impl ProjectCtx {
    /// Opens a search.
    pub async fn search(&self, by: SearchBy) -> Result<Search, StoreError> {
        Ok(Search { project: self.clone(), transaction: self.search_transaction(by).await? })
    }
}

impl Search {
    /// Ends a search that serves nothing.
    pub async fn close(self) -> Result<(), StoreError> {
        Ok(self.transaction.commit().await?)
    }

    /// The `most` nearest memories that may be served, nearest first.
    pub async fn nearest(
        &mut self,
        space: SpaceId,
        question: &[f32],
        filter: &MemoryFilter,
        most: usize,
    ) -> Result<Vec<Candidate>, StoreError> {
        let mut asked = most as i64;
        loop {
            let statement = if filter.is_empty() {
                sqlx::query_as(include_str!("../../sql/memories/nearest.sql"))
            } else {
                sqlx::query_as(include_str!("../../sql/memories/nearest_filtered.sql"))
            };
            let mut statement = statement.bind(self.project.project).bind(space).bind(question).bind(asked);
            if !filter.is_empty() {
                statement = statement.bind(json(&filter.with)).bind(json(&filter.without));
            }
            let mut found: Vec<Candidate> = statement.fetch_all(&mut *self.transaction).await?;
            let exhausted = (found.len() as i64) < asked;
            found.retain(Candidate::may_be_served);
            if found.len() >= most || exhausted || asked >= WIDEST {
                found.truncate(most);
                return Ok(found);
            }
            asked *= WIDER;
        }
    }

    /// The memories that share most words with a question.
    pub async fn worded(
        &mut self,
        question: &str,
        filter: &MemoryFilter,
        most: usize,
    ) -> Result<Vec<Candidate>, StoreError> {
        let mut found: Vec<Candidate> = sqlx::query_as(include_str!("../../sql/memories/worded.sql"))
            .bind(self.project.project)
            .bind(question)
            .bind(most as i64 * WIDER)
            .bind(json(&filter.with))
            .bind(json(&filter.without))
            .fetch_all(&mut *self.transaction)
            .await?;
        found.retain(Candidate::may_be_served);
        found.truncate(most);
        Ok(found)
    }

    /// Pinned memories that a filter leaves, whatever their similarity to a question. By words without a vector.
    pub async fn pinned(
        &mut self,
        pinned: &[MemoryId],
        question: &str,
        vector: Option<(SpaceId, &[f32])>,
        filter: &MemoryFilter,
    ) -> Result<Vec<Candidate>, StoreError> {
        let mut found: Vec<Candidate> = sqlx::query_as(include_str!("../../sql/memories/pinned.sql"))
            .bind(self.project.project)
            .bind(pinned)
            .bind(vector.map(|(space, _)| space))
            .bind(vector.map(|(_, vector)| vector))
            .bind(question)
            .bind(json(&filter.with))
            .bind(json(&filter.without))
            .fetch_all(&mut *self.transaction)
            .await?;
        found.retain(Candidate::may_be_served);
        Ok(found)
    }

    /// The vectors of a few memories of a space.
    pub async fn vectors(
        &mut self,
        space: SpaceId,
        memories: &[MemoryId],
    ) -> Result<Vec<(MemoryId, Vec<f32>)>, StoreError> {
        let vectors = sqlx::query_as(include_str!("../../sql/memories/vectors.sql"))
            .bind(self.project.project)
            .bind(space)
            .bind(memories)
            .fetch_all(&mut *self.transaction)
            .await?;
        Ok(vectors)
    }
}

impl Candidate {
    const fn may_be_served(&self) -> bool {
        self.status == MemoryStatus::Active.code()
    }
}

fn json(map: &Map<String, Value>) -> Value {
    Value::Object(map.clone())
}
