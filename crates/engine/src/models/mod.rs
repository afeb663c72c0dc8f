//! The models that an engine may ask, and what is known of how they are doing.

mod breaker;
mod embeddings;

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use reflect_model::{Embedder, TextModel};

pub(crate) use breaker::Breaker;
pub(crate) use embeddings::{EmbedFailure, Embeddings};

/// The models that an engine may ask. Both may be missing: lessons are then put together without a
/// model, and searched by their words.
#[derive(Clone, Default)]
pub struct Models {
    /// Writes lessons and skills.
    pub text: Option<Arc<dyn TextModel>>,
    /// Judges runs, when that is not left to the one above.
    pub judge: Option<Arc<dyn TextModel>>,
    /// Turns tasks into vectors.
    pub embedder: Option<Arc<dyn Embedder>>,
    /// How long a question may wait for its vector before it is answered by words.
    pub question_deadline: Option<Duration>,
}

impl fmt::Debug for Models {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Models")
            .field("text", &self.text.as_ref().map(|model| model.name().to_owned()))
            .field("judge", &self.judge.as_ref().map(|model| model.name().to_owned()))
            .field("embedder", &self.embedder.as_ref().map(|embedder| embedder.identity().clone()))
            .finish_non_exhaustive()
    }
}

/// Models with what was learned about them while this process runs.
#[derive(Debug)]
pub(crate) struct ModelState {
    pub(crate) models: Models,
    pub(crate) text_breaker: Breaker,
    judge_breaker: Breaker,
    pub(crate) embeddings: Embeddings,
}

impl ModelState {
    pub(crate) fn new(models: Models) -> Self {
        let embeddings = Embeddings::new(models.embedder.clone(), models.question_deadline);
        let text_breaker = Breaker::new("text model");
        Self { models, text_breaker, judge_breaker: Breaker::new("judge model"), embeddings }
    }

    /// The model that judges, and how it is doing.
    pub(crate) fn judge(&self) -> Option<(Arc<dyn TextModel>, &Breaker)> {
        let own = self.models.judge.clone().map(|model| (model, &self.judge_breaker));
        own.or_else(|| self.models.text.clone().map(|model| (model, &self.text_breaker)))
    }

    /// How long work that needs models should wait, because one of them is known to be down.
    pub(crate) fn closed_for(&self) -> Option<Duration> {
        let now = Instant::now();
        self.text_breaker.closed_for(now).into_iter().chain(self.embeddings.breaker.closed_for(now)).max()
    }
}
