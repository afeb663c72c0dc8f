//! Embedding migrations: continues those whose job was lost, and finishes old ones.

use std::time::Duration;

use reflect_store::{AuditActor, EmbeddingMigration, Store, StoreError};
use reflect_types::{ProjectId, SpaceChangeState as State};

use crate::project_cache::ProjectCache;

/// How long the old vectors are kept after a switch, for a rollback.
const KEPT: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// Gives other processes time to notice a change.
const PAUSE: Duration = Duration::from_secs(10);

/// What a migration needs.
#[derive(Debug, PartialEq, Eq)]
enum Need {
    Nothing,
    Work,
    End,
}

/// Advances the migration of a project, if there is one. Returns how many it finished.
pub(super) async fn advance(
    store: &Store,
    projects: &ProjectCache,
    project: ProjectId,
) -> Result<u64, StoreError> {
    let store = store.project(project);
    let Some(change) = store.spaces().migration().await? else { return Ok(0) };
    match need(&change) {
        Need::Nothing => Ok(0),
        Need::Work => {
            store.spaces().postpone(&change, None, PAUSE).await?;
            Ok(0)
        }
        Need::End => {
            let actor = AuditActor::local("maintenance");
            match store.spaces().finish(&change, &[State::Switched], &actor).await {
                // Another process was faster, or the migration was rolled back.
                Err(StoreError::Conflict { .. }) => return Ok(0),
                done => done?,
            }
            projects.invalidate(project).await;
            Ok(1)
        }
    }
}

fn need(change: &EmbeddingMigration) -> Need {
    match change.state() {
        State::Switched if change.switched_seconds.is_some_and(|seconds| seconds >= KEPT.as_secs_f64()) => {
            Need::End
        }
        State::Filling => Need::Work,
        State::Abandoned | State::Finished if change.cleared_at.is_none() => Need::Work,
        _ => Need::Nothing,
    }
}
