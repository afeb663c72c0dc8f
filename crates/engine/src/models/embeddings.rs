//! One embedder: the space that its vectors belong to, how long a question waits for one, and the ones that
//! were computed a moment ago.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use moka::future::Cache;
use reflect_model::{EmbedPurpose, Embedder, Embedding, ModelError, Remedy};
use reflect_store::{SpaceId, SpaceName, SpaceRow, Store, StoreError};
use reflect_types::{EmbeddedText, ProjectId};
use tokio::sync::OnceCell;

use crate::models::Breaker;

/// Longer and a question is answered by words instead, within the second that an agent may be made to wait.
const QUESTION_DEADLINE: Duration = Duration::from_millis(500);
const MOST_REMEMBERED: u64 = 10_000;
/// What comes after it is cut off by most models anyway, and refused by some.
const LONGEST_TEXT: usize = 8_000;
/// The index that is searched carries the vectors themselves, and an entry of it has to fit its page.
const MOST_DIMENSIONS: usize = 1300;

/// Why there is no vector.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EmbedFailure {
    /// Nobody could compute one.
    #[error("no embedder is configured")]
    NoEmbedder,
    /// Nobody could compute one that belongs there.
    #[error("the project's memories were embedded by another model")]
    OtherModel,
    /// The embedder failed.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// An embedder with its space, its breakers and its memory.
pub(crate) struct Embeddings {
    embedder: Arc<dyn Embedder>,
    /// What of a memory it embeds.
    pub(crate) embeds: EmbeddedText,
    /// Known from the first vector on, because only a vector says how many dimensions it has.
    space: OnceCell<SpaceRow>,
    recent: Cache<(ProjectId, [u8; 32]), Arc<Embedding>>,
    deadline: Duration,
    /// For memories, which can wait.
    pub(crate) breaker: Breaker,
    /// For questions, which cannot. An embedder may be too slow for them and good enough for memories.
    question_breaker: Breaker,
}

impl fmt::Debug for Embeddings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Embeddings").field("space", &self.space).finish_non_exhaustive()
    }
}

impl Embeddings {
    pub(crate) fn new(
        embedder: Arc<dyn Embedder>,
        embeds: EmbeddedText,
        deadline: Option<Duration>,
        [name, name_for_questions]: [&'static str; 2],
    ) -> Self {
        Self {
            embedder,
            embeds,
            space: OnceCell::new(),
            recent: Cache::builder().max_capacity(MOST_REMEMBERED).build(),
            deadline: deadline.unwrap_or(QUESTION_DEADLINE),
            breaker: Breaker::new(name),
            question_breaker: Breaker::new(name_for_questions),
        }
    }

    /// What it is called.
    pub(crate) fn model(&self) -> &str {
        &self.embedder.identity().model
    }

    /// The space of its vectors, if there has been one.
    pub(crate) fn known_space(&self) -> Option<&SpaceRow> {
        self.space.get()
    }

    /// The space of its vectors. The first time, something is embedded to see it.
    pub(crate) async fn own_space(&self, store: &Store) -> Result<SpaceRow, EmbedFailure> {
        if self.space.get().is_none() {
            self.vectors(store, &["space".to_owned()], EmbedPurpose::Query).await?;
        }
        self.space.get().cloned().ok_or(EmbedFailure::OtherModel)
    }

    /// Whether its vectors belong to a space, as far as that is known.
    pub(crate) fn may_make(&self, space: &SpaceRow) -> bool {
        let (identity, name) = (self.embedder.identity(), &space.name);
        match self.space.get() {
            Some(own) => own.id == space.id,
            None => {
                (&identity.provider, &identity.model, &identity.revision, self.embeds)
                    == (&name.provider, &name.model, &name.revision, name.embeds)
            }
        }
    }

    /// The vector of a question and its space, soon or not at all.
    pub(super) async fn question(
        &self,
        store: &Store,
        project: ProjectId,
        task: &str,
    ) -> Result<(SpaceId, Arc<Embedding>), EmbedFailure> {
        let key = (project, *blake3::hash(task.as_bytes()).as_bytes());
        if let (Some(vector), Some(space)) = (self.recent.get(&key).await, self.space.get()) {
            return Ok((space.id, vector));
        }
        let texts = [task.to_owned()];
        let embedded = self.embed(store, &texts, EmbedPurpose::Query, &self.question_breaker);
        let (space, vectors) = tokio::time::timeout(self.deadline, embedded).await.unwrap_or_else(|_| {
            self.question_breaker.failed(None, Instant::now());
            let message = format!("the embedder did not answer within {} ms", self.deadline.as_millis());
            Err(ModelError::retry_later(message, None).into())
        })?;
        let vector = vectors.into_iter().next().map(Arc::new);
        let vector = vector.ok_or_else(|| ModelError::unreadable("the embedder gave no vector"))?;
        self.recent.insert(key, vector.clone()).await;
        Ok((space, vector))
    }

    /// Vectors of texts, when they come, and their space.
    pub(crate) async fn vectors(
        &self,
        store: &Store,
        texts: &[String],
        purpose: EmbedPurpose,
    ) -> Result<(SpaceId, Vec<Embedding>), EmbedFailure> {
        self.embed(store, texts, purpose, &self.breaker).await
    }

    async fn embed(
        &self,
        store: &Store,
        texts: &[String],
        purpose: EmbedPurpose,
        breaker: &Breaker,
    ) -> Result<(SpaceId, Vec<Embedding>), EmbedFailure> {
        if let Err(rest) = breaker.enter(Instant::now()) {
            let message = "the embedder does not answer and is left alone for a while";
            return Err(ModelError::retry_later(message, Some(rest)).into());
        }
        let texts: Vec<String> = texts.iter().map(|text| text.chars().take(LONGEST_TEXT).collect()).collect();
        let vectors = self.embedder.embed(&texts, purpose).await.inspect_err(|error| match error.remedy {
            Remedy::RetryLater { after } => breaker.failed(after, Instant::now()),
            Remedy::DoNotRetry | Remedy::Unreadable => breaker.answered(),
        })?;
        breaker.answered();
        let dimensions = vectors.first().map_or(0, Embedding::dimensions);
        let alike = vectors.iter().all(|vector| vector.dimensions() == dimensions);
        if vectors.len() != texts.len() || !alike {
            let message = format!("the embedder gave {} vectors for {} texts", vectors.len(), texts.len());
            let message =
                if alike { message } else { "the embedder gave vectors of several sizes".to_owned() };
            return Err(ModelError::unreadable(message).into());
        }
        Ok((self.space(store, dimensions).await?, vectors))
    }

    async fn space(&self, store: &Store, dimensions: usize) -> Result<SpaceId, EmbedFailure> {
        let identity = self.embedder.identity();
        if dimensions > MOST_DIMENSIONS {
            let message = format!(
                "the embedder {} gives {dimensions} dimensions and at most {MOST_DIMENSIONS} can be searched; \
                 choose another model, or ask for fewer with --embedder-dimensions where the model allows it",
                identity.model
            );
            return Err(ModelError::do_not_retry(message).into());
        }
        let found = self.space.get_or_try_init(|| async {
            let name = SpaceName {
                provider: identity.provider.clone(),
                model: identity.model.clone(),
                revision: identity.revision.clone(),
                dimensions,
                embeds: self.embeds,
            };
            let space = store.ensure_space(&name).await?;
            tracing::info!(
                space = space.id,
                dimensions,
                model = name.model,
                "embedding with {} in space {}",
                name.model,
                space.id
            );
            Ok::<_, StoreError>(space)
        });
        let space = found.await?;
        if space.name.dimensions != dimensions {
            let message = format!(
                "the embedder {} gave {dimensions} dimensions after {} before: is another model served under its name?",
                identity.model, space.name.dimensions
            );
            return Err(ModelError::unreadable(message).into());
        }
        Ok(space.id)
    }
}
