//! Waiting until a run has nothing left to wait for.

use std::time::Duration;

use reflect_store::StoreError;
use reflect_types::{ProjectId, TraceId};
use tokio::time::Instant;

use crate::Engine;

/// The first look comes soon, because most work is done soon; later ones are spaced out.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_millis(250);

impl Engine {
    /// Returns when the run is completed or failed, or when `longest` has passed. A run that is not
    /// there yet is waited for too: the one who waits may be ahead of the one who stores it.
    pub async fn wait_until_settled(
        &self,
        project: ProjectId,
        trace: TraceId,
        longest: Duration,
    ) -> Result<(), StoreError> {
        let project = self.store.project(project);
        let end = Instant::now() + longest;
        let mut pause = FIRST_PAUSE;
        while !project.trace_settled(trace).await? {
            let now = Instant::now();
            if now >= end {
                break;
            }
            tokio::time::sleep(pause.min(end - now)).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
        Ok(())
    }
}
