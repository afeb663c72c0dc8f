//! How the models are doing, for whoever looks for what is wrong. Nothing is stored.

use std::time::{Duration, Instant};

use reflect_model::EmbedPurpose;

use crate::authenticate::Visitor;
use crate::models::{EmbedFailure, Embeddings};
use crate::{Engine, EngineError};

/// Longer and the answer is that there is none.
const PATIENCE: Duration = Duration::from_secs(10);
/// A text that no project's own words are in: it may go to a provider elsewhere.
const PROBE: &str = "does the embedder answer";

/// How the models are doing that a project needs.
#[derive(Debug, Clone, PartialEq)]
pub struct Diagnosis {
    /// What writes lessons, and how long it is left alone because it did not answer. None when there is none.
    pub text_model: Option<(String, Option<Duration>)>,
    /// What makes vectors. None when there is none.
    pub embedder: Option<EmbedderDiagnosis>,
}

/// How an embedder is doing.
#[derive(Debug, Clone, PartialEq)]
pub struct EmbedderDiagnosis {
    /// Its name.
    pub model: String,
    /// How long one vector took and how many numbers it has, or why there is none.
    pub answer: Result<(Duration, usize), String>,
}

impl Engine {
    /// Asks the embedder that the visitor's project needs for one vector. The text model is not asked: that costs.
    pub async fn diagnose(&self, visitor: &Visitor) -> Result<Diagnosis, EngineError> {
        let resting = self.models.text_breaker.closed_for(Instant::now());
        let text_model = self.models.models.text.as_ref().map(|model| (model.name().to_owned(), resting));
        let facts = self.facts(visitor.project).await?;
        let embedder = match facts.read_space {
            None => self.models.embeddings.first(),
            Some(id) => {
                let space = self.models.space(&self.store, id).await?;
                let maker = self.models.embeddings.iter().find(|one| one.may_make(&space));
                if maker.is_none() {
                    let model = space.name.model.clone();
                    let answer = Err(EmbedFailure::OtherModel.to_string());
                    return Ok(Diagnosis { text_model, embedder: Some(EmbedderDiagnosis { model, answer }) });
                }
                maker
            }
        };
        let embedder = match embedder {
            Some(embedder) => Some(self.probe(embedder).await?),
            None => None,
        };
        Ok(Diagnosis { text_model, embedder })
    }

    async fn probe(&self, embedder: &Embeddings) -> Result<EmbedderDiagnosis, EngineError> {
        let began = Instant::now();
        let texts = [PROBE.to_owned()];
        let asked = embedder.vectors(&self.store, &texts, EmbedPurpose::Query);
        let answer = match tokio::time::timeout(PATIENCE, asked).await {
            Ok(Ok((_, vectors))) => {
                Ok((began.elapsed(), vectors.first().map_or(0, reflect_model::Embedding::dimensions)))
            }
            Ok(Err(EmbedFailure::Store(error))) => return Err(error.into()),
            Ok(Err(failure)) => Err(failure.to_string()),
            Err(_) => Err(format!("it did not answer within {} s", PATIENCE.as_secs())),
        };
        Ok(EmbedderDiagnosis { model: embedder.model().to_owned(), answer })
    }
}
