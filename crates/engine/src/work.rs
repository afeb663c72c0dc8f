//! The background side: taking jobs until told to stop.

use futures::future::BoxFuture;
use reflect_store::{Job, StoreError, WorkSettings};
use tokio_util::sync::CancellationToken;

use crate::Engine;

impl Engine {
    /// Does what waits to be done as it comes in, until told to stop.
    pub async fn work(&self, settings: &WorkSettings, stop: CancellationToken) {
        let seeking = self.seek_runs_to_judge(stop.clone());
        tokio::join!(self.store.work(settings, stop, self.handler()), seeking);
    }

    /// Does everything that is due now, and returns.
    pub async fn work_once(&self) -> Result<(), StoreError> {
        self.store.work_once(self.handler()).await
    }

    fn handler(&self) -> impl Fn(Job) -> BoxFuture<'static, Result<(), StoreError>> + Send + Sync + 'static {
        let engine = self.clone();
        move |job| {
            let engine = engine.clone();
            Box::pin(async move {
                match job {
                    Job::Learn(job) => engine.learn(job).await,
                    Job::Place(job) => engine.place_soon(job.project()).await,
                    Job::Judge(job) => engine.give_judgement(job).await,
                    Job::Reembed(job) => engine.reembed(job).await,
                    Job::Erase(job) => engine.erase(job).await,
                }
            })
        }
    }
}
