//! Insights into a project: the health of its learning loop, the uplift of its memories, and the state of its models.

use std::time::{Duration, Instant, SystemTime};

use reflect_model::{EmbedPurpose, Embedding};
use reflect_store::{NewClientReport, ProjectCtx, Store, StoreError, VectorGraph};
use reflect_types::GraphState;

use crate::caller::Visitor;
use crate::client_text::Redaction;
use crate::error::EngineError;
use crate::health::{ClientReport, LONGEST_NAME, LearningHealth, LessonFacts, check_report};
use crate::judge_profile::JudgeProfiles;
use crate::models::{EmbedFailure, Embeddings, SpaceEmbedder, TextModels};
use crate::project_cache::{self, ProjectCache};
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
    profiles: JudgeProfiles,
    models: TextModels,
    embeddings: Embeddings,
    redaction: Redaction,
}

impl Insights {
    pub(crate) const fn new(
        store: Store,
        projects: ProjectCache,
        profiles: JudgeProfiles,
        models: TextModels,
        embeddings: Embeddings,
        redaction: Redaction,
    ) -> Self {
        Self { store, projects, profiles, models, embeddings, redaction }
    }

    /// Whether the learning loop of the caller's project works.
    pub async fn health(&self, visitor: &Visitor) -> Result<LearningHealth, EngineError> {
        let judge = self.profiles.active(visitor.project).await?.map(|judge| judge.identity);
        let project = self.store.project(visitor.project);
        let facts = project.insights().loop_facts(judge.as_ref()).await?;
        let settings = self.projects.settings_facts(visitor.project).await?;
        let infers_use = project_cache::settings(&settings.settings).lessons.infer_use;
        Ok(LearningHealth::of(&facts, &lesson_facts(&project, infers_use).await?))
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

async fn lesson_facts(project: &ProjectCtx, infers_use: bool) -> Result<LessonFacts, StoreError> {
    let statistics = project.lessons().statistics().await?;
    let grouping_for = statistics
        .grouping_since
        .map(|since| SystemTime::now().duration_since(SystemTime::from(since)).unwrap_or_default());
    Ok(LessonFacts {
        open_questions: project.lessons().questions().count_open().await?,
        uses: infers_use.then_some(statistics.uses),
        grouping: Some(statistics.grouping),
        grouping_for,
    })
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
