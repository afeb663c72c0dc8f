//! Embedders and their spaces. A vector is always requested for a space, so vectors of two spaces are never compared.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use moka::future::Cache;
use reflect_model::{EmbedPurpose, Embedder, Embedding, ModelError, Remedy};
use reflect_store::{ProjectFacts, SpaceId, SpaceName, SpaceRow, Store, StoreError};
use reflect_types::{EmbeddedText, ProjectId};
use tokio::sync::OnceCell;

use super::breaker::Breaker;
use super::config::Models;

/// After this time a query is answered by a search for words, to keep an agent waiting for less than a second.
const QUESTION_DEADLINE: Duration = Duration::from_millis(500);
const MOST_REMEMBERED: u64 = 10_000;
/// Most models ignore the text after this length, and some refuse it.
const LONGEST_TEXT: usize = 8_000;
/// The index contains the vectors, and an index entry has to fit on a page.
const MOST_DIMENSIONS: usize = 1300;

/// Why there is no vector.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EmbedFailure {
    /// No embedder is configured.
    #[error("no embedder is configured")]
    NoEmbedder,
    /// No configured embedder makes vectors of this space.
    #[error("the project's memories were embedded by another model")]
    OtherModel,
    /// The embedder failed.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// An embedder with its space, its circuit breakers and its cache.
pub(crate) struct SpaceEmbedder {
    store: Store,
    embedder: Arc<dyn Embedder>,
    /// The part of a memory that it embeds.
    embeds: EmbeddedText,
    /// Set with the first vector, because only a vector shows the number of dimensions.
    space: OnceCell<SpaceRow>,
    recent: Cache<(ProjectId, [u8; 32]), Arc<Embedding>>,
    deadline: Duration,
    /// For memories, which can wait.
    breaker: Breaker,
    /// For queries, which cannot. An embedder may be too slow for queries and fast enough for memories.
    question_breaker: Breaker,
}

impl fmt::Debug for SpaceEmbedder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SpaceEmbedder").field("space", &self.space).finish_non_exhaustive()
    }
}

impl SpaceEmbedder {
    fn new(
        store: Store,
        embedder: Arc<dyn Embedder>,
        embeds: EmbeddedText,
        deadline: Option<Duration>,
        [name, name_for_questions]: [&'static str; 2],
    ) -> Self {
        Self {
            store,
            embedder,
            embeds,
            space: OnceCell::new(),
            recent: Cache::builder().max_capacity(MOST_REMEMBERED).build(),
            deadline: deadline.unwrap_or(QUESTION_DEADLINE),
            breaker: Breaker::new(name),
            question_breaker: Breaker::new(name_for_questions),
        }
    }

    /// The name of the model.
    pub(crate) fn model(&self) -> &str {
        &self.embedder.identity().model
    }

    /// The space of its vectors, if it is known.
    fn known_space(&self) -> Option<&SpaceRow> {
        self.space.get()
    }

    /// The space of its vectors. Embeds a text if the space is not known yet.
    pub(crate) async fn own_space(&self) -> Result<SpaceRow, EmbedFailure> {
        if self.space.get().is_none() {
            self.vectors(&["space".to_owned()], EmbedPurpose::Query).await?;
        }
        self.space.get().cloned().ok_or(EmbedFailure::OtherModel)
    }

    /// Whether its vectors belong to a space, as far as is known.
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

    /// The vector of a query and its space, within the deadline.
    async fn question(
        &self,
        project: ProjectId,
        task: &str,
    ) -> Result<(SpaceId, Arc<Embedding>), EmbedFailure> {
        let key = (project, *blake3::hash(task.as_bytes()).as_bytes());
        if let (Some(vector), Some(space)) = (self.recent.get(&key).await, self.space.get()) {
            return Ok((space.id, vector));
        }
        let texts = [task.to_owned()];
        let embedded = self.embed(&texts, EmbedPurpose::Query, &self.question_breaker);
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

    /// The vectors of texts, and their space.
    pub(crate) async fn vectors(
        &self,
        texts: &[String],
        purpose: EmbedPurpose,
    ) -> Result<(SpaceId, Vec<Embedding>), EmbedFailure> {
        self.embed(texts, purpose, &self.breaker).await
    }

    async fn embed(
        &self,
        texts: &[String],
        purpose: EmbedPurpose,
        breaker: &Breaker,
    ) -> Result<(SpaceId, Vec<Embedding>), EmbedFailure> {
        if let Err(rest) = breaker.enter(Instant::now()) {
            let message = "the embedder does not answer; no calls are sent to it for a while";
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
                if alike { message } else { "the embedder gave vectors of different sizes".to_owned() };
            return Err(ModelError::unreadable(message).into());
        }
        Ok((self.ensure_space(dimensions).await?, vectors))
    }

    async fn ensure_space(&self, dimensions: usize) -> Result<SpaceId, EmbedFailure> {
        let identity = self.embedder.identity();
        if dimensions > MOST_DIMENSIONS {
            let message = format!(
                "the embedder {} gives {dimensions} dimensions and at most {MOST_DIMENSIONS} can be searched; \
                 choose another model, or set fewer with --embedder-dimensions if the model supports it",
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
            let space = self.store.catalogue().ensure_space(&name).await?;
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
                "the embedder {} gave {dimensions} dimensions instead of {}: check whether another model uses its name",
                identity.model, space.name.dimensions
            );
            return Err(ModelError::unreadable(message).into());
        }
        Ok(space.id)
    }
}

/// All embedders of this process, and the spaces of their vectors. Clones share their state.
#[derive(Debug, Clone)]
pub(crate) struct Embeddings {
    store: Store,
    /// The embedder and the next one, if they are configured. Each has a space of its own.
    embedders: Arc<Vec<SpaceEmbedder>>,
    /// Spaces by id. A space never changes.
    spaces: Cache<SpaceId, Arc<SpaceRow>>,
}

impl Embeddings {
    pub(crate) fn new(store: Store, models: &Models) -> Self {
        let deadline = models.question_deadline;
        let first = models.embedder.clone().map(|embedder| {
            let names = ["embedder", "embedder of questions"];
            SpaceEmbedder::new(store.clone(), embedder, models.embeds, deadline, names)
        });
        let next = models.next_embedder.clone().map(|embedder| {
            let names = ["next embedder", "next embedder of questions"];
            SpaceEmbedder::new(store.clone(), embedder, models.next_embeds, deadline, names)
        });
        let embedders = Arc::new(first.into_iter().chain(next).collect());
        Self { store, embedders, spaces: Cache::new(1000) }
    }

    /// The embedder for projects that have no space yet; `None` if no embedder is configured.
    pub(crate) fn first(&self) -> Option<&SpaceEmbedder> {
        self.embedders.first()
    }

    /// All embedders, the next one first.
    pub(crate) fn newest_first(&self) -> impl Iterator<Item = &SpaceEmbedder> {
        self.embedders.iter().rev()
    }

    /// Whether no embedder is configured.
    pub(crate) fn is_empty(&self) -> bool {
        self.embedders.is_empty()
    }

    /// A space by its id.
    pub(crate) async fn space(&self, id: SpaceId) -> Result<Arc<SpaceRow>, StoreError> {
        if let Some(space) = self.spaces.get(&id).await {
            return Ok(space);
        }
        let space = Arc::new(self.store.catalogue().space(id).await?);
        self.spaces.insert(id, space.clone()).await;
        Ok(space)
    }

    /// The configured embedder that makes, or may turn out to make, the vectors of a space.
    pub(crate) fn maker(&self, space: &SpaceRow) -> Option<&SpaceEmbedder> {
        self.embedders.iter().find(|one| one.may_make(space))
    }

    /// The vector of a query in a space, within the deadline for queries.
    pub(crate) async fn question(
        &self,
        project: ProjectId,
        space: &SpaceRow,
        task: &str,
    ) -> Result<Arc<Embedding>, EmbedFailure> {
        for one in self.makers(space)? {
            let (made, vector) = one.question(project, task).await?;
            if made == space.id {
                return Ok(vector);
            }
        }
        Err(EmbedFailure::OtherModel)
    }

    /// The vectors of texts in a space.
    pub(crate) async fn vectors(
        &self,
        space: &SpaceRow,
        texts: &[String],
        purpose: EmbedPurpose,
    ) -> Result<Vec<Embedding>, EmbedFailure> {
        for one in self.makers(space)? {
            let (made, vectors) = one.vectors(texts, purpose).await?;
            if made == space.id {
                return Ok(vectors);
            }
        }
        Err(EmbedFailure::OtherModel)
    }

    /// Counts a timeout of the embedder of a space as a failure.
    pub(crate) fn record_timeout(&self, space: SpaceId) {
        let of_space = |one: &&SpaceEmbedder| one.known_space().is_some_and(|known| known.id == space);
        if let Some(one) = self.embedders.iter().find(of_space) {
            one.breaker.failed(None, Instant::now());
        }
    }

    /// How long the embedder that a project needs is not called; `None` if it may be called. A project needs the
    /// embedder of the space that it reads.
    pub(crate) fn retry_after(&self, read_space: Option<SpaceId>) -> Option<Duration> {
        let needed = match read_space {
            None => self.first(),
            read => self.embedders.iter().find(|one| one.known_space().map(|space| space.id) == read),
        };
        needed.and_then(|one| one.breaker.retry_after(Instant::now()))
    }

    /// The embedders that may make a space. Two embedders of the same name may differ in dimensions, which shows only
    /// with the first vector.
    fn makers<'a>(
        &'a self,
        space: &'a SpaceRow,
    ) -> Result<impl Iterator<Item = &'a SpaceEmbedder>, EmbedFailure> {
        if self.embedders.is_empty() {
            return Err(EmbedFailure::NoEmbedder);
        }
        Ok(self.embedders.iter().filter(|one| one.may_make(space)))
    }
}

/// The similarity threshold of a space for a project: the project's own, or else that of the space.
pub(crate) fn similarity_threshold(facts: &ProjectFacts, space: &SpaceRow) -> f32 {
    facts.thresholds.get(&space.id).copied().unwrap_or(space.similarity_threshold)
}
