//! The background side: taking jobs until told to stop.

use futures::future::BoxFuture;
use reflect_store::{LearnJob, StoreError, WorkSettings};
use tokio_util::sync::CancellationToken;

use crate::Engine;

impl Engine {
    /// Learns from reviews as they come in, until told to stop.
    pub async fn work(&self, settings: &WorkSettings, stop: CancellationToken) {
        self.store.work(settings, stop, self.learner()).await;
    }

    /// Learns from every review that is waiting now, and returns.
    pub async fn work_once(&self) -> Result<(), StoreError> {
        self.store.work_once(self.learner()).await
    }

    fn learner(
        &self,
    ) -> impl Fn(LearnJob) -> BoxFuture<'static, Result<(), StoreError>> + Send + Sync + 'static {
        let engine = self.clone();
        move |job| {
            let engine = engine.clone();
            Box::pin(async move { engine.learn(job).await })
        }
    }
}
