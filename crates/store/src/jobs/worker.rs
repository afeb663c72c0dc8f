//! The worker of a process: takes jobs, passes them to the engine, and ends them.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use tokio::task::{self, JoinError, JoinSet};
use tokio::time::{Instant, MissedTickBehavior};
use tokio_util::sync::CancellationToken;

use super::JobStore;
use super::claims::{JobClaim, JobClaims};
use super::kinds::Job;
use super::settings::WorkSettings;
use crate::db::Db;
use crate::error::StoreError;
use crate::job_signal::JobSignal;
use crate::notifications::NotificationListener;

/// New jobs wake the worker. Polling finds delayed jobs, jobs of dead workers, and lost notifications.
const POLL: Duration = Duration::from_secs(1);
/// The pause before another attempt if other transactions have locked the rows.
const CONTENTION_PAUSE: Duration = Duration::from_millis(5);
/// After this many attempts in a row the worker waits for the next poll.
const MOST_ATTEMPTS: usize = 20;
/// The pause before listening for notifications is tried again.
const LISTEN_PAUSE: Duration = Duration::from_secs(1);

/// Runs a job. An error means that the failure could not be stored, and that the queue must retry the job.
type Handler = Arc<dyn Fn(Job) -> BoxFuture<'static, Result<(), StoreError>> + Send + Sync>;

/// What a job returned. An error of the runtime means that it panicked.
type Outcome = Result<(task::Id, Result<(), StoreError>), JoinError>;

struct Worker<'a> {
    db: &'a Db,
    settings: &'a WorkSettings,
    handler: Handler,
    claims: JobClaims<'a>,
    /// Separate tasks, because a worker that stops drops its futures, and the result of a paid model call must be stored.
    tasks: JoinSet<Result<(), StoreError>>,
    running: HashMap<task::Id, JobClaim>,
    /// Done, and still in the queue.
    done: Vec<JobClaim>,
    failed: Vec<(JobClaim, String)>,
    /// Whether the last turn reached the database.
    reached: bool,
}

impl JobStore<'_> {
    /// Runs jobs until `stop`. Continues when the database is available again.
    pub async fn work<F>(self, settings: &WorkSettings, stop: CancellationToken, handler: F)
    where
        F: Fn(Job) -> BoxFuture<'static, Result<(), StoreError>> + Send + Sync + 'static,
    {
        let mut worker = Worker::new(self.db, settings, Arc::new(handler));
        tokio::select! {
            () = worker.run(&stop) => {}
            never = listen(self.db) => match never {},
        }
        worker.stop().await;
    }

    /// Runs every job that is due, one after the other, and returns.
    pub async fn work_once<F>(&self, handler: F) -> Result<(), StoreError>
    where
        F: Fn(Job) -> BoxFuture<'static, Result<(), StoreError>> + Send + Sync + 'static,
    {
        let settings = WorkSettings { concurrency: 1, ..WorkSettings::default() };
        let (mut claims, mut missed) = (JobClaims::new(self.db), 0);
        loop {
            claims.promote().await?;
            let claimed = claims.claim(settings.concurrency, true, &settings).await?;
            if claimed.claims.is_empty() {
                if !claimed.contended || missed == MOST_ATTEMPTS {
                    return claims.leave(&[]).await;
                }
                missed += 1;
                tokio::time::sleep(CONTENTION_PAUSE).await;
                continue;
            }
            missed = 0;
            for claim in claimed.claims {
                let ended = match claim.job() {
                    Some(job) => handler(job).await.map_err(|error| error.to_string()),
                    None => Err(NEWER_VERSION.to_owned()),
                };
                match ended {
                    Ok(()) => finish(&claims, claim).await?,
                    Err(error) => claims.fail(&claim, &error).await?,
                }
            }
        }
    }
}

const NEWER_VERSION: &str = "the job is of a newer version";

async fn finish(claims: &JobClaims<'_>, claim: JobClaim) -> Result<(), StoreError> {
    while !claims.finish(&[claim]).await?.is_empty() {
        tokio::time::sleep(CONTENTION_PAUSE).await;
    }
    Ok(())
}

/// Wakes the worker when another process announces jobs.
async fn listen(db: &Db) -> Infallible {
    loop {
        if let Err(error) = listen_until_error(db).await {
            tracing::debug!(%error, "notifications of jobs cannot be received");
        }
        tokio::time::sleep(LISTEN_PAUSE).await;
    }
}

async fn listen_until_error(db: &Db) -> Result<(), StoreError> {
    let mut listener = NotificationListener::start(db, JobSignal::CHANNEL).await?;
    loop {
        match listener.next().await? {
            Some(sender) if db.job_signal.is_own(&sender) => {}
            // Without a text the connection was lost, and with it possibly a notification.
            _ => db.job_signal.wake(),
        }
    }
}

impl<'a> Worker<'a> {
    fn new(db: &'a Db, settings: &'a WorkSettings, handler: Handler) -> Self {
        Self {
            db,
            settings,
            handler,
            claims: JobClaims::new(db),
            tasks: JoinSet::new(),
            running: HashMap::new(),
            done: Vec::new(),
            failed: Vec::new(),
            reached: true,
        }
    }

    async fn run(&mut self, stop: &CancellationToken) {
        let mut polls = tokio::time::interval(POLL);
        polls.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let polled = tokio::select! {
                () = stop.cancelled() => return,
                _ = polls.tick() => true,
                () = self.db.job_signal.woken() => false,
                Some(outcome) = self.tasks.join_next_with_id() => {
                    self.note(outcome);
                    false
                }
            };
            let turned = self.turn(polled).await;
            self.report(turned);
        }
    }

    async fn turn(&mut self, polled: bool) -> Result<(), StoreError> {
        if polled {
            self.claims.tick().await?;
        }
        self.end_jobs().await?;
        for _ in 0..MOST_ATTEMPTS {
            let room = self.settings.concurrency.max(1).saturating_sub(self.running.len());
            if room == 0 {
                break;
            }
            let reembeds = !self.running.values().any(JobClaim::is_reembedding);
            let claimed = self.claims.claim(room, reembeds, self.settings).await?;
            for claim in claimed.claims {
                self.start(claim);
            }
            if !claimed.contended {
                break;
            }
            tokio::time::sleep(CONTENTION_PAUSE).await;
            self.end_jobs().await?;
        }
        Ok(())
    }

    fn start(&mut self, claim: JobClaim) {
        match claim.job() {
            Some(job) => {
                let task = self.tasks.spawn((self.handler)(job));
                self.running.insert(task.id(), claim);
            }
            None => self.failed.push((claim, NEWER_VERSION.to_owned())),
        }
    }

    fn note(&mut self, outcome: Outcome) {
        let (task, error) = match outcome {
            Ok((task, Ok(()))) => (task, None),
            Ok((task, Err(error))) => (task, Some(error.to_string())),
            Err(panicked) => (panicked.id(), Some(panicked.to_string())),
        };
        let Some(claim) = self.running.remove(&task) else { return };
        match error {
            None => self.done.push(claim),
            Some(error) => {
                tracing::warn!(error, "a job failed and is tried again: {error}");
                self.failed.push((claim, error));
            }
        }
    }

    /// Ends the jobs that are done. What cannot be ended now stays in the list.
    async fn end_jobs(&mut self) -> Result<(), StoreError> {
        while let Some(outcome) = self.tasks.try_join_next_with_id() {
            self.note(outcome);
        }
        self.done = self.claims.finish(&self.done).await?;
        while let Some((claim, error)) = self.failed.last() {
            self.claims.fail(claim, error).await?;
            self.failed.pop();
        }
        Ok(())
    }

    /// Logs when the queue becomes unavailable, and when it is available again.
    fn report(&mut self, turned: Result<(), StoreError>) {
        let reached = turned.is_ok();
        match turned {
            Ok(()) if !self.reached => tracing::info!("the queue is available again"),
            Err(error) if self.reached => tracing::warn!(%error, "the queue is not available: {error}"),
            Err(error) => tracing::debug!(%error, "the queue is still not available"),
            Ok(()) => {}
        }
        self.reached = reached;
    }

    /// Waits for running jobs, at most as long as the settings allow. The others are given to other workers; they go on
    /// here as long as the process lives.
    async fn stop(&mut self) {
        let end = Instant::now() + self.settings.grace;
        let mut polls = tokio::time::interval(POLL);
        polls.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while !self.running.is_empty() {
            let polled = tokio::select! {
                () = tokio::time::sleep_until(end) => break,
                _ = polls.tick() => true,
                Some(outcome) = self.tasks.join_next_with_id() => {
                    self.note(outcome);
                    false
                }
            };
            let ended = match polled {
                true => self.claims.beat().await,
                false => self.end_jobs().await,
            };
            self.report(ended);
        }
        let ended = self.end_jobs().await;
        self.report(ended);
        let mut unfinished: Vec<JobClaim> = self.running.drain().map(|(_, claim)| claim).collect();
        // Another transaction has locked these, mostly to queue them again. To run one again has no second effect.
        unfinished.append(&mut self.done);
        unfinished.extend(self.failed.drain(..).map(|(claim, _)| claim));
        self.tasks.detach_all();
        let left = self.claims.leave(&unfinished).await;
        self.report(left);
    }
}
