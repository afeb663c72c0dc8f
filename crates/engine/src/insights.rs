//! Insights into a project: the health of its learning loop, the uplift of its memories, the story of a lesson, and the state
//! of its models.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use reflect_model::{EmbedPurpose, Embedding};
use reflect_store::{
    FullMemoryRow, NewClientReport, ProjectCtx, SearchBy, Store, StoreError, TraceRow, VectorGraph,
};
use reflect_types::{GraphState, MemoryId, TraceId};

use crate::caller::Visitor;
use crate::client_text::Redaction;
use crate::credit::ReviewTally;
use crate::error::EngineError;
use crate::health::{ClientReport, LONGEST_NAME, LearningHealth, check_report};
use crate::loop_health::LoopHealthReader;
use crate::models::{EmbedFailure, Embeddings, SpaceEmbedder, TextModels};
use crate::project_cache::ProjectCache;
use crate::steps::read_steps;
use crate::story::{self, LessonStory, RunExcerpt};
use crate::uplift::{UpliftQuestion, UpliftReport};

/// After this time the embedder counts as not answering.
const PATIENCE: Duration = Duration::from_secs(10);
/// Contains no text of the project, because it may be sent to an external provider.
const PROBE: &str = "does the embedder answer";

/// The state of the models that a project needs, and of its search index.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelDiagnosis {
    /// The name of the text model, and how long it is not called because it did not answer; `None` without a text
    /// model.
    pub text_model: Option<(String, Option<Duration>)>,
    /// The embedder; `None` without one.
    pub embedder: Option<EmbedderDiagnosis>,
    /// The graph of the vectors that queries search; `None` if they are exact.
    pub graph: Option<VectorGraph>,
}

/// The state of an embedder.
#[derive(Debug, Clone, PartialEq)]
pub struct EmbedderDiagnosis {
    /// The name of the model.
    pub model: String,
    /// The time for one vector and its dimensions, or the error.
    pub answer: Result<(Duration, usize), String>,
}

/// Reports on projects.
#[derive(Debug, Clone)]
pub struct Insights {
    store: Store,
    projects: ProjectCache,
    health: LoopHealthReader,
    models: TextModels,
    embeddings: Embeddings,
    redaction: Redaction,
}

impl Insights {
    pub(crate) const fn new(
        store: Store,
        projects: ProjectCache,
        health: LoopHealthReader,
        models: TextModels,
        embeddings: Embeddings,
        redaction: Redaction,
    ) -> Self {
        Self { store, projects, health, models, embeddings, redaction }
    }

    /// Whether the learning loop of the caller's project works.
    pub async fn health(&self, visitor: &Visitor) -> Result<LearningHealth, EngineError> {
        Ok(self.health.of(visitor.project).await?)
    }

    /// Stores what a client reports about itself.
    pub async fn report_client(&self, visitor: &Visitor, report: ClientReport) -> Result<(), EngineError> {
        let report = check_report(report)?;
        let mut redactor = self.redaction.redactor(visitor.project).await?;
        let client = redactor.text("client", report.client)?;
        let sdk = redactor.optional("sdk", report.sdk)?;
        redactor.finish();
        // The replacement of a secret may be longer than the secret.
        let client = client.chars().take(LONGEST_NAME).collect();
        let report = NewClientReport { client, sdk, ..report };
        Ok(self.store.project(visitor.project).insights().report_client(&report).await?)
    }

    /// Whether memories help in the caller's project.
    pub async fn uplift(
        &self,
        visitor: &Visitor,
        question: UpliftQuestion,
    ) -> Result<UpliftReport, EngineError> {
        question.check()?;
        let counts = self.store.project(visitor.project).insights().arm_counts(question.since).await?;
        Ok(UpliftReport::of(&counts, question.review_error))
    }

    /// How the caller's project learned from a failed run. `None` if no lesson has helped a later run to pass yet.
    pub async fn story(&self, visitor: &Visitor) -> Result<Option<LessonStory>, EngineError> {
        let project = self.store.project(visitor.project);
        let found = project.insights().helpful_memories(story::AS_EXPECTED, story::LEAST_EVIDENCE).await?;
        let candidates = story::best_first(found);
        let helped = project.insights().helped_runs(&candidates).await?;
        let helped: HashMap<MemoryId, TraceId> = helped.into_iter().collect();
        for memory in candidates.into_iter().map(|candidate| candidate.memory_id) {
            let Some(passed) = helped.get(&memory) else { continue };
            if let Some(story) = self.story_of(visitor, memory, *passed).await? {
                return Ok(Some(story));
            }
        }
        Ok(None)
    }

    /// The story of a memory and a run that it helped. `None` if a part of it is not stored any more.
    async fn story_of(
        &self,
        visitor: &Visitor,
        memory: MemoryId,
        passed: TraceId,
    ) -> Result<Option<LessonStory>, EngineError> {
        let project = self.store.project(visitor.project);
        let Some(memory) = project.memories().get_many(&[memory]).await?.pop() else { return Ok(None) };
        let Some(failed) = memory.source_trace else { return Ok(None) };
        let runs = project.traces().get_many(&[failed, passed], &[]).await?;
        let Ok([failed, passed]) = <[TraceRow; 2]>::try_from(runs) else { return Ok(None) };
        let explanation = story::explanation(memory.source_review, failed.review.as_ref());
        let Some((feedback, reviewer)) = explanation else { return Ok(None) };
        let (before, after) = self.similar_runs(visitor, &memory).await?;
        Ok(Some(LessonStory {
            failed: excerpt(&project, &failed).await?,
            lesson_id: memory.lesson_id,
            summary: story::lesson_line(&memory.text),
            feedback,
            reviewer,
            passed: excerpt(&project, &passed).await?,
            before,
            after,
        }))
    }

    /// The results of reviewed runs with similar tasks before and after a memory was stored. Zero without vectors.
    async fn similar_runs(
        &self,
        visitor: &Visitor,
        memory: &FullMemoryRow,
    ) -> Result<(ReviewTally, ReviewTally), EngineError> {
        let facts = self.projects.facts(visitor.project).await?;
        let Some(space) = facts.read_space else { return Ok(Default::default()) };
        let mut search = self.store.project(visitor.project).memories().search(SearchBy::Vector).await?;
        let mut runs = Vec::new();
        if let Some((_, task)) = search.vectors(space, &[memory.memory_id]).await?.pop() {
            let (most, of_memory) = (story::MOST_SIMILAR, story::RUNS_OF_MEMORY);
            runs = search.near_neighbours(space, &task, most, of_memory).await?;
        }
        search.close().await?;
        Ok(story::around(&runs, memory.created_at))
    }

    /// The state of the models that the caller's project needs. The embedder is called once. The text model is not
    /// called, because that costs.
    pub async fn diagnose(&self, visitor: &Visitor) -> Result<ModelDiagnosis, EngineError> {
        let retry_after = self.models.retry_after();
        let text_model = self.models.text().map(|(model, _)| (model.name().to_owned(), retry_after));
        let facts = self.projects.facts(visitor.project).await?;
        let graphs = self.store.project(visitor.project).spaces().graphs().await?;
        let graph = graphs
            .into_iter()
            .find(|graph| Some(graph.space) == facts.read_space && graph.state != GraphState::Retired);
        let embedder = match facts.read_space {
            None => self.embeddings.first(),
            Some(id) => {
                let space = self.embeddings.space(id).await?;
                let maker = self.embeddings.maker(&space);
                if maker.is_none() {
                    let model = space.name.model.clone();
                    let answer = Err(EmbedFailure::OtherModel.to_string());
                    return Ok(ModelDiagnosis {
                        text_model,
                        embedder: Some(EmbedderDiagnosis { model, answer }),
                        graph,
                    });
                }
                maker
            }
        };
        let embedder = match embedder {
            Some(embedder) => Some(probe(embedder).await?),
            None => None,
        };
        Ok(ModelDiagnosis { text_model, embedder, graph })
    }
}

/// A run with its answer, or with what the agent said last if it has none.
async fn excerpt(project: &ProjectCtx, run: &TraceRow) -> Result<RunExcerpt, StoreError> {
    if let Some(answer) = run.final_response.as_deref().filter(|answer| !answer.trim().is_empty()) {
        return Ok(RunExcerpt::new(run, answer));
    }
    let read = project.traces().get_many(&[run.trace_id], &[run.trace_id]).await?.pop();
    let steps = read_steps(read.map(|run| run.trajectory).unwrap_or_default()).await;
    Ok(RunExcerpt::new(run, &story::last_message(&steps)))
}

async fn probe(embedder: &SpaceEmbedder) -> Result<EmbedderDiagnosis, EngineError> {
    let began = Instant::now();
    let texts = [PROBE.to_owned()];
    let called = embedder.vectors(&texts, EmbedPurpose::Query);
    let answer = match tokio::time::timeout(PATIENCE, called).await {
        Ok(Ok((_, vectors))) => Ok((began.elapsed(), vectors.first().map_or(0, Embedding::dimensions))),
        Ok(Err(EmbedFailure::Store(error))) => return Err(error.into()),
        Ok(Err(failure)) => Err(failure.to_string()),
        Err(_) => Err(format!("it did not answer within {} s", PATIENCE.as_secs())),
    };
    Ok(EmbedderDiagnosis { model: embedder.model().to_owned(), answer })
}
