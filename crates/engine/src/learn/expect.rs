//! What was to be expected of a run, so that its memories are credited with the rest.

use reflect_store::{LearnInput, SearchBy, SpaceId};
use reflect_types::ProjectId;

use super::Obstacle;
use crate::Engine;
use crate::credit::{NEIGHBOURS, Neighbour, RECENT_REVIEWS, Tally, expected_success};

/// The vectors of a task, each in its space.
type Vectors = Vec<(SpaceId, Vec<f32>)>;

impl Engine {
    /// How likely the run was to pass whatever memories it had. None when it had none: nobody asks then.
    pub(super) async fn expected(
        &self,
        project: ProjectId,
        input: &LearnInput,
        vectors: &Vectors,
    ) -> Result<Option<f32>, Obstacle> {
        if input.linked.is_empty() {
            return Ok(None);
        }
        let task = self.task_vector(project, &input.task, vectors).await?;
        let mut search = self.store.project(project).search(SearchBy::Vector).await?;
        // Without its own: what became of it is not what was to be expected of it.
        let (reviews, passes) = search.recent_reviews(RECENT_REVIEWS, input.review_id).await?;
        let mut neighbours = Vec::new();
        if let Some((space, vector)) = task {
            let found = search.neighbours(space, &vector, NEIGHBOURS).await?;
            neighbours =
                found.into_iter().map(|(similarity, passed)| Neighbour { similarity, passed }).collect();
        }
        search.close().await?;
        Ok(Some(expected_success(Tally { reviews, passes }, &neighbours)))
    }
}
