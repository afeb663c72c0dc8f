//! The worker: takes jobs, passes them to the engine, and takes over the jobs of dead workers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::future::BoxFuture;
use graphile_worker::{IntoTaskHandlerResult, TaskHandler, Worker, WorkerContext};
use sqlx::PgPool;
use tokio_util::sync::CancellationToken;

use super::{EraseJob, IndexJob, Job, JobStore, JudgeJob, LearnJob, ReembedJob, SCHEMA};
use crate::error::StoreError;

/// A worker without a heartbeat for this long is considered dead, and its jobs are given to others.
const DEAD_AFTER: Duration = Duration::from_secs(5);
const HEARTBEAT: Duration = Duration::from_secs(1);
/// New jobs are notified; polling finds delayed jobs and lost notifications.
const POLL: Duration = Duration::from_secs(1);
/// How often the leftovers of dead workers are repaired.
const REPAIR_INTERVAL: Duration = Duration::from_secs(1);
/// Long enough for a finished job to leave the queue.
const NUDGE: Duration = Duration::from_millis(10);
/// Pause before a reconnect.
const PAUSE: Duration = Duration::from_millis(500);

/// How a process works on jobs.
#[derive(Debug, Clone)]
pub struct WorkSettings {
    /// How many jobs at one time.
    pub concurrency: usize,
    /// How long running jobs may take to finish at shutdown.
    pub grace: Duration,
}

macro_rules! task_handlers {
    ($($kind:ident($job:ident)),+ $(,)?) => {$(
        impl TaskHandler for $job {
            const IDENTIFIER: &'static str = $job::NAME;

            async fn run(self, context: WorkerContext) -> impl IntoTaskHandlerResult {
                handle(&context, Job::$kind(self)).await
            }
        }
    )+};
}

task_handlers! { Learn(LearnJob), Index(IndexJob), Judge(JudgeJob), Reembed(ReembedJob), Erase(EraseJob) }

/// Runs a job. An error means that the failure could not be stored, and that the queue must retry the job.
type Handler = Arc<dyn Fn(Job) -> BoxFuture<'static, Result<(), StoreError>> + Send + Sync>;

#[derive(Clone)]
struct Handling {
    handler: Handler,
    pool: PgPool,
    nudging: Arc<AtomicBool>,
}

impl Handling {
    /// A notification starts one job per worker task, and further jobs would wait for the next poll. So each finished
    /// job sends another notification.
    fn nudge(&self) {
        if self.nudging.swap(true, Ordering::AcqRel) {
            return;
        }
        let handling = self.clone();
        spawn(async move {
            tokio::time::sleep(NUDGE).await;
            handling.nudging.store(false, Ordering::Release);
            let announced = sqlx::query(include_str!("../../sql/maintenance/notify_jobs.sql"));
            // If it is lost, the next poll finds the job one second later.
            let _ = announced.execute(&handling.pool).await;
        });
    }
}

/// Runs a job in a separate task, because a worker that shuts down drops its futures, and the result of a paid model
/// call must be stored.
async fn handle(context: &WorkerContext, job: Job) -> Result<(), String> {
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

impl JobStore<'_> {
    /// Runs jobs until `stop`. Reconnects if the database becomes unavailable.
    pub async fn work<F>(self, settings: &WorkSettings, stop: CancellationToken, handler: F)
    where
        F: Fn(Job) -> BoxFuture<'static, Result<(), StoreError>> + Send + Sync + 'static,
    {
        let handler: Handler = Arc::new(handler);
        while !stop.is_cancelled() {
            let ended = match self.worker(settings, &stop, handler.clone()).await {
                Ok(worker) => tokio::select! {
                    ended = worker.run() => ended.map_err(|error| error.to_string()),
                    never = self.repair_queues() => match never {},
                },
                Err(error) => Err(error.to_string()),
            };
            if let Err(error) = ended {
                tracing::warn!(error, "the worker stopped and is restarted");
            }
            tokio::select! {
                () = stop.cancelled() => {}
                () = tokio::time::sleep(PAUSE) => {}
            }
        }
    }

    async fn repair_queues(&self) -> std::convert::Infallible {
        loop {
            tokio::time::sleep(REPAIR_INTERVAL).await;
            let repaired = sqlx::query(include_str!("../../sql/maintenance/free_queues.sql"));
            if let Err(error) = repaired.execute(&self.db.pools.work).await {
                tracing::debug!(%error, "the queues could not be repaired");
            }
        }
    }

    /// Runs every job that is due, and returns.
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
            .pg_pool(self.db.pools.work.clone())
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
            .add_extension(Handling { handler, pool: self.db.pools.work.clone(), nudging: Arc::default() })
            .define_job::<LearnJob>()
            .define_job::<IndexJob>()
            .define_job::<JudgeJob>()
            .define_job::<ReembedJob>()
            .define_job::<EraseJob>();
        options.init().await.map_err(|error| StoreError::Queue(error.to_string()))
    }
}
