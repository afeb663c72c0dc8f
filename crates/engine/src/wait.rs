//! Waiting until a run has nothing left to wait for.

use std::time::Duration;

use reflect_store::StoreError;
use reflect_types::{ProjectId, TraceId};
use tokio::sync::broadcast;
use tokio::time::Instant;

use crate::Engine;

/// The first look comes soon, because most work is done soon; later ones are spaced out. Work that this
/// process does itself is announced, so looking is for work that others do.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_millis(250);
/// More announcements than this while somebody looks, and they look again.
const REMEMBERED: usize = 64;

/// Announces runs that this process has finished with.
#[derive(Debug, Clone)]
pub(crate) struct Settled(broadcast::Sender<(ProjectId, TraceId)>);

impl Settled {
    pub(crate) fn new() -> Self {
        Self(broadcast::Sender::new(REMEMBERED))
    }

    pub(crate) fn announce(&self, project: ProjectId, trace: TraceId) {
        // Nobody may be waiting.
        let _ = self.0.send((project, trace));
    }
}

impl Engine {
    /// Returns when the run is completed or failed, or when `longest` has passed. A run that is not
    /// there yet is waited for too: the one who waits may be ahead of the one who stores it.
    pub async fn wait_until_settled(
        &self,
        project: ProjectId,
        trace: TraceId,
        longest: Duration,
    ) -> Result<(), StoreError> {
        // Before the first look, so that nothing is announced between the two.
        let mut announced = self.settled.0.subscribe();
        let store = self.store.project(project);
        let end = Instant::now() + longest;
        let mut pause = FIRST_PAUSE;
        while !store.trace_settled(trace).await? {
            let now = Instant::now();
            if now >= end {
                break;
            }
            let _ = tokio::time::timeout(pause.min(end - now), heard(&mut announced, (project, trace))).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
        Ok(())
    }
}

/// Returns when this run was announced, or when announcements were missed.
async fn heard(announced: &mut broadcast::Receiver<(ProjectId, TraceId)>, run: (ProjectId, TraceId)) {
    while announced.recv().await.is_ok_and(|heard| heard != run) {}
}
