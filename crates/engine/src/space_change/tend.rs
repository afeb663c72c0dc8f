//! What a change needs that nobody asks for: it is finished in the end, and goes on when its job was lost.

use std::time::Duration;

use reflect_store::{Actor, SpaceChange, StoreError};
use reflect_types::SpaceChangeState as State;

use crate::Engine;

/// How long after a switch the old vectors are kept for a rollback.
const KEPT: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// As long as a change that was ended just now leaves other processes to notice.
const PAUSE: Duration = Duration::from_secs(10);

/// What a change needs.
#[derive(Debug, PartialEq, Eq)]
enum Need {
    Nothing,
    Work,
    End,
}

impl Engine {
    /// Looks after the changes of all projects. Says how many it ended.
    pub async fn tend_space_changes(&self) -> Result<u64, StoreError> {
        let mut ended = 0;
        for (project, _) in self.store.projects().await? {
            let store = self.store.project(project);
            let Some(change) = store.space_change().await? else { continue };
            match need(&change) {
                Need::Nothing => {}
                Need::Work => store.postpone_space_change(&change, None, PAUSE).await?,
                Need::End => {
                    let actor = Actor { name: "maintenance".to_owned(), request_id: None };
                    match store.end_space_change(&change, &[State::Switched], &actor).await {
                        // Another process, or somebody who rolls it back, was faster.
                        Err(StoreError::Conflict { .. }) => continue,
                        done => done?,
                    }
                    self.known.facts.invalidate(&project).await;
                    ended += 1;
                }
            }
        }
        Ok(ended)
    }
}

fn need(change: &SpaceChange) -> Need {
    match change.state() {
        State::Switched if change.switched_seconds.is_some_and(|seconds| seconds >= KEPT.as_secs_f64()) => {
            Need::End
        }
        State::Filling => Need::Work,
        State::Abandoned | State::Finished if change.cleared_at.is_none() => Need::Work,
        _ => Need::Nothing,
    }
}
