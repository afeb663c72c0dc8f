//! Runs recent queries against both spaces of an embedding migration. Stores nothing.

use reflect_model::{EmbedPurpose, Embedding};
use reflect_store::{MemoryFilter, RecentTask, Search, SearchBy, SpaceRow};
use reflect_types::SpaceChangeState as State;

use super::comparison::{ComparedQuestion, SpaceComparison, SpaceResult, compare};
use super::service::{EmbeddingSpaces, check_threshold, not_ready};
use crate::caller::Visitor;
use crate::error::EngineError;
use crate::models::{EmbedFailure, similarity_threshold};
use crate::project_cache;
use crate::rank::{self, Considered, DEFAULT_LIMIT, DEFAULT_UTILITY_WEIGHT, Ranking};

/// Fewer queries say little; more take longer than a request may.
const QUESTIONS: std::ops::RangeInclusive<usize> = 50..=500;
/// How many queries are embedded and searched at once.
const CHUNK: usize = 32;

/// Parameters of a comparison.
#[derive(Debug, Clone, Copy)]
pub struct ComparisonRequest {
    /// How many recent queries to run.
    pub questions: usize,
    /// The most memories for each query.
    pub limit: usize,
    /// A threshold to try in the new space; `None` for the threshold that would apply.
    pub similarity_threshold: Option<f32>,
}

impl Default for ComparisonRequest {
    fn default() -> Self {
        Self { questions: 200, limit: DEFAULT_LIMIT, similarity_threshold: None }
    }
}

/// One space of a comparison.
struct Side {
    space: std::sync::Arc<SpaceRow>,
    threshold: f32,
}

impl EmbeddingSpaces {
    /// How much the results of the project's recent queries would change.
    pub async fn compare(
        &self,
        visitor: &Visitor,
        request: &ComparisonRequest,
    ) -> Result<SpaceComparison, EngineError> {
        check_threshold(request.similarity_threshold)?;
        if !QUESTIONS.contains(&request.questions) {
            return Err(EngineError::invalid("questions", "must lie between 50 and 500"));
        }
        if !(1..=100).contains(&request.limit) {
            return Err(EngineError::invalid("limit", "must lie between 1 and 100"));
        }
        let change = self.live_change(visitor).await?;
        if change.state() == State::Filling {
            return Err(not_ready("not every memory has its vector in the new space yet"));
        }
        let facts = self.store.catalogue().project_facts(visitor.project).await?;
        let side = async |space| -> Result<Side, EngineError> {
            let space = self.embeddings.space(space).await?;
            Ok(Side { threshold: similarity_threshold(&facts, &space), space })
        };
        let (from, mut to) = (side(change.from_space).await?, side(change.to_space).await?);
        to.threshold = request.similarity_threshold.unwrap_or(to.threshold);
        let questions =
            self.store.project(visitor.project).receipts().recent_tasks(request.questions).await?;
        if questions.is_empty() {
            return Err(not_ready(
                "no question was asked in the last 30 days, so there is nothing to compare",
            ));
        }
        let ranking = project_cache::settings(&facts.settings).ranking;
        let mut asked = Vec::with_capacity(questions.len());
        for some in questions.chunks(CHUNK) {
            asked.extend(self.ask_both(visitor, some, &from, &to, ranking, request.limit).await?);
        }
        Ok(compare(asked, request.limit, from.threshold, to.threshold))
    }

    async fn ask_both(
        &self,
        visitor: &Visitor,
        questions: &[RecentTask],
        from: &Side,
        to: &Side,
        ranking: Ranking,
        limit: usize,
    ) -> Result<Vec<ComparedQuestion>, EngineError> {
        let texts: Vec<String> = questions.iter().map(|question| question.task.clone()).collect();
        let old = self.question_vectors(&from.space, &texts).await?;
        let new = self.question_vectors(&to.space, &texts).await?;
        let mut search = self.store.project(visitor.project).memories().search(SearchBy::Vector).await?;
        let mut asked = Vec::with_capacity(questions.len());
        for (question, (old, new)) in questions.iter().zip(old.iter().zip(&new)) {
            asked.push(ComparedQuestion {
                retrieval_id: question.retrieval_id,
                task: question.task.clone(),
                from: found(&mut search, from, old, ranking, limit).await?,
                to: found(&mut search, to, new, ranking, limit).await?,
            });
        }
        search.close().await?;
        Ok(asked)
    }

    async fn question_vectors(
        &self,
        space: &SpaceRow,
        texts: &[String],
    ) -> Result<Vec<Embedding>, EngineError> {
        let vectors = self.embeddings.vectors(space, texts, EmbedPurpose::Query).await;
        vectors.map_err(|failure| match failure {
            EmbedFailure::Model(error) => EngineError::Model(error),
            EmbedFailure::Store(error) => error.into(),
            EmbedFailure::NoEmbedder | EmbedFailure::OtherModel => {
                not_ready(&format!("this server has no embedder for {}", space.name.model))
            }
        })
    }
}

/// The memories that a space would serve for a query with default parameters.
async fn found(
    search: &mut Search,
    side: &Side,
    vector: &Embedding,
    ranking: Ranking,
    limit: usize,
) -> Result<SpaceResult, EngineError> {
    let pool = rank::pool(limit);
    let candidates = search.nearest(side.space.id, vector.as_slice(), &MemoryFilter::default(), pool).await?;
    let candidates: Vec<Considered> = candidates.iter().map(Considered::from).collect();
    let ranked = rank::rank(&candidates, ranking, DEFAULT_UTILITY_WEIGHT, side.threshold);
    Ok(SpaceResult {
        served: ranked.iter().take(limit).map(|ranked| ranked.memory_id).collect(),
        similarities: candidates.iter().map(|candidate| candidate.similarity).collect(),
    })
}
