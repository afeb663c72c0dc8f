//! Asking both spaces of a change the questions that were really asked. Nothing of it is written down.

use reflect_model::{EmbedPurpose, Embedding};
use reflect_store::{AskedTask, MemoryFilter, Search, SearchBy, SpaceRow};
use reflect_types::SpaceChangeState as State;

use super::comparison::{Asked, Comparison, Found, compare};
use super::{check_threshold, not_ready, threshold};
use crate::authenticate::Visitor;
use crate::models::EmbedFailure;
use crate::rank::{self, Considered, Ranking};
use crate::retrieve::{Question, considered};
use crate::{Engine, EngineError, manage_project};

/// Fewer say little, more take longer than a request may.
const QUESTIONS: std::ops::RangeInclusive<usize> = 50..=500;
/// How many questions are embedded at one time, and searched in one transaction.
const CHUNK: usize = 32;

/// How to compare.
#[derive(Debug, Clone, Copy)]
pub struct ComparisonRequest {
    /// How many of the last questions to ask.
    pub questions: usize,
    /// How many memories each may get.
    pub limit: usize,
    /// A threshold to try in the new space; the one that would apply when absent.
    pub similarity_threshold: Option<f32>,
}

impl Default for ComparisonRequest {
    fn default() -> Self {
        Self { questions: 200, limit: Question::default().limit, similarity_threshold: None }
    }
}

/// One side of a comparison.
struct Side {
    space: std::sync::Arc<SpaceRow>,
    threshold: f32,
}

impl Engine {
    /// How much the answers to the project's last questions would change.
    pub async fn compare_embeddings(
        &self,
        visitor: &Visitor,
        request: &ComparisonRequest,
    ) -> Result<Comparison, EngineError> {
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
        let facts = self.store.project_facts(visitor.project).await?;
        let side = async |space| -> Result<Side, EngineError> {
            let space = self.models.space(&self.store, space).await?;
            Ok(Side { threshold: threshold(&facts, &space), space })
        };
        let (from, mut to) = (side(change.from_space).await?, side(change.to_space).await?);
        to.threshold = request.similarity_threshold.unwrap_or(to.threshold);
        let questions = self.store.project(visitor.project).asked(request.questions).await?;
        if questions.is_empty() {
            return Err(not_ready(
                "no question was asked in the last 30 days, so there is nothing to compare",
            ));
        }
        let ranking = manage_project::read(&facts.settings).ranking;
        let mut asked = Vec::with_capacity(questions.len());
        for some in questions.chunks(CHUNK) {
            asked.extend(self.ask_both(visitor, some, &from, &to, ranking, request.limit).await?);
        }
        Ok(compare(asked, request.limit, from.threshold, to.threshold))
    }

    async fn ask_both(
        &self,
        visitor: &Visitor,
        questions: &[AskedTask],
        from: &Side,
        to: &Side,
        ranking: Ranking,
        limit: usize,
    ) -> Result<Vec<Asked>, EngineError> {
        let texts: Vec<String> = questions.iter().map(|question| question.task.clone()).collect();
        let old = self.question_vectors(&from.space, &texts).await?;
        let new = self.question_vectors(&to.space, &texts).await?;
        let mut search = self.store.project(visitor.project).search(SearchBy::Vector).await?;
        let mut asked = Vec::with_capacity(questions.len());
        for (question, (old, new)) in questions.iter().zip(old.iter().zip(&new)) {
            asked.push(Asked {
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
        let vectors = self.models.vectors(&self.store, space, texts, EmbedPurpose::Query).await;
        vectors.map_err(|failure| match failure {
            EmbedFailure::Model(error) => EngineError::Model(error),
            EmbedFailure::Store(error) => error.into(),
            EmbedFailure::NoEmbedder | EmbedFailure::OtherModel => {
                not_ready(&format!("this server has no embedder for {}", space.name.model))
            }
        })
    }
}

/// What a side would serve, by the rules of a retrieval that asks for nothing special.
async fn found(
    search: &mut Search,
    side: &Side,
    vector: &Embedding,
    ranking: Ranking,
    limit: usize,
) -> Result<Found, EngineError> {
    let pool = rank::pool(limit);
    let candidates = search.nearest(side.space.id, vector.as_slice(), &MemoryFilter::default(), pool).await?;
    let candidates: Vec<Considered> = candidates.iter().map(considered).collect();
    let ranked = rank::rank(&candidates, ranking, Question::default().utility_weight, side.threshold);
    Ok(Found {
        served: ranked.iter().take(limit).map(|ranked| ranked.memory_id).collect(),
        similarities: candidates.iter().map(|candidate| candidate.similarity).collect(),
    })
}
