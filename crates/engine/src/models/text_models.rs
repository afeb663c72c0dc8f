//! The text models and the circuit breakers of their providers.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use reflect_model::TextModel;

use super::breaker::Breaker;

/// The model that writes and the model that judges. Clones share their circuit breakers.
#[derive(Clone)]
pub(crate) struct TextModels {
    text: Option<Arc<dyn TextModel>>,
    judge: Option<Arc<dyn TextModel>>,
    text_breaker: Arc<Breaker>,
    judge_breaker: Arc<Breaker>,
}

impl fmt::Debug for TextModels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TextModels").field("text_breaker", &self.text_breaker).finish_non_exhaustive()
    }
}

impl TextModels {
    pub(crate) fn new(text: Option<Arc<dyn TextModel>>, judge: Option<Arc<dyn TextModel>>) -> Self {
        Self {
            text,
            judge,
            text_breaker: Arc::new(Breaker::new("text model")),
            judge_breaker: Arc::new(Breaker::new("judge model")),
        }
    }

    /// The model that writes lessons and skills, with its circuit breaker.
    pub(crate) fn text(&self) -> Option<(Arc<dyn TextModel>, &Breaker)> {
        self.text.clone().map(|model| (model, self.text_breaker.as_ref()))
    }

    /// The model that judges, with its circuit breaker.
    pub(crate) fn judge(&self) -> Option<(Arc<dyn TextModel>, &Breaker)> {
        let own = self.judge.clone().map(|model| (model, self.judge_breaker.as_ref()));
        own.or_else(|| self.text())
    }

    /// How long the provider of the text model is not called; `None` if it may be called.
    pub(crate) fn retry_after(&self) -> Option<Duration> {
        self.text_breaker.retry_after(Instant::now())
    }
}
