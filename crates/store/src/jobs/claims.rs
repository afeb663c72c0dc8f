//! The claims of one worker: which jobs it holds, and how it shows that it is alive.
//!
//! A claim is a worker and a number of its turn. Only the worker that made a claim can end it, so a worker that was
//! considered dead and continues later ends nothing of its successor.

use std::time::{Duration, Instant};

use reflect_types::CrashPoint;
use uuid::Uuid;

use super::kinds::{Job, JobKind};
use super::settings::WorkSettings;
#[cfg(debug_assertions)]
use crate::connect::StoreFault;
use crate::db::Db;
use crate::error::StoreError;

/// A worker without a heartbeat for this long is considered dead, and its jobs are given to others.
const DEAD_AFTER: Duration = Duration::from_secs(5);
/// How long after a heartbeat a worker claims jobs. Less than the time after which it counts as dead.
const ALIVE_FOR: Duration = Duration::from_secs(3);
/// How many delayed jobs become ready in one statement (as in `promote_jobs.sql`), and in how many statements at once.
const PROMOTED: u64 = 1000;
const PROMOTIONS: usize = 10;
/// Urgencies of jobs, from the first to the last.
const URGENCIES: usize = 3;

/// A job that a worker has claimed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct JobClaim {
    worker: Uuid,
    turn: i64,
    project_id: i32,
    kind: i16,
    subject: Uuid,
    failures: i16,
}

impl JobClaim {
    /// `None` if a newer version queued it.
    pub(super) const fn job(&self) -> Option<Job> {
        Job::of(self.project_id, self.kind, self.subject, self.failures)
    }

    pub(super) const fn is_reembedding(&self) -> bool {
        self.kind == JobKind::Reembed.code()
    }
}

/// Claims as the arrays that a statement takes.
struct ClaimColumns {
    workers: Vec<Uuid>,
    turns: Vec<i64>,
    projects: Vec<i32>,
    kinds: Vec<i16>,
    subjects: Vec<Uuid>,
}

impl ClaimColumns {
    fn of(claims: &[JobClaim]) -> Self {
        Self {
            workers: claims.iter().map(|claim| claim.worker).collect(),
            turns: claims.iter().map(|claim| claim.turn).collect(),
            projects: claims.iter().map(|claim| claim.project_id).collect(),
            kinds: claims.iter().map(|claim| claim.kind).collect(),
            subjects: claims.iter().map(|claim| claim.subject).collect(),
        }
    }
}

/// The result of one turn.
#[derive(Debug, Default)]
pub(super) struct ClaimedJobs {
    pub(super) claims: Vec<JobClaim>,
    /// Whether other workers claimed in the same lanes at the same time. Another turn may find more.
    pub(super) contended: bool,
}

#[derive(sqlx::FromRow)]
struct ClaimRow {
    urgency: i16,
    project_id: i32,
    kind: i16,
    subject: Option<Uuid>,
    failures: i16,
    missed: i32,
}

/// The claims of one worker.
#[derive(Debug)]
pub(super) struct JobClaims<'a> {
    db: &'a Db,
    worker: Uuid,
    turn: i64,
    /// Where the last turn ended: a project and a kind, by urgency.
    places: [(i32, i16); URGENCIES],
    alive_at: Option<Instant>,
    /// Whether it has taken its id since the jobs of unknown workers were last returned to the queue.
    is_new: bool,
    /// Turns whose answer was lost. They may have claimed jobs.
    uncertain: Vec<(Uuid, i64)>,
}

impl<'a> JobClaims<'a> {
    pub(super) fn new(db: &'a Db) -> Self {
        let (places, uncertain) = ([(0, -1); URGENCIES], Vec::new());
        Self { db, worker: Uuid::now_v7(), turn: 0, places, alive_at: None, is_new: true, uncertain }
    }

    /// What a worker does every second: shows that it is alive, and returns jobs to the queue that are due or whose
    /// worker is dead.
    pub(super) async fn tick(&mut self) -> Result<(), StoreError> {
        self.beat().await?;
        self.release_uncertain().await?;
        let recovered = sqlx::query_scalar(include_str!("../../sql/maintenance/recover_jobs.sql"));
        let recovered: i64 = recovered.bind(DEAD_AFTER.as_secs_f64()).fetch_one(&self.db.pools.work).await?;
        if recovered > 0 {
            tracing::warn!(recovered, "{recovered} jobs of dead workers run again");
        }
        self.promote().await?;
        if self.is_new {
            // Jobs of its earlier id, and of processes that stopped together with the database server.
            let released = sqlx::query(include_str!("../../sql/maintenance/recover_unknown.sql"));
            released.execute(&self.db.pools.work).await?;
            self.is_new = false;
        }
        Ok(())
    }

    /// Shows that the worker is alive. A worker that counts as dead continues under another id, because its jobs were
    /// given to others. So does a worker that the database server does not know, because the server has lost its last
    /// commits: the end of a job may be among them.
    pub(super) async fn beat(&mut self) -> Result<(), StoreError> {
        let began = Instant::now();
        let pool = &self.db.pools.work;
        if self.alive_at.is_some() {
            let seen = sqlx::query(include_str!("../../sql/maintenance/worker_heartbeat.sql"));
            if seen.bind(self.worker).fetch_optional(pool).await?.is_some() {
                self.alive_at = Some(began);
                return Ok(());
            }
            self.alive_at = None;
        }
        // Always another one: the response to an earlier attempt may have been lost.
        self.worker = Uuid::now_v7();
        let process = i32::try_from(std::process::id()).unwrap_or(0);
        let entered = sqlx::query(include_str!("../../sql/maintenance/worker_enters.sql"));
        entered.bind(self.worker).bind(process).execute(pool).await?;
        self.alive_at = Some(began);
        self.is_new = true;
        Ok(())
    }

    /// Makes delayed jobs ready whose time has come.
    pub(super) async fn promote(&self) -> Result<(), StoreError> {
        for _ in 0..PROMOTIONS {
            let promoted = sqlx::query(include_str!("../../sql/maintenance/promote_jobs.sql"));
            if promoted.execute(&self.db.pools.work).await?.rows_affected() < PROMOTED {
                break;
            }
        }
        Ok(())
    }

    /// Claims at most `most` jobs. `reembeds` says whether one of them may be part of an embedding migration.
    pub(super) async fn claim(
        &mut self,
        most: usize,
        reembeds: bool,
        settings: &WorkSettings,
    ) -> Result<ClaimedJobs, StoreError> {
        if self.alive_at.is_none_or(|at| at.elapsed() > ALIVE_FOR) {
            self.beat().await?;
        }
        self.turn += 1;
        let last_urgency: i32 = if reembeds { 2 } else { 1 };
        let projects: Vec<i32> = self.places.iter().map(|(project, _)| *project).collect();
        let kinds: Vec<i32> = self.places.iter().map(|(_, kind)| i32::from(*kind)).collect();
        CrashPoint::JobClaim.before();
        let rows: Result<Vec<ClaimRow>, sqlx::Error> = sqlx::query_as(self.claim_statement())
            .bind(self.worker)
            .bind(self.turn)
            .bind(i32::try_from(most).unwrap_or(i32::MAX))
            .bind(last_urgency)
            .bind(projects)
            .bind(kinds)
            .bind(i32::from(settings.project_learners))
            .bind(i32::from(settings.project_judges))
            .fetch_all(&self.db.pools.work)
            .await;
        if rows.as_ref().is_ok_and(|rows| rows.iter().any(|row| row.subject.is_some())) {
            CrashPoint::JobClaim.after();
        }
        match rows {
            Ok(rows) => Ok(self.note(&rows)),
            Err(error) => {
                // If the database refused, nothing was claimed.
                if error.as_database_error().is_none() {
                    self.uncertain.push((self.worker, self.turn));
                }
                Err(error.into())
            }
        }
    }

    fn note(&mut self, rows: &[ClaimRow]) -> ClaimedJobs {
        let mut claimed = ClaimedJobs::default();
        for row in rows {
            let ClaimRow { project_id, kind, failures, .. } = *row;
            if let Some(subject) = row.subject {
                let (worker, turn) = (self.worker, self.turn);
                claimed.claims.push(JobClaim { worker, turn, project_id, kind, subject, failures });
            } else {
                claimed.contended |= row.missed > 0;
                let place = usize::try_from(row.urgency).ok().and_then(|at| self.places.get_mut(at));
                if let Some(place) = place {
                    *place = (project_id, kind);
                }
            }
        }
        claimed
    }

    /// Ends jobs. Returns those that cannot be ended now, because another transaction has locked them.
    pub(super) async fn finish(&self, claims: &[JobClaim]) -> Result<Vec<JobClaim>, StoreError> {
        if claims.is_empty() {
            return Ok(Vec::new());
        }
        let columns = ClaimColumns::of(claims);
        CrashPoint::JobFinish.before();
        let locked: Vec<(i32, i16, Uuid)> = sqlx::query_as(self.finish_statement())
            .bind(columns.workers)
            .bind(columns.turns)
            .bind(columns.projects)
            .bind(columns.kinds)
            .bind(columns.subjects)
            .fetch_all(&self.db.pools.work)
            .await?;
        CrashPoint::JobFinish.after();
        let is_locked = |claim: &&JobClaim| locked.contains(&(claim.project_id, claim.kind, claim.subject));
        Ok(claims.iter().filter(is_locked).copied().collect())
    }

    /// Returns a job to the queue whose failure could not be stored.
    pub(super) async fn fail(&self, claim: &JobClaim, error: &str) -> Result<(), StoreError> {
        sqlx::query(include_str!("../../sql/jobs/fail.sql"))
            .bind(claim.worker)
            .bind(claim.turn)
            .bind(claim.project_id)
            .bind(claim.kind)
            .bind(claim.subject)
            .bind(error.replace('\0', "\u{fffd}"))
            .execute(&self.db.pools.work)
            .await?;
        Ok(())
    }

    /// Returns unfinished jobs to the queue and removes the worker.
    pub(super) async fn leave(&mut self, unfinished: &[JobClaim]) -> Result<(), StoreError> {
        self.release_uncertain().await?;
        if !unfinished.is_empty() {
            let columns = ClaimColumns::of(unfinished);
            sqlx::query(include_str!("../../sql/jobs/release.sql"))
                .bind(columns.workers)
                .bind(columns.turns)
                .bind(columns.projects)
                .bind(columns.kinds)
                .bind(columns.subjects)
                .execute(&self.db.pools.work)
                .await?;
        }
        let left = sqlx::query(include_str!("../../sql/maintenance/worker_leaves.sql")).bind(self.worker);
        left.execute(&self.db.pools.work).await?;
        Ok(())
    }

    /// The answer to a turn was lost, so the jobs that it claimed are not known here. They are returned to the queue.
    async fn release_uncertain(&mut self) -> Result<(), StoreError> {
        while let Some((worker, turn)) = self.uncertain.last() {
            let released = sqlx::query(include_str!("../../sql/maintenance/release_turn.sql"));
            released.bind(worker).bind(turn).execute(&self.db.pools.work).await?;
            self.uncertain.pop();
        }
        Ok(())
    }

    fn claim_statement(&self) -> &'static str {
        match self.db.fault {
            #[cfg(debug_assertions)]
            Some(StoreFault::ClaimOldestJobs) => crate::faults::CLAIM_OLDEST_JOBS,
            _ => include_str!("../../sql/jobs/claim.sql"),
        }
    }

    fn finish_statement(&self) -> &'static str {
        match self.db.fault {
            #[cfg(debug_assertions)]
            Some(StoreFault::LoseRepeatedJobs) => crate::faults::LOSE_REPEATED_JOBS,
            _ => include_str!("../../sql/jobs/finish.sql"),
        }
    }
}
