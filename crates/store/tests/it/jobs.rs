//! The queue: no job is lost, none runs twice at the same time, and no project delays another.

use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use futures::FutureExt;
use futures::future::BoxFuture;
use reflect_store::{
    Body, Job, LearnJob, NewSpan, NewTraceRow, ProjectCtx, SpanPolicy, SpanRun, SpanSender, Store,
    StoreError, WorkSettings,
};
use reflect_test_support::TestDb;
use reflect_types::{KeyId, TraceId, Trust};
use secrecy::ExposeSecret;
use sqlx::postgres::PgListener;
use sqlx::{AssertSqlSafe, Executor};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::given;

/// The projects of the jobs that were due, in the order in which they ran.
async fn worked_off(store: &Store) -> Vec<i32> {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let noted = seen.clone();
    let handler = move |job| {
        noted.lock().unwrap().push(learning(job).project_id);
        async { Ok(()) }.boxed()
    };
    store.jobs().work_once(handler).await.unwrap();
    seen.lock().unwrap().clone()
}

fn learning(job: Job) -> LearnJob {
    match job {
        Job::Learn(job) => job,
        other => panic!("{other:?}"),
    }
}

async fn record(project: &ProjectCtx, runs: usize) {
    for run in 0..runs {
        project.traces().record(&given::reviewed(&format!("run {run}")), None).await.unwrap();
    }
}

async fn count(db: &TestDb, what: &str) -> i64 {
    let count = AssertSqlSafe(format!("select count(*) from {what}"));
    sqlx::query_scalar(count).fetch_one(&mut db.superuser().await).await.unwrap()
}

async fn execute(db: &TestDb, statement: &'static str) {
    db.superuser().await.execute(statement).await.unwrap();
}

/// Claims jobs as a worker of another process. Returns the subjects and projects.
async fn claim(db: &TestDb, worker: Uuid, most: i32, limit: i32) -> Vec<(Uuid, i32)> {
    let beat = sqlx::query("insert into job_worker (worker, process) values ($1, 1) on conflict do nothing");
    beat.bind(worker).execute(&mut db.superuser().await).await.unwrap();
    let claim = "select subject, project_id from claim_jobs($1, 1, $2, 2, '{0,0,0}', '{-1,-1,-1}', $3, 1)
                 where subject is not null";
    let claimed = sqlx::query_as(claim).bind(worker).bind(most).bind(limit);
    claimed.fetch_all(&mut db.superuser().await).await.unwrap()
}

/// Where the job of a quiet project runs among the jobs of a busy one that were queued before.
async fn place_of_the_quiet_project(db: &TestDb, store: &Store) -> Option<usize> {
    let (busy, quiet) = (given::project(store, "busy").await, given::project(store, "quiet").await);
    record(&busy, 40).await;
    record(&quiet, 1).await;
    let number: i32 = sqlx::query_scalar("select project_id from project where slug = 'quiet'")
        .fetch_one(&mut db.superuser().await)
        .await
        .unwrap();
    worked_off(store).await.iter().position(|project| *project == number)
}

#[tokio::test]
async fn a_long_queue_of_one_project_does_not_delay_another() {
    let (db, store) = given::store().await;
    let place = place_of_the_quiet_project(&db, &store).await;
    assert!(place.is_some_and(|place| place <= 1), "{place:?}");
    assert_eq!(count(&db, "job").await, 0);
}

#[cfg(debug_assertions)]
#[tokio::test]
async fn the_mutant_that_claims_the_oldest_jobs_is_unfair() {
    let (db, store) = faulty(reflect_store::StoreFault::ClaimOldestJobs).await;
    assert_eq!(place_of_the_quiet_project(&db, &store).await, Some(40));
}

#[cfg(debug_assertions)]
async fn faulty(fault: reflect_store::StoreFault) -> (TestDb, Store) {
    let db = TestDb::create().await;
    let settings = reflect_store::StoreSettings { fault: Some(fault), ..db.settings() };
    let store = Store::connect(&settings).await.unwrap();
    (db, store)
}

/// How often a job ran that was queued again during its first run.
async fn runs_of_a_repeated_job(store: &Store) -> usize {
    let project = given::project(store, "p").await;
    record(&project, 1).await;
    let runs = Arc::new(Mutex::new(0));
    let (counted, queue) = (runs.clone(), project.clone());
    let handler = move |job| -> BoxFuture<'static, Result<(), StoreError>> {
        let run = {
            let mut runs = counted.lock().unwrap();
            *runs += 1;
            *runs
        };
        let project = queue.clone();
        async move {
            let review = learning(job).review_id;
            match run {
                1 => project.learning().postpone(review, "busy", Duration::ZERO, false).await,
                _ => Ok(()),
            }
        }
        .boxed()
    };
    store.jobs().work_once(handler).await.unwrap();
    *runs.lock().unwrap()
}

#[tokio::test]
async fn a_job_that_is_queued_again_while_it_runs_runs_again() {
    let (db, store) = given::store().await;
    assert_eq!(runs_of_a_repeated_job(&store).await, 2);
    assert_eq!(count(&db, "job").await, 0);
}

#[cfg(debug_assertions)]
#[tokio::test]
async fn the_mutant_that_forgets_repeated_jobs_loses_one() {
    let (db, store) = faulty(reflect_store::StoreFault::LoseRepeatedJobs).await;
    assert_eq!(runs_of_a_repeated_job(&store).await, 1);
    assert_eq!(count(&db, "job").await, 0);
    assert_eq!(count(&db, "trace_state where not reviewed and review_id is not null").await, 1);
}

#[tokio::test]
async fn a_project_runs_as_many_jobs_at_once_as_its_limit_and_others_are_not_affected() {
    let (db, store) = given::store().await;
    record(&given::project(&store, "p").await, 6).await;
    record(&given::project(&store, "q").await, 1).await;

    let first = claim(&db, Uuid::from_u128(1), 4, 2).await;
    let mut projects: Vec<i32> = first.iter().map(|(_, project)| *project).collect();
    projects.sort_unstable();
    assert_eq!(projects, [1, 1, 2]);
    assert_eq!(claim(&db, Uuid::from_u128(2), 4, 2).await, []);
    assert_eq!(claim(&db, Uuid::from_u128(2), 4, 3).await.len(), 1);
}

#[tokio::test]
async fn four_runs_of_a_project_are_assembled_at_once() {
    let (db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let sender = SpanSender { key_id: KeyId::generate(), name: "key:test".into(), trust: Trust::Normal };
    let at_once =
        SpanPolicy { grace: Duration::ZERO, quiet: Duration::from_secs(600), max_run_bytes: 1_000_000 };
    let runs: Vec<SpanRun> = (1..=6_u128)
        .map(|number| SpanRun {
            otlp_id: Uuid::from_u128(number),
            trace_id: TraceId::generate(),
            root_ended: true,
            opens: true,
            spans: vec![NewSpan { part_id: Uuid::from_u128(1), body: Body::encode("{}") }],
        })
        .collect();
    project.traces().spans().stage(&sender, &runs, &at_once).await.unwrap();

    assert_eq!(claim(&db, Uuid::from_u128(1), 10, 1).await.len(), 4);
    assert_eq!(claim(&db, Uuid::from_u128(2), 10, 1).await, []);
}

#[tokio::test]
async fn each_job_is_claimed_once_by_many_workers() {
    let (db, store) = given::store().await;
    for slug in ["p", "q", "r"] {
        record(&given::project(&store, slug).await, 10).await;
    }
    let db = Arc::new(db);
    let mut claiming = tokio::task::JoinSet::new();
    for worker in 1..=8 {
        let db = db.clone();
        claiming.spawn(async move { claim(&db, Uuid::from_u128(worker), 4, 32).await });
    }
    let claimed: Vec<(Uuid, i32)> = claiming.join_all().await.concat();
    let mut subjects: Vec<Uuid> = claimed.iter().map(|(subject, _)| *subject).collect();
    subjects.sort_unstable();
    subjects.dedup();
    assert_eq!(subjects.len(), claimed.len());
    assert_eq!(count(&db, "job where worker is not null").await, claimed.len() as i64);
}

/// Runs the worker until it has passed one job to the handler.
async fn next_job(store: &Store) -> LearnJob {
    let (sender, mut received) = mpsc::unbounded_channel();
    let stop = CancellationToken::new();
    let handler = move |job| {
        sender.send(learning(job)).unwrap();
        async { Ok(()) }.boxed()
    };
    let settings = WorkSettings::default();
    let working = store.jobs().work(&settings, stop.clone(), handler);
    let waiting = async {
        let job = received.recv().await.unwrap();
        stop.cancel();
        job
    };
    let ((), job) = tokio::join!(working, waiting);
    job
}

#[tokio::test]
async fn the_job_of_a_dead_worker_runs_again_and_the_dead_worker_cannot_end_it() {
    let (db, store) = given::store().await;
    record(&given::project(&store, "p").await, 1).await;
    let dead = Uuid::from_u128(7);
    let (subject, project) = claim(&db, dead, 1, 4).await[0];
    execute(&db, "update job_worker set seen_at = now() - interval '6 seconds'").await;

    // Another worker takes it over and is paused; then the first one ends its job.
    execute(&db, "select recover_jobs(5)").await;
    assert_eq!(claim(&db, Uuid::from_u128(8), 1, 4).await, [(subject, project)]);
    sqlx::query(include_str!("../../sql/jobs/finish.sql"))
        .bind(vec![dead])
        .bind(vec![1_i64])
        .bind(vec![project])
        .bind(vec![0_i16])
        .bind(vec![subject])
        .execute(&mut db.superuser().await)
        .await
        .unwrap();
    assert_eq!(count(&db, "job").await, 1);

    execute(&db, "update job_worker set seen_at = now() - interval '6 seconds'").await;
    assert_eq!(next_job(&store).await.review_id.as_uuid(), subject);
    assert_eq!(count(&db, "job").await, 0);
    assert_eq!(count(&db, "job_worker where dead_at is null").await, 0, "a worker that stops leaves");
}

#[tokio::test]
async fn a_job_of_a_worker_that_claimed_after_its_removal_is_found() {
    let (db, store) = given::store().await;
    record(&given::project(&store, "p").await, 1).await;
    claim(&db, Uuid::from_u128(7), 1, 4).await;
    execute(&db, "delete from job_worker").await;

    assert_eq!(store.jobs().adopt().await.unwrap(), 1);

    assert_eq!(worked_off(&store).await.len(), 1);
}

#[tokio::test]
async fn a_job_whose_end_was_lost_in_a_crash_of_the_server_runs_again() {
    let (db, store) = given::store().await;
    assert_eq!(count(&db, "pg_class where relname = 'job_worker' and relpersistence = 'u'").await, 1);
    record(&given::project(&store, "p").await, 1).await;
    let (sender, mut received) = mpsc::unbounded_channel();
    let stop = CancellationToken::new();
    let handler = move |job| {
        sender.send(learning(job)).unwrap();
        async { Ok(()) }.boxed()
    };
    let settings = WorkSettings::default();
    let working = store.jobs().work(&settings, stop.clone(), handler);
    let waiting = async {
        received.recv().await.unwrap();
        while count(&db, "job").await > 0 {
            tokio::task::yield_now().await;
        }
        // The state after a crash: the claim was stored and the end was not. Unlogged tables are empty.
        let crash = "insert into job (project_id, kind, subject, run_at, ready_at, worker, turn)
                     select 1, 0, gen_random_uuid(), now(), now(), worker, 1 from job_worker;
                     truncate job_worker";
        execute(&db, crash).await;
        let again = tokio::time::timeout(Duration::from_secs(20), received.recv()).await;
        stop.cancel();
        again
    };
    let ((), again) = tokio::join!(working, waiting);
    assert!(again.is_ok_and(|job| job.is_some()));
    assert_eq!(count(&db, "job").await, 0);
}

#[tokio::test]
async fn a_stopping_worker_keeps_no_job_that_another_transaction_has_locked() {
    let (db, store) = given::store().await;
    record(&given::project(&store, "p").await, 1).await;
    let (started, mut received) = mpsc::unbounded_channel();
    let (stop, goes_on) = (CancellationToken::new(), CancellationToken::new());
    let ends = goes_on.clone();
    let handler = move |_| -> BoxFuture<'static, Result<(), StoreError>> {
        started.send(()).unwrap();
        let ends = ends.clone();
        async move {
            ends.cancelled().await;
            Ok(())
        }
        .boxed()
    };
    let settings = WorkSettings::default();
    let jobs = store.jobs();
    let mut working = pin!(jobs.work(&settings, stop.clone(), handler));
    tokio::select! {
        () = &mut working => panic!("the worker has a job"),
        begun = received.recv() => begun.unwrap(),
    }
    let mut adding = db.superuser().await;
    adding.execute("begin; update job set again_at = now()").await.unwrap();
    stop.cancel();
    goes_on.cancel();
    let stopped = tokio::time::timeout(Duration::from_millis(500), &mut working).await;
    adding.execute("commit").await.unwrap();
    if stopped.is_err() {
        working.await;
    }
    assert_eq!(count(&db, "job where worker is null and again_at is null").await, 1);
}

#[tokio::test]
async fn a_job_that_interrupts_its_worker_again_and_again_waits_longer() {
    let (db, store) = given::store().await;
    record(&given::project(&store, "p").await, 1).await;
    for attempt in 1..=3_u128 {
        assert_eq!(claim(&db, Uuid::from_u128(attempt), 1, 4).await.len(), 1, "attempt {attempt}");
        execute(&db, "update job_worker set seen_at = now() - interval '6 seconds'").await;
        execute(&db, "select recover_jobs(5)").await;
    }
    assert_eq!(claim(&db, Uuid::from_u128(9), 1, 4).await, []);
    assert_eq!(count(&db, "job where ready_at is null and run_at > now() + interval '5 seconds'").await, 1);
}

#[tokio::test]
async fn a_job_that_fails_is_kept_and_runs_later() {
    let (db, store) = given::store().await;
    record(&given::project(&store, "p").await, 1).await;
    let failing = |_| async { Err(StoreError::Conflict { what: "refused" }) }.boxed();

    store.jobs().work_once(failing).await.unwrap();

    assert_eq!(worked_off(&store).await.len(), 0);
    assert_eq!(count(&db, "job where last_error = 'refused' and run_at > now()").await, 1);
    execute(&db, "update job set run_at = now()").await;
    assert_eq!(worked_off(&store).await.len(), 1);
}

async fn panicking() -> Result<(), StoreError> {
    panic!("the first run panics")
}

#[tokio::test]
async fn a_panic_is_a_failure_of_its_job_only() {
    let (db, store) = given::store().await;
    record(&given::project(&store, "p").await, 2).await;
    let (sender, mut received) = mpsc::unbounded_channel();
    let stop = CancellationToken::new();
    let runs = Mutex::new(0);
    let handler = move |_| {
        let mut runs = runs.lock().unwrap();
        *runs += 1;
        sender.send(()).unwrap();
        match *runs {
            1 => panicking().boxed(),
            _ => async { Ok(()) }.boxed(),
        }
    };
    let settings = WorkSettings { concurrency: 1, ..WorkSettings::default() };
    let working = store.jobs().work(&settings, stop.clone(), handler);
    let waiting = async {
        for _ in 0..2 {
            received.recv().await.unwrap();
        }
        stop.cancel();
    };
    tokio::join!(working, waiting);
    assert_eq!(count(&db, "job where worker is null and last_error like '%panicked%'").await, 1);
    assert_eq!(count(&db, "job").await, 1);
}

#[tokio::test]
async fn a_job_of_an_open_transaction_is_taken_after_its_commit() {
    let (db, store) = given::store().await;
    given::project(&store, "p").await;
    let mut adding = db.superuser().await;
    adding
        .execute(
            "begin; insert into job (project_id, kind, subject, run_at, ready_at) \
             values (1, 0, gen_random_uuid(), now(), now())",
        )
        .await
        .unwrap();
    assert_eq!(worked_off(&store).await.len(), 0);
    store.maintenance().run().await.unwrap();
    adding.execute("commit").await.unwrap();

    assert_eq!(worked_off(&store).await, [1]);
}

#[tokio::test]
async fn commits_are_announced_together_and_after_the_transaction() {
    let (db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let mut listener = PgListener::connect(db.url().expose_secret()).await.unwrap();
    listener.listen("reflect_jobs").await.unwrap();

    let began = Instant::now();
    let runs: Vec<NewTraceRow> = (0..50).map(|run| given::reviewed(&format!("run {run}"))).collect();
    for run in &runs {
        project.traces().record(run, None).await.unwrap();
    }
    listener.recv().await.unwrap();
    // A transaction of the test comes after all announcements that were sent before.
    execute(&db, "notify reflect_jobs, 'last'").await;
    let mut announced = 1;
    while listener.recv().await.unwrap().payload() != "last" {
        announced += 1;
    }
    let most = began.elapsed().as_millis() / 20 + 2;
    assert!(announced <= most, "{announced} notifications in {:?}", began.elapsed());
}

/// The tables of the library that earlier versions used, as far as they are read.
const EARLIER_QUEUE: &str = "
    create schema reflect_jobs;
    create table reflect_jobs._private_tasks (id int primary key, identifier text);
    create table reflect_jobs._private_workers (id text primary key, last_heartbeat_at timestamptz);
    create table reflect_jobs._private_jobs (
      id bigint generated always as identity, task_id int, payload json, run_at timestamptz default now(),
      attempts smallint default 0, max_attempts smallint default 25, key text, locked_at timestamptz, locked_by text);
    insert into reflect_jobs._private_tasks values (1, 'learn'), (2, 'judge'), (3, 'place');
    insert into reflect_jobs._private_workers values ('alive', now()), ('dead', now() - interval '1 hour');
    insert into reflect_jobs._private_jobs (task_id, payload, key, run_at, locked_at, locked_by) values
      (1, '{\"project_id\": 1, \"review_id\": \"00000000-0000-0000-0000-000000000001\"}', 'a', now(), null, null),
      (1, '{\"project_id\": 1, \"review_id\": \"00000000-0000-0000-0000-000000000002\"}', 'b', now(), now(), 'dead'),
      (1, '{\"project_id\": 1, \"review_id\": \"00000000-0000-0000-0000-000000000003\"}', 'c', now(), now(), 'alive'),
      (3, '{\"project_id\": 1}', 'd', now() + interval '1 hour', null, null),
      (2, '{\"project_id\": 1, \"trace_id\": \"00000000-0000-0000-0000-000000000004\", \"failures\": 3}', 'e', now(), null, null);
    grant usage on schema reflect_jobs to reflect_app;
    grant all on all tables in schema reflect_jobs to reflect_app";

#[tokio::test]
async fn jobs_of_the_earlier_queue_are_adopted() {
    let (db, store) = given::store().await;
    execute(&db, EARLIER_QUEUE).await;

    assert_eq!(store.jobs().adopt().await.unwrap(), 4);
    assert_eq!(store.jobs().adopt().await.unwrap(), 0);

    let kept: Vec<(i16, i16, bool)> =
        sqlx::query_as("select kind, failures, ready_at is not null from job order by kind, subject")
            .fetch_all(&mut db.superuser().await)
            .await
            .unwrap();
    assert_eq!(kept, [(0, 0, true), (0, 0, true), (1, 0, false), (10, 3, true)]);
    assert_eq!(count(&db, "reflect_jobs._private_jobs where key = 'c'").await, 1, "its worker is alive");
}
