//! The worker: takes jobs and hands them to the engine, and takes over from workers that died.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::future::BoxFuture;
use graphile_worker::{Worker, WorkerContext};
use sqlx::PgPool;
use tokio_util::sync::CancellationToken;

use super::{EraseJob, Job, JudgeJob, LearnJob, PlaceJob, ReembedJob, SCHEMA};
use crate::error::StoreError;
use crate::store::Store;

/// A worker that has not been heard of for this long is dead, and its jobs are given to others.
const DEAD_AFTER: Duration = Duration::from_secs(5);
const HEARTBEAT: Duration = Duration::from_secs(1);
/// New jobs announce themselves; this is for those that fall due, and for announcements that got lost.
const POLL: Duration = Duration::from_secs(1);
/// How often what a worker that was taken for dead has left behind is mended.
const MENDING: Duration = Duration::from_secs(1);
/// Long enough for a job that has just ended to be off the queue.
const NUDGE: Duration = Duration::from_millis(10);
/// Before connecting again to a database that went away.
const PAUSE: Duration = Duration::from_millis(500);

/// How a process works on jobs.
#[derive(Debug, Clone)]
pub struct WorkSettings {
    /// How many jobs at one time.
    pub concurrency: usize,
    /// How long jobs under way may take to finish when the process is told to stop.
    pub grace: Duration,
}

/// What is done with a job. An error means that not even a failure could be written down, and that
/// the queue should bring the job again.
type Handler = Arc<dyn Fn(Job) -> BoxFuture<'static, Result<(), StoreError>> + Send + Sync>;

#[derive(Clone)]
struct Handling {
    handler: Handler,
    pool: PgPool,
    nudging: Arc<AtomicBool>,
}

impl Handling {
    /// An announcement starts one job for each learner, and what waits behind them would wait for the next
    /// look at the queue. So whoever is done announces that there is room.
    fn nudge(&self) {
        if self.nudging.swap(true, Ordering::AcqRel) {
            return;
        }
        let handling = self.clone();
        spawn(async move {
            tokio::time::sleep(NUDGE).await;
            handling.nudging.store(false, Ordering::Release);
            let announced = sqlx::query(include_str!("../../sql/maintenance/announce_jobs.sql"));
            // Unheard, it costs a second: the next look at the queue comes by itself.
            let _ = announced.execute(&handling.pool).await;
        });
    }
}

/// Does a job, in a task of its own: a worker that is shut down drops what it waits for, and what a model is
/// being paid for should still be kept.
pub(super) async fn handle(context: &WorkerContext, job: Job) -> Result<(), String> {
    let Some(handling) = context.get_ext::<Handling>() else {
        return Err("the worker was started without a handler".to_owned());
    };
    let work = spawn(handling.handler.clone()(job));
    let done = work.await.map_err(|ended| ended.to_string())?;
    handling.nudge();
    done.map_err(|error| error.to_string())
}

#[expect(clippy::disallowed_methods, reason = "ends with its job")]
fn spawn<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> tokio::task::JoinHandle<T> {
    tokio::spawn(work)
}

impl std::fmt::Debug for Handling {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Handling")
    }
}

impl Store {
    /// Works on jobs until told to stop. A database that goes away is waited for.
    pub async fn work<F>(&self, settings: &WorkSettings, stop: CancellationToken, handler: F)
    where
        F: Fn(Job) -> BoxFuture<'static, Result<(), StoreError>> + Send + Sync + 'static,
    {
        let handler: Handler = Arc::new(handler);
        while !stop.is_cancelled() {
            let ended = match self.worker(settings, &stop, handler.clone()).await {
                Ok(worker) => tokio::select! {
                    ended = worker.run() => ended.map_err(|error| error.to_string()),
                    never = self.mend_queues() => match never {},
                },
                Err(error) => Err(error.to_string()),
            };
            if let Err(error) = ended {
                tracing::warn!(error, "the worker stopped and will be started again");
            }
            tokio::select! {
                () = stop.cancelled() => {}
                () = tokio::time::sleep(PAUSE) => {}
            }
        }
    }

    async fn mend_queues(&self) -> std::convert::Infallible {
        loop {
            tokio::time::sleep(MENDING).await;
            let mended = sqlx::query(include_str!("../../sql/maintenance/free_queues.sql"));
            if let Err(error) = mended.execute(&self.pools.work).await {
                tracing::debug!(%error, "the queues could not be looked after");
            }
        }
    }

    /// Works on every job that is due, and returns.
    pub async fn work_once<F>(&self, handler: F) -> Result<(), StoreError>
    where
        F: Fn(Job) -> BoxFuture<'static, Result<(), StoreError>> + Send + Sync + 'static,
    {
        let settings = WorkSettings { concurrency: 1, grace: Duration::ZERO };
        let worker = self.worker(&settings, &CancellationToken::new(), Arc::new(handler)).await?;
        worker.run_once().await.map_err(|error| StoreError::Queue(error.to_string()))
    }

    async fn worker(
        &self,
        settings: &WorkSettings,
        stop: &CancellationToken,
        handler: Handler,
    ) -> Result<Worker, StoreError> {
        let options = Worker::options()
            .pg_pool(self.pools.work.clone())
            .schema(SCHEMA)
            .concurrency(settings.concurrency.max(1))
            .poll_interval(POLL)
            .heartbeat_interval(HEARTBEAT)
            .sweep_interval(HEARTBEAT)
            .sweep_threshold(DEAD_AFTER)
            .recovery_delay(Duration::ZERO)
            .listen_os_shutdown_signals(false)
            .shutdown_signal(stop.clone().cancelled_owned())
            .shutdown_grace_period(settings.grace)
            .shutdown_interrupted_job_retry_delay(Duration::ZERO)
            .add_extension(Handling { handler, pool: self.pools.work.clone(), nudging: Arc::default() })
            .define_job::<LearnJob>()
            .define_job::<PlaceJob>()
            .define_job::<JudgeJob>()
            .define_job::<ReembedJob>()
            .define_job::<EraseJob>();
        options.init().await.map_err(|error| StoreError::Queue(error.to_string()))
    }
}
