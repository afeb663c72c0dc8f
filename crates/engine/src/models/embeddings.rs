//! Vectors of tasks: which space they belong to, how long a question waits for one, and the ones that
//! were computed a moment ago.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use moka::future::Cache;
use reflect_model::{EmbedPurpose, Embedder, Embedding, ModelError, Remedy};
use reflect_store::{Space, SpaceName, Store, StoreError};
use reflect_types::ProjectId;
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
    /// The embedder failed.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The embedder with its space, its breaker and its memory.
pub(crate) struct Embeddings {
    embedder: Option<Arc<dyn Embedder>>,
    /// Known from the first vector on, because only a vector says how many dimensions it has.
    space: OnceCell<(Space, usize)>,
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
    pub(crate) fn new(embedder: Option<Arc<dyn Embedder>>, deadline: Option<Duration>) -> Self {
        Self {
            embedder,
            space: OnceCell::new(),
            recent: Cache::builder().max_capacity(MOST_REMEMBERED).build(),
            deadline: deadline.unwrap_or(QUESTION_DEADLINE),
            breaker: Breaker::new("embedder"),
            question_breaker: Breaker::new("embedder of questions"),
        }
    }

    pub(crate) const fn is_there(&self) -> bool {
        self.embedder.is_some()
    }

    /// The vector of a text that is to be found.
    pub(crate) async fn document(
        &self,
        store: &Store,
        text: &str,
    ) -> Result<(Space, Embedding), EmbedFailure> {
        self.embed(store, text, EmbedPurpose::Document, &self.breaker).await
    }

    /// The vector of a question, soon or not at all.
    pub(crate) async fn question(
        &self,
        store: &Store,
        project: ProjectId,
        task: &str,
    ) -> Result<(Space, Arc<Embedding>), EmbedFailure> {
        let key = (project, *blake3::hash(task.as_bytes()).as_bytes());
        if let (Some(vector), Some((space, _))) = (self.recent.get(&key).await, self.space.get()) {
            return Ok((*space, vector));
        }
        let embedded = self.embed(store, task, EmbedPurpose::Query, &self.question_breaker);
        let (space, vector) = tokio::time::timeout(self.deadline, embedded).await.unwrap_or_else(|_| {
            self.question_breaker.failed(None, Instant::now());
            let message = format!("the embedder did not answer within {} ms", self.deadline.as_millis());
            Err(ModelError::retry_later(message, None).into())
        })?;
        let vector = Arc::new(vector);
        self.recent.insert(key, vector.clone()).await;
        Ok((space, vector))
    }

    /// Vectors of several texts that are to be found.
    pub(crate) async fn documents(
        &self,
        store: &Store,
        texts: &[String],
    ) -> Result<(Space, Vec<Embedding>), EmbedFailure> {
        let embedder = self.embedder.as_ref().ok_or(EmbedFailure::NoEmbedder)?;
        let texts: Vec<String> = texts.iter().map(|text| text.chars().take(LONGEST_TEXT).collect()).collect();
        let vectors = embedder.embed(&texts, EmbedPurpose::Document).await?;
        let dimensions = vectors.first().map_or(0, Embedding::dimensions);
        Ok((self.space(store, embedder.as_ref(), dimensions).await?, vectors))
    }

    async fn embed(
        &self,
        store: &Store,
        text: &str,
        purpose: EmbedPurpose,
        breaker: &Breaker,
    ) -> Result<(Space, Embedding), EmbedFailure> {
        let embedder = self.embedder.as_ref().ok_or(EmbedFailure::NoEmbedder)?;
        if let Err(rest) = breaker.enter(Instant::now()) {
            let message = "the embedder does not answer and is left alone for a while";
            return Err(ModelError::retry_later(message, Some(rest)).into());
        }
        let text: String = text.chars().take(LONGEST_TEXT).collect();
        let vectors = embedder.embed(&[text], purpose).await.inspect_err(|error| match error.remedy {
            Remedy::RetryLater { after } => breaker.failed(after, Instant::now()),
            Remedy::DoNotRetry | Remedy::Unreadable => breaker.answered(),
        })?;
        breaker.answered();
        let vector = vectors.into_iter().next();
        let vector = vector.ok_or_else(|| ModelError::unreadable("the embedder gave no vector"))?;
        let space = self.space(store, embedder.as_ref(), vector.dimensions()).await?;
        Ok((space, vector))
    }

    async fn space(
        &self,
        store: &Store,
        embedder: &dyn Embedder,
        dimensions: usize,
    ) -> Result<Space, EmbedFailure> {
        let identity = embedder.identity();
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
            Ok::<_, StoreError>((space, dimensions))
        });
        let (space, expected) = found.await?;
        if *expected != dimensions {
            let message = format!(
                "the embedder {} gave {dimensions} dimensions after {expected} before: is another model served under its name?",
                identity.model
            );
            return Err(ModelError::unreadable(message).into());
        }
        Ok(*space)
    }
}
