//! How earlier runs went: those of similar tasks, and those of the project in general.

use reflect_types::ReviewId;

use crate::error::StoreError;
use crate::memories::Search;
use crate::spaces::SpaceId;

/// Memories that were brought from elsewhere have no run behind them; asking for more finds enough.
const WIDER: i64 = 4;
const WIDEST: i64 = 100_000;

#[derive(sqlx::FromRow)]
struct Found {
    similarity: f32,
    passed: bool,
    looked_at: i64,
}

impl Search {
    /// How similar the tasks of the nearest reviewed runs are, and whether those runs passed; nearest first.
    pub async fn neighbours(
        &mut self,
        space: SpaceId,
        task: &[f32],
        most: usize,
    ) -> Result<Vec<(f32, bool)>, StoreError> {
        let mut asked = most as i64 * 2;
        loop {
            let found: Vec<Found> = sqlx::query_as(include_str!("../../sql/memories/neighbours.sql"))
                .bind(self.project.project)
                .bind(space)
                .bind(task)
                .bind(asked)
                .fetch_all(&mut *self.transaction)
                .await?;
            // Without a row there is no count; the widest look then ends the search.
            let exhausted = found.first().is_some_and(|first| first.looked_at < asked);
            if found.len() >= most || exhausted || asked >= WIDEST {
                let nearest = found.into_iter().take(most);
                return Ok(nearest.map(|found| (found.similarity, found.passed)).collect());
            }
            asked *= WIDER;
        }
    }

    /// How many of the project's last reviews there are, and how many of them were passes, without one.
    pub async fn recent_reviews(&mut self, most: usize, without: ReviewId) -> Result<(u32, u32), StoreError> {
        let (reviews, passes): (i64, i64) = sqlx::query_as(include_str!("../../sql/reviews/recent.sql"))
            .bind(self.project.project)
            .bind(most as i64)
            .bind(without)
            .fetch_one(&mut *self.transaction)
            .await?;
        Ok((u32::try_from(reviews).unwrap_or(u32::MAX), u32::try_from(passes).unwrap_or(u32::MAX)))
    }
}
