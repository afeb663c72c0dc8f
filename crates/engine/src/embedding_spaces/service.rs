//! Starting, switching, rolling back and finishing an embedding migration.

use reflect_store::{AuditActor, EmbeddingMigration, ProjectFacts, SpaceId, SpaceRow, Store, StoreError};
use reflect_types::SpaceChangeState as State;

use crate::caller::Visitor;
use crate::error::EngineError;
use crate::models::{EmbedFailure, Embeddings, similarity_threshold};
use crate::project_cache::ProjectCache;

/// A space as one project sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownSpace {
    /// The space.
    pub row: SpaceRow,
    /// The similarity threshold: the project's own, or else that of the space.
    pub similarity_threshold: f32,
    /// Whether this server has an embedder for the space.
    pub has_embedder: bool,
}

/// The spaces of a project, and the progress of its latest embedding migration.
#[derive(Debug, Clone, PartialEq)]
pub struct EmbeddingStatus {
    /// The space that queries search; `None` before the first vector.
    pub reads: Option<KnownSpace>,
    /// The spaces in which new memories are indexed.
    pub writes: Vec<KnownSpace>,
    /// The latest migration with its old and its new space; `None` if there was none.
    pub last: Option<(EmbeddingMigration, KnownSpace, KnownSpace)>,
}

/// Changes the embedding model of projects.
#[derive(Debug, Clone)]
pub struct EmbeddingSpaces {
    pub(super) store: Store,
    projects: ProjectCache,
    pub(super) embeddings: Embeddings,
}

impl EmbeddingSpaces {
    pub(crate) const fn new(store: Store, projects: ProjectCache, embeddings: Embeddings) -> Self {
        Self { store, projects, embeddings }
    }

    /// The spaces of the project, and the progress of its latest migration.
    pub async fn status(&self, visitor: &Visitor) -> Result<EmbeddingStatus, EngineError> {
        let facts = self.store.catalogue().project_facts(visitor.project).await?;
        let reads = match facts.read_space {
            Some(space) => Some(self.known_space(&facts, space).await?),
            None => None,
        };
        let mut writes = Vec::new();
        for &space in &facts.write_spaces {
            writes.push(self.known_space(&facts, space).await?);
        }
        let last = match self.store.project(visitor.project).spaces().migration().await? {
            Some(change) => {
                let from = self.known_space(&facts, change.from_space).await?;
                let to = self.known_space(&facts, change.to_space).await?;
                Some((change, from, to))
            }
            None => None,
        };
        Ok(EmbeddingStatus { reads, writes, last })
    }

    async fn known_space(&self, facts: &ProjectFacts, space: SpaceId) -> Result<KnownSpace, StoreError> {
        let row = self.embeddings.space(space).await?;
        let (similarity_threshold, has_embedder) =
            (similarity_threshold(facts, &row), self.embeddings.maker(&row).is_some());
        Ok(KnownSpace { row: row.as_ref().clone(), similarity_threshold, has_embedder })
    }

    /// Starts to embed the project's memories with the other embedder.
    pub async fn start(&self, visitor: &Visitor, actor: &AuditActor) -> Result<EmbeddingStatus, EngineError> {
        let project = self.store.project(visitor.project);
        let Some(from) = self.store.catalogue().project_facts(visitor.project).await?.read_space else {
            return Err(not_ready(
                "the project has no memory with a vector yet, so there is nothing to migrate",
            ));
        };
        let last = project.spaces().migration().await?;
        if last.is_some_and(|last| !last.state().is_live() && last.cleared_at.is_none()) {
            return Err(not_ready(
                "vectors of the previous migration are still being removed; try again later",
            ));
        }
        let to = self.other_space(from).await?;
        project.spaces().start(from, to, actor).await?;
        self.projects.invalidate(visitor.project).await;
        self.status(visitor).await
    }

    /// The space of an embedder other than that of `from`; the next embedder is preferred.
    async fn other_space(&self, from: SpaceId) -> Result<SpaceId, EngineError> {
        for embedder in self.embeddings.newest_first() {
            let space = embedder.own_space().await.map_err(|failure| match failure {
                EmbedFailure::Model(error) => EngineError::Model(error),
                EmbedFailure::Store(error) => error.into(),
                EmbedFailure::NoEmbedder | EmbedFailure::OtherModel => not_ready(&failure.to_string()),
            })?;
            if space.id != from {
                return Ok(space.id);
            }
        }
        Err(not_ready(
            "no other embedder is configured than the one whose vectors the project has; name another with \
             --next-embedder",
        ))
    }

    /// Switches queries to the new space, optionally with a threshold for the project.
    pub async fn switch(
        &self,
        visitor: &Visitor,
        threshold: Option<f32>,
        actor: &AuditActor,
    ) -> Result<EmbeddingStatus, EngineError> {
        check_threshold(threshold)?;
        let (project, change) = (self.store.project(visitor.project), self.live_change(visitor).await?);
        let to = self.embeddings.space(change.to_space).await?;
        if self.embeddings.maker(&to).is_none() {
            return Err(not_ready(
                "this server has no embedder for the new space, so queries could not use it",
            ));
        }
        if change.state() == State::Filling || !project.spaces().switch(&change, threshold, actor).await? {
            return Err(not_ready("not every memory has its vector in the new space yet"));
        }
        self.projects.invalidate(visitor.project).await;
        self.status(visitor).await
    }

    /// Switches queries back to the old space. A migration that was not switched is abandoned.
    pub async fn roll_back(
        &self,
        visitor: &Visitor,
        actor: &AuditActor,
    ) -> Result<EmbeddingStatus, EngineError> {
        let (project, change) = (self.store.project(visitor.project), self.live_change(visitor).await?);
        match change.state() {
            State::Filling | State::Ready => {
                project.spaces().finish(&change, &[State::Filling, State::Ready], actor).await?;
            }
            _ => project.spaces().roll_back(&change, actor).await?,
        }
        self.projects.invalidate(visitor.project).await;
        self.status(visitor).await
    }

    /// Finishes a migration: the space that queries read stays, the vectors of the other one are removed.
    pub async fn finish(
        &self,
        visitor: &Visitor,
        actor: &AuditActor,
    ) -> Result<EmbeddingStatus, EngineError> {
        let (project, change) = (self.store.project(visitor.project), self.live_change(visitor).await?);
        if matches!(change.state(), State::Filling | State::Ready) {
            return Err(not_ready("the migration has not been switched yet; roll it back to abandon it"));
        }
        project.spaces().finish(&change, &[State::Switched, State::RolledBack], actor).await?;
        self.projects.invalidate(visitor.project).await;
        self.status(visitor).await
    }

    pub(super) async fn live_change(&self, visitor: &Visitor) -> Result<EmbeddingMigration, EngineError> {
        let last = self.store.project(visitor.project).spaces().migration().await?;
        let live = last.filter(|change| change.state().is_live());
        live.ok_or_else(|| not_ready("no embedding migration is in progress"))
    }
}

pub(super) fn check_threshold(threshold: Option<f32>) -> Result<(), EngineError> {
    match threshold {
        Some(least) if !(-1.0..=1.0).contains(&least) => {
            Err(EngineError::invalid("similarity_threshold", "must lie between -1 and 1"))
        }
        _ => Ok(()),
    }
}

pub(super) fn not_ready(message: &str) -> EngineError {
    EngineError::NotReady(message.to_owned())
}
