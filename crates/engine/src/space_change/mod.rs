//! Changing the embedding model of a project: a second space is filled beside the first while the project goes
//! on being asked and written to, both are compared, and then questions go to the other one, or back.

mod compare;
mod comparison;
mod tend;
mod walk;

use reflect_store::{Actor, ProjectFacts, SpaceChange, SpaceId, SpaceRow, StoreError};
use reflect_types::SpaceChangeState as State;

use crate::authenticate::Visitor;
use crate::models::EmbedFailure;
use crate::{Engine, EngineError};
pub use compare::ComparisonRequest;
pub use comparison::{ChangedQuestion, Comparison, Served};

/// A space, as one project sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownSpace {
    /// The space.
    pub row: SpaceRow,
    /// The least similarity: the project's own for this space, else the space's.
    pub similarity_threshold: f32,
    /// Whether this server has the embedder that makes its vectors.
    pub has_embedder: bool,
}

/// Where a project's memories are searched and placed, and how far its last change has come.
#[derive(Debug, Clone, PartialEq)]
pub struct EmbeddingChange {
    /// The space that questions go to; none before the first vector.
    pub reads: Option<KnownSpace>,
    /// The spaces that new memories are placed in.
    pub writes: Vec<KnownSpace>,
    /// The last change with the spaces it leads from and to; none when there was none.
    pub last: Option<(SpaceChange, KnownSpace, KnownSpace)>,
}

/// The least similarity that counts in a space, for a project.
pub(crate) fn threshold(facts: &ProjectFacts, space: &SpaceRow) -> f32 {
    facts.thresholds.get(&space.id).copied().unwrap_or(space.similarity_threshold)
}

impl Engine {
    /// Where the project's memories are, and how far its last change has come.
    pub async fn embedding_change(&self, visitor: &Visitor) -> Result<EmbeddingChange, EngineError> {
        let facts = self.store.project_facts(visitor.project).await?;
        let reads = match facts.read_space {
            Some(space) => Some(self.known_space(&facts, space).await?),
            None => None,
        };
        let mut writes = Vec::new();
        for &space in &facts.write_spaces {
            writes.push(self.known_space(&facts, space).await?);
        }
        let last = match self.store.project(visitor.project).space_change().await? {
            Some(change) => {
                let from = self.known_space(&facts, change.from_space).await?;
                let to = self.known_space(&facts, change.to_space).await?;
                Some((change, from, to))
            }
            None => None,
        };
        Ok(EmbeddingChange { reads, writes, last })
    }

    async fn known_space(&self, facts: &ProjectFacts, space: SpaceId) -> Result<KnownSpace, StoreError> {
        let row = self.models.space(&self.store, space).await?;
        let (similarity_threshold, has_embedder) = (threshold(facts, &row), self.models.makes(&row));
        Ok(KnownSpace { row: row.as_ref().clone(), similarity_threshold, has_embedder })
    }

    /// Begins to embed the project's memories with the embedder that it does not read.
    pub async fn start_embedding_change(
        &self,
        visitor: &Visitor,
        actor: &Actor,
    ) -> Result<EmbeddingChange, EngineError> {
        let project = self.store.project(visitor.project);
        let Some(from) = self.store.project_facts(visitor.project).await?.read_space else {
            return Err(not_ready(
                "the project has no memory with a vector yet, so there is nothing to change",
            ));
        };
        let last = project.space_change().await?;
        if last.is_some_and(|last| !last.state().is_live() && last.cleared_at.is_none()) {
            return Err(not_ready(
                "vectors of the last change are still being removed; try again in a while",
            ));
        }
        let to = self.other_space(from).await?;
        project.start_space_change(from, to, actor).await?;
        self.known.facts.invalidate(&visitor.project).await;
        self.embedding_change(visitor).await
    }

    /// The space of an embedder that does not make this one; the next one's first.
    async fn other_space(&self, from: SpaceId) -> Result<SpaceId, EngineError> {
        for embeddings in self.models.embeddings.iter().rev() {
            let space = embeddings.own_space(&self.store).await.map_err(|failure| match failure {
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

    /// Lets questions go to the new space, with a threshold of the project's own if one is given.
    pub async fn switch_embedding(
        &self,
        visitor: &Visitor,
        threshold: Option<f32>,
        actor: &Actor,
    ) -> Result<EmbeddingChange, EngineError> {
        check_threshold(threshold)?;
        let (project, change) = (self.store.project(visitor.project), self.live_change(visitor).await?);
        let to = self.models.space(&self.store, change.to_space).await?;
        if !self.models.makes(&to) {
            return Err(not_ready("this server has no embedder for the new space, and could ask it nothing"));
        }
        if change.state() == State::Filling || !project.switch_space(&change, threshold, actor).await? {
            return Err(not_ready("not every memory has its vector in the new space yet"));
        }
        self.known.facts.invalidate(&visitor.project).await;
        self.embedding_change(visitor).await
    }

    /// Lets questions go to the old space again. A change that was never switched is given up by this.
    pub async fn roll_embedding_back(
        &self,
        visitor: &Visitor,
        actor: &Actor,
    ) -> Result<EmbeddingChange, EngineError> {
        let (project, change) = (self.store.project(visitor.project), self.live_change(visitor).await?);
        match change.state() {
            State::Filling | State::Ready => {
                project.end_space_change(&change, &[State::Filling, State::Ready], actor).await?;
            }
            _ => project.roll_space_back(&change, actor).await?,
        }
        self.known.facts.invalidate(&visitor.project).await;
        self.embedding_change(visitor).await
    }

    /// Ends a change: the space that is read stays, the other one is emptied.
    pub async fn finish_embedding_change(
        &self,
        visitor: &Visitor,
        actor: &Actor,
    ) -> Result<EmbeddingChange, EngineError> {
        let (project, change) = (self.store.project(visitor.project), self.live_change(visitor).await?);
        if matches!(change.state(), State::Filling | State::Ready) {
            return Err(not_ready("the change was not switched yet; a rollback gives it up"));
        }
        project.end_space_change(&change, &[State::Switched, State::RolledBack], actor).await?;
        self.known.facts.invalidate(&visitor.project).await;
        self.embedding_change(visitor).await
    }

    async fn live_change(&self, visitor: &Visitor) -> Result<SpaceChange, EngineError> {
        let last = self.store.project(visitor.project).space_change().await?;
        let live = last.filter(|change| change.state().is_live());
        live.ok_or_else(|| not_ready("no change of the embedding model is under way"))
    }
}

fn check_threshold(threshold: Option<f32>) -> Result<(), EngineError> {
    match threshold {
        Some(least) if !(-1.0..=1.0).contains(&least) => {
            Err(EngineError::invalid("similarity_threshold", "must lie between -1 and 1"))
        }
        _ => Ok(()),
    }
}

fn not_ready(message: &str) -> EngineError {
    EngineError::NotReady(message.to_owned())
}
