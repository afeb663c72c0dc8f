//! What a change needs that nobody asks for: it is finished in the end, and goes on when its job was lost.

use chrono::{DateTime, TimeDelta, Utc};
use reflect_store::{Actor, SpaceChange, StoreError};
use reflect_types::SpaceChangeState as State;

use crate::Engine;

/// How long after a switch the old vectors are kept for a rollback.
const KEPT: TimeDelta = TimeDelta::days(7);

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
            match need(&change, Utc::now()) {
                Need::Nothing => {}
                Need::Work => store.postpone_space_change(&change, None, std::time::Duration::ZERO).await?,
                Need::End => {
                    let actor = Actor { name: "maintenance".to_owned(), request_id: None };
                    store.end_space_change(&change, &[State::Switched], &actor).await?;
                    self.known.facts.invalidate(&project).await;
                    ended += 1;
                }
            }
        }
        Ok(ended)
    }
}

fn need(change: &SpaceChange, now: DateTime<Utc>) -> Need {
    match change.state() {
        State::Switched if change.switched_at.is_some_and(|at| now - at >= KEPT) => Need::End,
        State::Filling => Need::Work,
        State::Abandoned | State::Finished if change.cleared_at.is_none() => Need::Work,
        _ => Need::Nothing,
    }
}
