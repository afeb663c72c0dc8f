//! Finding the memories that may help with a task.
//!
//! Two steps: candidates by similarity, then our own order by similarity and utility, over the
//! candidates only. Blending over the whole bank lets useful memories about other things in.

mod augment;
mod holdout;
pub(crate) mod neutralise;
mod receipt;

use std::collections::HashMap;
use std::time::Instant;

use reflect_store::{Candidate, MemoryFilter, MemoryRow, ProjectFacts, Search, SearchBy, SpaceId};
use reflect_types::{Credit, MemoryId, RetrievalId, Source};
use serde_json::{Map, Value};

use crate::authenticate::Visitor;
use crate::manage_project;
use crate::models::EmbedFailure;
use crate::rank::{self, Considered, Held, Ranked, Ranking};
use crate::space_change;
use crate::submit::{storable, storable_json};
use crate::{Engine, EngineError};
pub use augment::Augmented;
use receipt::{Order, receipt};

const LONGEST_TASK: usize = 64 * 1024;
const MOST_MEMORIES: usize = 100;
const MOST_CLAUSES: usize = 20;

/// What is asked.
#[derive(Debug, Clone)]
pub struct Question {
    /// The task that is about to be done.
    pub task: String,
    /// The most memories that are wanted.
    pub limit: usize,
    /// How much utility counts against similarity: 0 not at all, 1 alone.
    pub utility_weight: f32,
    /// How much score counts against being different from what is served already; 1 for all.
    pub mmr: f32,
    /// The least similarity; the space's own when absent.
    pub similarity_threshold: Option<f32>,
    /// Only memories with these in their metadata.
    pub filter: Map<String, Value>,
    /// No memory with all of these.
    pub exclude: Map<String, Value>,
    /// What is taken for utility; the project's own choice when absent.
    pub ranking: Option<Ranking>,
}

impl Default for Question {
    fn default() -> Self {
        Self {
            task: String::new(),
            limit: 10,
            utility_weight: 0.5,
            mmr: 1.0,
            similarity_threshold: None,
            filter: Map::new(),
            exclude: Map::new(),
            ranking: None,
        }
    }
}

/// A memory that is served.
#[derive(Debug, Clone)]
pub struct RecalledMemory {
    /// The memory, its texts made harmless.
    pub row: MemoryRow,
    /// How similar its task is.
    pub similarity: f32,
    /// What was taken for its utility.
    pub utility: f32,
    /// What it was ranked by.
    pub score: f32,
}

/// What is served.
#[derive(Debug, Clone)]
pub struct Recalled {
    /// The receipt.
    pub retrieval_id: RetrievalId,
    /// Best first.
    pub memories: Vec<RecalledMemory>,
    /// Whether memories were found and held back, so that runs with and without can be compared.
    pub held_out: bool,
    /// Why this is less than the search it should have been, when it is.
    pub degraded: Option<String>,
}

struct Found {
    candidates: Vec<Candidate>,
    /// Candidates whatever their similarity, and none of the others.
    pinned: Vec<Candidate>,
    space: Option<SpaceId>,
    threshold: f32,
    degraded: Option<String>,
    embed_us: i32,
}

impl Engine {
    /// Serves the memories that may help with a task, and writes down which.
    pub async fn retrieve(&self, visitor: &Visitor, question: &Question) -> Result<Recalled, EngineError> {
        check(question)?;
        let question = &self.redacted_question(visitor, storable_question(question)).await?;
        let began = Instant::now();
        let facts = self.facts(visitor.project).await?;
        let settings = manage_project::read(&facts.settings);
        let (mut search, found) = self.candidates(visitor, question, &facts).await?;
        let ranking = question.ranking.unwrap_or(settings.ranking);
        let rank = |candidates: &[Considered], threshold: f32| {
            rank::rank(candidates, ranking, question.utility_weight, threshold)
        };
        let pinned: Vec<Considered> = found.pinned.iter().map(considered).collect();
        // What somebody pinned is not held back, wherever it came from.
        let considered: Vec<Considered> = found.candidates.iter().map(considered).collect();
        let mut ranked = rank(&pinned, f32::MIN);
        ranked.extend(rank(&considered, found.threshold));
        let by_score: Vec<MemoryId> = ranked.iter().map(|ranked| ranked.memory_id).collect();
        let varied = diversify(&mut search, &found, ranked, question).await?;
        let Held { serving, beyond } = rank::hold_to_share(varied, &untrusted(&considered), question.limit);
        let order = Order { ranking, ranked: &by_score, serving: &serving, beyond: &beyond };
        let receipt = receipt(visitor, question, &found, &order, &settings, began);
        let served = receipt.served;
        let rows = search.serve(&receipt).await?;
        metrics::counter!("reflect_retrievals_total", "degraded" => if found.degraded.is_some() { "yes" } else { "no" })
            .increment(1);
        Ok(Recalled {
            retrieval_id: receipt.retrieval_id,
            memories: in_order(&serving[..served], rows),
            held_out: receipt.held_out,
            degraded: found.degraded,
        })
    }

    /// Before it is embedded and written on the receipt. A filter finds what was redacted in the same way.
    async fn redacted_question(
        &self,
        visitor: &Visitor,
        question: Question,
    ) -> Result<Question, EngineError> {
        let mut redactor = self.redactor(visitor.project).await?;
        let task = redactor.text("task", question.task)?;
        let filter = redactor.fields("metadata_filter", question.filter)?;
        let exclude = redactor.fields("metadata_exclude", question.exclude)?;
        redactor.finish();
        Ok(Question { task, filter, exclude, ..question })
    }

    /// Candidates by vector where that is possible, by words where it is not.
    async fn candidates(
        &self,
        visitor: &Visitor,
        question: &Question,
        facts: &ProjectFacts,
    ) -> Result<(Search, Found), EngineError> {
        let project = self.store.project(visitor.project);
        let filter = MemoryFilter { with: question.filter.clone(), without: question.exclude.clone() };
        let pool = rank::pool(question.limit);
        let began = Instant::now();
        let nothing_yet = !self.models.embeddings.is_empty() && facts.read_space.is_none();
        let (degraded, embed_us) = match self.vector_of(visitor, &question.task, facts).await? {
            Ok((space, threshold, vector)) => {
                let embed_us = microseconds(began);
                let mut search = project.search(SearchBy::Vector).await?;
                let candidates = search.nearest(space, &vector, &filter, pool).await?;
                let threshold = question.similarity_threshold.unwrap_or(threshold);
                let at = Some((space, vector.as_slice()));
                let pinned = pinned(&mut search, &facts.pinned, question, at, &filter).await?;
                let candidates = without(candidates, &pinned);
                let found =
                    Found { candidates, pinned, space: Some(space), threshold, degraded: None, embed_us };
                return Ok((search, found));
            }
            Err(reason) => (reason, microseconds(began)),
        };
        let mut search = project.search(SearchBy::Words).await?;
        let candidates = search.worded(&question.task, &filter, pool).await?;
        let pinned = pinned(&mut search, &facts.pinned, question, None, &filter).await?;
        let candidates = without(candidates, &pinned);
        // A project without a single vector and without a match has, as a rule, nothing to find.
        let degraded =
            Some(degraded).filter(|_| !(candidates.is_empty() && pinned.is_empty() && nothing_yet));
        // Shared words are no cosine: the threshold means nothing here.
        let found = Found { candidates, pinned, space: None, threshold: f32::MIN, degraded, embed_us };
        Ok((search, found))
    }

    /// The question's vector in the project's space, or why there is none. Space, threshold and vector come
    /// of one reading of the project's facts, so that they belong together whatever is changed meanwhile.
    async fn vector_of(
        &self,
        visitor: &Visitor,
        task: &str,
        facts: &ProjectFacts,
    ) -> Result<Result<(SpaceId, f32, Vec<f32>), String>, EngineError> {
        let Some(space) = facts.read_space else {
            let reason = match self.models.embeddings.is_empty() {
                true => EmbedFailure::NoEmbedder.to_string(),
                false => "the project has no memory with a vector yet".to_owned(),
            };
            return Ok(Err(reason));
        };
        let space = self.models.space(&self.store, space).await?;
        match self.models.question(&self.store, visitor.project, &space, task).await {
            Ok(vector) => {
                Ok(Ok((space.id, space_change::threshold(facts, &space), vector.as_slice().to_vec())))
            }
            Err(EmbedFailure::Store(error)) => Err(error.into()),
            Err(failure) => Ok(Err(failure.to_string())),
        }
    }
}

/// The project's pinned memories. A project without any is not asked about them.
async fn pinned(
    search: &mut Search,
    pins: &[MemoryId],
    question: &Question,
    vector: Option<(SpaceId, &[f32])>,
    filter: &MemoryFilter,
) -> Result<Vec<Candidate>, EngineError> {
    if pins.is_empty() {
        return Ok(Vec::new());
    }
    Ok(search.pinned(pins, &question.task, vector, filter).await?)
}

fn without(mut candidates: Vec<Candidate>, pinned: &[Candidate]) -> Vec<Candidate> {
    candidates.retain(|candidate| pinned.iter().all(|pinned| pinned.memory_id != candidate.memory_id));
    candidates
}

/// The question without what Postgres cannot hold, and no memory could have.
fn storable_question(question: &Question) -> Question {
    let json = |map: &Map<String, Value>| match storable_json(Value::Object(map.clone())) {
        Value::Object(map) => map,
        _ => Map::new(),
    };
    Question {
        task: storable(question.task.clone()),
        filter: json(&question.filter),
        exclude: json(&question.exclude),
        ..question.clone()
    }
}

/// Leaves out what says the same again, where that is asked for.
async fn diversify(
    search: &mut Search,
    found: &Found,
    ranked: Vec<Ranked>,
    question: &Question,
) -> Result<Vec<Ranked>, EngineError> {
    let (true, Some(space)) = (question.mmr < 1.0, found.space) else { return Ok(ranked) };
    let ids: Vec<MemoryId> = ranked.iter().map(|ranked| ranked.memory_id).collect();
    let vectors = search.vectors(space, &ids).await?.into_iter().collect();
    Ok(rank::diversify(ranked, &vectors, question.mmr, question.limit, found.pinned.len()))
}

fn check(question: &Question) -> Result<(), EngineError> {
    if question.task.trim().is_empty() {
        return Err(EngineError::invalid("task", "must not be empty"));
    }
    if question.task.len() > LONGEST_TASK {
        return Err(EngineError::invalid("task", "must not be longer than 64 kB"));
    }
    if !(1..=MOST_MEMORIES).contains(&question.limit) {
        return Err(EngineError::invalid("limit", "must lie between 1 and 100"));
    }
    for (field, value) in [("lambda", question.utility_weight), ("mmr_lambda", question.mmr)] {
        if !(0.0..=1.0).contains(&value) {
            return Err(EngineError::invalid(field, "must lie between 0 and 1"));
        }
    }
    if question.similarity_threshold.is_some_and(|least| !(-1.0..=1.0).contains(&least)) {
        return Err(EngineError::invalid("similarity_threshold", "must lie between -1 and 1"));
    }
    for (field, clauses) in [("metadata_filter", &question.filter), ("metadata_exclude", &question.exclude)] {
        if clauses.len() > MOST_CLAUSES {
            return Err(EngineError::invalid(field, "must not have more than 20 keys"));
        }
    }
    Ok(())
}

/// The rows come in no order; the ranking knows theirs.
fn in_order(served: &[Ranked], rows: Vec<MemoryRow>) -> Vec<RecalledMemory> {
    let mut rows: HashMap<MemoryId, MemoryRow> = rows.into_iter().map(|row| (row.memory_id, row)).collect();
    let recalled = served.iter().filter_map(|ranked| {
        let row = neutralise::row(rows.remove(&ranked.memory_id)?);
        let Ranked { similarity, utility, score, .. } = *ranked;
        Some(RecalledMemory { row, similarity, utility, score })
    });
    recalled.collect()
}

pub(crate) fn considered(candidate: &Candidate) -> Considered {
    let source = candidate.author_key.zip(candidate.source_trace);
    Considered {
        memory_id: candidate.memory_id,
        similarity: candidate.similarity,
        q: candidate.q,
        credit: Credit::stored(candidate.credit, candidate.evidence),
        untrusted: source.map(|(key, trace)| Source { key, trace }),
    }
}

/// Where those come from whose source is not trusted.
fn untrusted(considered: &[Considered]) -> HashMap<MemoryId, Source> {
    considered.iter().filter_map(|one| Some((one.memory_id, one.untrusted?))).collect()
}

fn microseconds(since: Instant) -> i32 {
    i32::try_from(since.elapsed().as_micros()).unwrap_or(i32::MAX)
}
