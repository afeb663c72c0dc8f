//! The models that an engine may ask, and what is known of how they are doing.

mod breaker;
mod embeddings;
mod spaces;

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use moka::future::Cache;
use reflect_model::{Embedder, TextModel};
use reflect_store::{SpaceId, SpaceRow};
use reflect_types::EmbeddedText;

pub(crate) use breaker::Breaker;
pub(crate) use embeddings::{EmbedFailure, Embeddings};

/// The models that an engine may ask. All may be missing: lessons are then put together without a
/// model, and searched by their words.
#[derive(Clone, Default)]
pub struct Models {
    /// Writes lessons and skills.
    pub text: Option<Arc<dyn TextModel>>,
    /// Judges runs, when that is not left to the one above.
    pub judge: Option<Arc<dyn TextModel>>,
    /// Turns texts into vectors. Projects that have no space yet get its space.
    pub embedder: Option<Arc<dyn Embedder>>,
    /// What of a memory is embedded by it.
    pub embeds: EmbeddedText,
    /// Another one, for projects that are being changed over. Which of the two is which does not matter to a
    /// project that has a space: it is served by the one that makes it.
    pub next_embedder: Option<Arc<dyn Embedder>>,
    /// What of a memory is embedded by that one.
    pub next_embeds: EmbeddedText,
    /// How long a question may wait for its vector before it is answered by words.
    pub question_deadline: Option<Duration>,
}

impl Models {
    /// Who does what, in words for an operator's log.
    pub fn said(&self) -> String {
        let text = self.text.as_ref().map_or("no model", |model| model.name());
        let judge = self.judge.as_ref().map_or(text, |model| model.name());
        let embedder = |embedder: &Option<Arc<dyn Embedder>>| {
            let identity = embedder.as_ref().map(|one| one.identity());
            identity.map(|one| format!("{} {}", one.provider, one.model))
        };
        let vectors = embedder(&self.embedder).unwrap_or_else(|| "no model".to_owned());
        let next = embedder(&self.next_embedder).map(|next| format!(" and {next}")).unwrap_or_default();
        format!("lessons by {text}, judging by {judge}, vectors by {vectors}{next}")
    }
}

impl fmt::Debug for Models {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let identity =
            |embedder: &Option<Arc<dyn Embedder>>| embedder.as_ref().map(|one| one.identity().clone());
        f.debug_struct("Models")
            .field("text", &self.text.as_ref().map(|model| model.name().to_owned()))
            .field("judge", &self.judge.as_ref().map(|model| model.name().to_owned()))
            .field("embedder", &identity(&self.embedder))
            .field("next_embedder", &identity(&self.next_embedder))
            .finish_non_exhaustive()
    }
}

/// Models with what was learned about them while this process runs.
#[derive(Debug)]
pub(crate) struct ModelState {
    pub(crate) models: Models,
    pub(crate) text_breaker: Breaker,
    judge_breaker: Breaker,
    /// The embedder and the next one, as far as they are there. Each with a space of its own.
    pub(crate) embeddings: Vec<Embeddings>,
    /// Spaces by number. They never change.
    spaces: Cache<SpaceId, Arc<SpaceRow>>,
}

impl ModelState {
    pub(crate) fn new(models: Models) -> Self {
        let deadline = models.question_deadline;
        let one = models.embedder.clone().map(|embedder| {
            let names = ["embedder", "embedder of questions"];
            Embeddings::new(embedder, models.embeds, deadline, names)
        });
        let next = models.next_embedder.clone().map(|embedder| {
            let names = ["next embedder", "next embedder of questions"];
            Embeddings::new(embedder, models.next_embeds, deadline, names)
        });
        let embeddings = one.into_iter().chain(next).collect();
        Self {
            models,
            text_breaker: Breaker::new("text model"),
            judge_breaker: Breaker::new("judge model"),
            embeddings,
            spaces: Cache::new(1000),
        }
    }

    /// The model that judges, and how it is doing.
    pub(crate) fn judge(&self) -> Option<(Arc<dyn TextModel>, &Breaker)> {
        let own = self.models.judge.clone().map(|model| (model, &self.judge_breaker));
        own.or_else(|| self.models.text.clone().map(|model| (model, &self.text_breaker)))
    }

    /// How long learning in a project should wait, because a model that it needs is known to be down. A
    /// project needs the embedder of the space that it reads, and no other.
    pub(crate) fn closed_for(&self, read_space: Option<SpaceId>) -> Option<Duration> {
        let now = Instant::now();
        let needed = match read_space {
            None => self.embeddings.first(),
            read => self.embeddings.iter().find(|one| one.known_space().map(|space| space.id) == read),
        };
        let embedder = needed.and_then(|one| one.breaker.closed_for(now));
        self.text_breaker.closed_for(now).into_iter().chain(embedder).max()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use reflect_model::scripted::ScriptedModel;

    #[test]
    fn the_log_says_who_does_what() {
        assert_eq!(Models::default().said(), "lessons by no model, judging by no model, vectors by no model");
        let model = Arc::new(ScriptedModel::new().named("m"));
        let said = Models { text: Some(model), ..Models::default() }.said();
        assert_eq!(said, "lessons by m, judging by m, vectors by no model");
    }
}
