//! Which models an engine uses.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use reflect_model::{Embedder, TextModel};
use reflect_types::EmbeddedText;

/// The models that the engine may call. All are optional: without a text model, lessons are composed from the review;
/// without an embedder, memories are searched by words.
#[derive(Clone, Default)]
pub struct Models {
    /// Writes lessons and skills.
    pub text: Option<Arc<dyn TextModel>>,
    /// Judges runs; `None` to use the text model.
    pub judge: Option<Arc<dyn TextModel>>,
    /// Turns texts into vectors. Projects that have no space yet get its space.
    pub embedder: Option<Arc<dyn Embedder>>,
    /// The part of a memory that it embeds.
    pub embeds: EmbeddedText,
    /// A second embedder, for projects that migrate to another model. A project that has a space always uses the
    /// embedder of that space, whichever of the two it is.
    pub next_embedder: Option<Arc<dyn Embedder>>,
    /// The part of a memory that the second embedder embeds.
    pub next_embeds: EmbeddedText,
    /// How long a query may wait for its vector before it is answered by a search for words.
    pub question_deadline: Option<Duration>,
}

impl Models {
    /// Which model does what, for the log.
    pub fn describe(&self) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;
    use reflect_model::scripted::ScriptedModel;

    #[test]
    fn the_log_says_which_model_does_what() {
        assert_eq!(
            Models::default().describe(),
            "lessons by no model, judging by no model, vectors by no model"
        );
        let model = Arc::new(ScriptedModel::new().named("m"));
        let described = Models { text: Some(model), ..Models::default() }.describe();
        assert_eq!(described, "lessons by m, judging by m, vectors by no model");
    }
}
