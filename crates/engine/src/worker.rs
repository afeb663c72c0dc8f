//! Background work: runs queued jobs.

use std::fmt;
use std::sync::Arc;

use futures::future::BoxFuture;
use reflect_store::{Job, Store, StoreError, WorkSettings};
use tokio_util::sync::CancellationToken;

/// Runs one job.
pub(crate) type JobHandler = Arc<dyn Fn(Job) -> BoxFuture<'static, Result<(), StoreError>> + Send + Sync>;
/// Queues jobs until the token is cancelled.
pub(crate) type Scheduler = Arc<dyn Fn(CancellationToken) -> BoxFuture<'static, ()> + Send + Sync>;

/// Takes jobs from the queue and runs them.
#[derive(Clone)]
pub struct Worker {
    store: Store,
    handler: JobHandler,
    scheduler: Scheduler,
}

impl fmt::Debug for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worker").finish_non_exhaustive()
    }
}

impl Worker {
    pub(crate) fn new(store: Store, handler: JobHandler, scheduler: Scheduler) -> Self {
        Self { store, handler, scheduler }
    }

    /// Runs jobs as they come in, until `stop` is cancelled.
    pub async fn run(&self, settings: &WorkSettings, stop: CancellationToken) {
        let scheduling = (self.scheduler)(stop.clone());
        tokio::join!(self.store.jobs().work(settings, stop, self.handler()), scheduling);
    }

    /// Runs all jobs that are due now, and returns.
    pub async fn run_once(&self) -> Result<(), StoreError> {
        self.store.jobs().work_once(self.handler()).await
    }

    fn handler(&self) -> impl Fn(Job) -> BoxFuture<'static, Result<(), StoreError>> + Send + Sync + 'static {
        let handler = self.handler.clone();
        move |job| handler(job)
    }
}
