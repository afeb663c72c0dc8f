//! From a space to the embedder that makes it. A vector is always asked for in a space, so that it can never
//! meet vectors of another.

use std::sync::Arc;

use reflect_model::{EmbedPurpose, Embedding};
use reflect_store::{SpaceId, SpaceRow, Store, StoreError};
use reflect_types::ProjectId;

use super::{EmbedFailure, Embeddings, ModelState};

impl ModelState {
    /// A space by its number.
    pub(crate) async fn space(&self, store: &Store, id: SpaceId) -> Result<Arc<SpaceRow>, StoreError> {
        if let Some(space) = self.spaces.get(&id).await {
            return Ok(space);
        }
        let space = Arc::new(store.space(id).await?);
        self.spaces.insert(id, space.clone()).await;
        Ok(space)
    }

    /// Whether an embedder that is there makes, or may turn out to make, the vectors of a space.
    pub(crate) fn makes(&self, space: &SpaceRow) -> bool {
        self.embeddings.iter().any(|one| one.may_make(space))
    }

    /// The vector of a question in a space, soon or not at all.
    pub(crate) async fn question(
        &self,
        store: &Store,
        project: ProjectId,
        space: &SpaceRow,
        task: &str,
    ) -> Result<Arc<Embedding>, EmbedFailure> {
        for one in self.makers(space)? {
            let (made, vector) = one.question(store, project, task).await?;
            if made == space.id {
                return Ok(vector);
            }
        }
        Err(EmbedFailure::OtherModel)
    }

    /// The vectors of texts in a space.
    pub(crate) async fn vectors(
        &self,
        store: &Store,
        space: &SpaceRow,
        texts: &[String],
        purpose: EmbedPurpose,
    ) -> Result<Vec<Embedding>, EmbedFailure> {
        for one in self.makers(space)? {
            let (made, vectors) = one.vectors(store, texts, purpose).await?;
            if made == space.id {
                return Ok(vectors);
            }
        }
        Err(EmbedFailure::OtherModel)
    }

    /// Somebody stopped waiting for vectors of a space.
    pub(crate) fn gave_up_on(&self, space: SpaceId) {
        let of_space = |one: &&Embeddings| one.known_space().is_some_and(|known| known.id == space);
        if let Some(one) = self.embeddings.iter().find(of_space) {
            one.breaker.failed(None, std::time::Instant::now());
        }
    }

    /// The embedders that may make a space. Two of one name may differ in dimensions, which only a vector
    /// shows; from the first vector on each is known for what it makes.
    fn makers<'a>(
        &'a self,
        space: &'a SpaceRow,
    ) -> Result<impl Iterator<Item = &'a Embeddings>, EmbedFailure> {
        if self.embeddings.is_empty() {
            return Err(EmbedFailure::NoEmbedder);
        }
        Ok(self.embeddings.iter().filter(|one| one.may_make(space)))
    }
}
