//! Retrieval of memories for a task.
//!
//! First candidates by similarity, then a ranking of these candidates by similarity and utility. Ranking all memories
//! by utility would serve useful memories about other tasks.

mod augment;
mod query;
mod receipt;

use std::collections::{HashMap, HashSet};
use std::time::Instant;

use reflect_store::{
    MemoryCandidate, MemoryFilter, MemoryRow, ProjectFacts, Receipt, RetrievalSearch, SearchBy, SpaceId,
    Store,
};
use reflect_types::{MemoryId, Source};
use tracing::Span;
use tracing::field::{Empty, display};

use crate::caller::Visitor;
use crate::client_text::Redaction;
use crate::error::EngineError;
use crate::models::{EmbedFailure, Embeddings, similarity_threshold};
use crate::operations::{operation, traced};
use crate::project_cache::{self, ProjectCache};
use crate::rank::{self, Considered, Held, PerLesson, Ranked};
pub use augment::{AugmentedPrompt, BlockForm};
pub use query::{RetrievalQuery, RetrievedMemories, RetrievedMemory, Support};
use query::{SearchResult, check, microseconds, storable_query};
use receipt::{Order, receipt, shorten};

/// Finds memories for tasks.
#[derive(Debug, Clone)]
pub struct Retriever {
    store: Store,
    projects: ProjectCache,
    embeddings: Embeddings,
    redaction: Redaction,
}

impl Retriever {
    pub(crate) const fn new(
        store: Store,
        projects: ProjectCache,
        embeddings: Embeddings,
        redaction: Redaction,
    ) -> Self {
        Self { store, projects, embeddings, redaction }
    }

    /// Returns memories for a task. The receipt is stored in the background.
    pub async fn retrieve(
        &self,
        visitor: &Visitor,
        question: &RetrievalQuery,
    ) -> Result<RetrievedMemories, EngineError> {
        let (recalled, receipt) = self.retrieve_at_most(visitor, question, question.limit).await?;
        Ok(self.record(visitor, recalled, receipt).await)
    }

    /// Submits the receipt of a result. If it cannot be stored, the result is marked.
    async fn record(
        &self,
        visitor: &Visitor,
        mut recalled: RetrievedMemories,
        receipt: Receipt,
    ) -> RetrievedMemories {
        let submitted = self.store.project(visitor.project).receipts().submit(receipt).await;
        if let Err(reason) = submitted {
            recalled.retrieval_id = recalled.retrieval_id.unrecorded();
            recalled.unrecorded = Some(reason.to_string());
        }
        recalled
    }

    /// Finds memories and serves those of the best `places` votes within the limit. Returns them with their receipt.
    async fn retrieve_at_most(
        &self,
        visitor: &Visitor,
        question: &RetrievalQuery,
        places: usize,
    ) -> Result<(RetrievedMemories, Receipt), EngineError> {
        let span = operation!(
            "search_memory",
            reflect.project = %visitor.slug,
            reflect.retrieval_id = Empty,
            reflect.memories = Empty,
            reflect.degraded = Empty,
        );
        let note = |span: &Span, (recalled, _): &(RetrievedMemories, Receipt)| {
            span.record("reflect.retrieval_id", display(recalled.retrieval_id));
            span.record("reflect.memories", recalled.memories.len());
            span.record("reflect.degraded", recalled.degraded.is_some());
        };
        traced(span, Box::pin(self.search(visitor, question, places)), note).await
    }

    async fn search(
        &self,
        visitor: &Visitor,
        question: &RetrievalQuery,
        places: usize,
    ) -> Result<(RetrievedMemories, Receipt), EngineError> {
        check(question)?;
        let places = places.min(question.limit);
        let question = &self.redacted_question(visitor, storable_query(question)).await?;
        let began = Instant::now();
        let facts = self.projects.facts(visitor.project).await?;
        let settings = project_cache::settings(&facts.settings);
        let (mut search, found) = self.candidates(visitor, question, &facts).await?;
        let ranking = question.ranking.unwrap_or(settings.ranking);
        let weight = rank::utility_weight(question.utility_weight, facts.replay_weight, ranking);
        let rank = |candidates: &[Considered], threshold: f32| {
            rank::rank(candidates, ranking, weight.value, threshold)
        };
        let mut considered: Vec<Considered> =
            found.pinned.iter().chain(&found.candidates).map(Considered::from).collect();
        let (pinned, others) = considered.split_at_mut(found.pinned.len());
        let mut ranked = rank(pinned, f32::MIN);
        ranked.extend(rank(others, found.threshold));
        // Pinned memories are never limited, whatever their source.
        pinned.iter_mut().for_each(|pinned| pinned.untrusted = None);
        let by_score: Vec<MemoryId> = ranked.iter().map(|ranked| ranked.memory_id).collect();
        let varied = diversify(&mut search, found.space, ranked, question, found.pinned.len()).await?;
        let Held { serving, beyond } = rank::hold_to_share(varied, &untrusted(&considered), places);
        let without_room = without_room(&serving, &considered, places, question.limit);
        let lessons = rank::lessons(serving, &considered, places);
        let order = Order {
            ranking,
            weight,
            considered: &considered,
            by_score: &by_score,
            lessons: &lessons,
            without_room: &without_room,
            beyond: &beyond,
        };
        let receipt = receipt(visitor, question, &found, &order, &settings, began);
        let rows = search.serve(receipt.served_ids()).await?;
        metrics::counter!("reflect_retrievals_total", "degraded" => if found.degraded.is_some() { "yes" } else { "no" })
            .increment(1);
        let recalled = RetrievedMemories {
            retrieval_id: receipt.retrieval_id,
            memories: in_order(&lessons, rows),
            held_out: receipt.held_out,
            degraded: found.degraded,
            unrecorded: None,
        };
        Ok((recalled, receipt))
    }

    /// Before the query is embedded and stored. Filters are redacted too, to match redacted metadata.
    async fn redacted_question(
        &self,
        visitor: &Visitor,
        question: RetrievalQuery,
    ) -> Result<RetrievalQuery, EngineError> {
        let mut redactor = self.redaction.redactor(visitor.project).await?;
        let task = redactor.text("task", question.task)?;
        let filter = redactor.fields("metadata_filter", question.filter)?;
        let exclude = redactor.fields("metadata_exclude", question.exclude)?;
        redactor.finish();
        Ok(RetrievalQuery { task, filter, exclude, ..question })
    }

    /// Candidates by vector if possible, otherwise by words.
    async fn candidates(
        &self,
        visitor: &Visitor,
        question: &RetrievalQuery,
        facts: &ProjectFacts,
    ) -> Result<(RetrievalSearch, SearchResult), EngineError> {
        let project = self.store.project(visitor.project);
        let filter = MemoryFilter { with: question.filter.clone(), without: question.exclude.clone() };
        let pool = rank::pool(question.limit);
        let began = Instant::now();
        let nothing_yet = !self.embeddings.is_empty() && facts.read_space.is_none();
        let (degraded, embed_us) = match self.vector_of(visitor, &question.task, facts).await? {
            Ok((space, threshold, vector)) => {
                let embed_us = microseconds(began);
                let mut search = RetrievalSearch::open(&project.memories(), SearchBy::Vector).await?;
                let candidates = search.nearest(space, &vector, &filter, pool).await?;
                let threshold = question.similarity_threshold.unwrap_or(threshold);
                let at = Some((space, vector.as_slice()));
                let pinned = pinned(&mut search, &facts.pinned, question, at, &filter).await?;
                let candidates = without(candidates, &pinned);
                let found = SearchResult {
                    candidates,
                    pinned,
                    space: Some(space),
                    threshold,
                    degraded: None,
                    embed_us,
                };
                return Ok((search, found));
            }
            Err(reason) => (reason, microseconds(began)),
        };
        let mut search = RetrievalSearch::open(&project.memories(), SearchBy::Words).await?;
        let candidates = search.worded(&question.task, &filter, pool).await?;
        let pinned = pinned(&mut search, &facts.pinned, question, None, &filter).await?;
        let candidates = without(candidates, &pinned);
        // A project without any vector and without a match most likely has no memory.
        let degraded =
            Some(degraded).filter(|_| !(candidates.is_empty() && pinned.is_empty() && nothing_yet));
        // The score of a search for words is not a cosine, so the threshold does not apply.
        let found = SearchResult { candidates, pinned, space: None, threshold: f32::MIN, degraded, embed_us };
        Ok((search, found))
    }

    /// The vector of the query in the project's space, or the reason why there is none. Space, threshold and vector
    /// come from one read of the project facts, to be consistent during a migration.
    async fn vector_of(
        &self,
        visitor: &Visitor,
        task: &str,
        facts: &ProjectFacts,
    ) -> Result<Result<(SpaceId, f32, Vec<f32>), String>, EngineError> {
        let Some(space) = facts.read_space else {
            let reason = match self.embeddings.is_empty() {
                true => EmbedFailure::NoEmbedder.to_string(),
                false => "the project has no memory with a vector yet".to_owned(),
            };
            return Ok(Err(reason));
        };
        let space = self.embeddings.space(space).await?;
        match self.embeddings.question(visitor.project, &space, task).await {
            Ok(vector) => Ok(Ok((space.id, similarity_threshold(facts, &space), vector.as_slice().to_vec()))),
            Err(EmbedFailure::Store(error)) => Err(error.into()),
            Err(failure) => Ok(Err(failure.to_string())),
        }
    }

    /// Retrieves memories and writes them as a block for a prompt, within the limits of the block.
    pub async fn augment(
        &self,
        visitor: &Visitor,
        question: &RetrievalQuery,
        form: BlockForm,
    ) -> Result<AugmentedPrompt, EngineError> {
        let (mut recalled, mut receipt) =
            self.retrieve_at_most(visitor, question, augment::MOST_LESSONS).await?;
        let (block, fit) = augment::block(&recalled.memories, form);
        if fit < recalled.memories.len() {
            recalled.memories.truncate(fit);
            let covered: Vec<MemoryId> =
                recalled.memories.iter().flat_map(|memory| memory.stands_for.iter().copied()).collect();
            shorten(&mut receipt, fit, &covered);
        }
        let recalled = self.record(visitor, recalled, receipt).await;
        Ok(AugmentedPrompt { text: augment::text(&question.task, &block), block, recalled })
    }
}

/// The project's pinned memories. Without any, there is no query.
async fn pinned(
    search: &mut RetrievalSearch,
    pins: &[MemoryId],
    question: &RetrievalQuery,
    vector: Option<(SpaceId, &[f32])>,
    filter: &MemoryFilter,
) -> Result<Vec<MemoryCandidate>, EngineError> {
    if pins.is_empty() {
        return Ok(Vec::new());
    }
    Ok(search.pinned(pins, &question.task, vector, filter).await?)
}

fn without(mut candidates: Vec<MemoryCandidate>, pinned: &[MemoryCandidate]) -> Vec<MemoryCandidate> {
    candidates.retain(|candidate| pinned.iter().all(|pinned| pinned.memory_id != candidate.memory_id));
    candidates
}

/// Reorders by maximal marginal relevance, if the query asks for it.
async fn diversify(
    search: &mut RetrievalSearch,
    space: Option<SpaceId>,
    ranked: Vec<Ranked>,
    question: &RetrievalQuery,
    pinned: usize,
) -> Result<Vec<Ranked>, EngineError> {
    let (true, Some(space)) = (question.mmr < 1.0, space) else { return Ok(ranked) };
    let ids: Vec<MemoryId> = ranked.iter().map(|ranked| ranked.memory_id).collect();
    let vectors = search.vectors(space, &ids).await?.into_iter().collect();
    Ok(rank::diversify(ranked, &vectors, question.mmr, question.limit, pinned))
}

/// The memories that the limit of the query would select, and its places do not.
fn without_room(
    serving: &[Ranked],
    considered: &[Considered],
    places: usize,
    limit: usize,
) -> HashSet<MemoryId> {
    if places == limit {
        return HashSet::new();
    }
    let PerLesson { chosen, covered, .. } = rank::lessons(serving.to_vec(), considered, limit);
    let covered = covered.into_iter().map(|(ranked, _)| ranked);
    chosen.into_iter().chain(covered).map(|ranked| ranked.memory_id).collect()
}

/// The store returns rows in any order; this restores the ranking.
fn in_order(lessons: &PerLesson, rows: Vec<MemoryRow>) -> Vec<RetrievedMemory> {
    let mut rows: HashMap<MemoryId, MemoryRow> = rows.into_iter().map(|row| (row.memory_id, row)).collect();
    let recalled = lessons.chosen.iter().filter_map(|ranked| {
        let row = rows.remove(&ranked.memory_id)?;
        let stands_for = lessons.covered.iter().filter(|(_, by)| *by == ranked.memory_id);
        let stands_for = stands_for.map(|(one, _)| one.memory_id).collect();
        let situations = lessons.votes_of.get(&ranked.memory_id).copied().unwrap_or_default();
        let support = Support { situations, of: lessons.votes };
        Some(RetrievedMemory { stands_for, support, ..RetrievedMemory::new(row, ranked) })
    });
    recalled.collect()
}

/// The sources that are not trusted.
fn untrusted(considered: &[Considered]) -> HashMap<MemoryId, Source> {
    considered.iter().filter_map(|one| Some((one.memory_id, one.untrusted?))).collect()
}
