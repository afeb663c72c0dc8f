//! Checkpoints of long folds: a withdrawn review leaves the same utility and credit as a fold from the start, and a
//! checkpoint that outlived a change is found. Debug builds have a checkpoint every 16 entries.
#![cfg(debug_assertions)]
#![expect(clippy::disallowed_methods, reason = "every task is waited for by its test")]

use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use reflect_store::{Linked, NewTraceRow, ProjectCtx, ReviewChange, Store, StoreFault, StoreSettings};
use reflect_test_support::TestDb;
use reflect_types::{Link, MemoryId, ReviewId, ReviewResult, TraceId};
use sqlx::Executor;

use crate::{given, ledger};

const REVIEWS: usize = 100;
const WITHDRAWN: usize = 40;

/// A memory with many reviews, and their runs.
struct LongLedger {
    project: ProjectCtx,
    memory: MemoryId,
    runs: Vec<(TraceId, ReviewId)>,
}

async fn new_memory(project: &ProjectCtx, random: &mut SmallRng) -> MemoryId {
    let run = given::reviewed("first");
    project.traces().record(&run, None).await.unwrap();
    let lesson = ledger::memory(random, &[]);
    let review = run.review.as_ref().unwrap().review_id;
    project.learning().finish(run.trace_id, review, &lesson).await.unwrap().unwrap();
    lesson.memory_id
}

async fn long_ledger(store: &Store, slug: &str, random: &mut SmallRng) -> LongLedger {
    let project = given::project(store, slug).await;
    let memory = new_memory(&project, random).await;
    let mut runs = Vec::new();
    for _ in 0..REVIEWS {
        let link = Linked { by: Link::Ids, memories: vec![memory], retrieval: None, arm: None };
        let mut run = NewTraceRow { link, ..given::reviewed("run") };
        let review = run.review.as_mut().unwrap();
        review.result = if random.random_bool(0.5) { ReviewResult::Pass } else { ReviewResult::Fail };
        let review = review.review_id;
        project.traces().record(&run, None).await.unwrap();
        runs.push((run.trace_id, review));
    }
    // Learned from in another order, so credits move in another order than utilities. Some are never learned from.
    let mut order = runs.clone();
    order.shuffle(random);
    for (trace, review) in order.into_iter().take(REVIEWS * 3 / 4) {
        let lesson = ledger::memory(random, &[memory]);
        project.learning().finish(trace, review, &lesson).await.unwrap().unwrap();
    }
    LongLedger { project, memory, runs }
}

async fn withdraw(project: &ProjectCtx, trace: TraceId, review: ReviewId) {
    let change = ReviewChange { trace, instead_of: Some(review), review: None, lesson: None };
    assert!(project.reviews().change(&change, &given::actor(), None).await.unwrap());
}

/// What is wrong with the memory, by this test's own fold and by `reflect verify`.
async fn problem(db: &TestDb, long: &LongLedger) -> Option<String> {
    let mut connection = db.superuser().await;
    let folded = ledger::fold(&mut connection).await[&long.memory];
    let stands: (f32, i32, i32, f32, i32) =
        sqlx::query_as("select q, reviews, passes, credit, evidence from memory_stat where memory_id = $1")
            .bind(long.memory)
            .fetch_one(&mut connection)
            .await
            .unwrap();
    if stands != folded {
        return Some(format!("{stands:?} stands, {folded:?} is what the ledger says"));
    }
    let mut snapshot = long.project.moving().snapshot().await.unwrap();
    let verified = snapshot.folded(None).await.unwrap();
    let wrong = verified.iter().find(|one| one.folded != one.stored || !one.checkpoints_hold);
    wrong.map(|one| format!("verification finds {one:?}"))
}

async fn checkpoints(db: &TestDb) -> i64 {
    let count = sqlx::query_scalar("select count(*) from fold_checkpoint");
    count.fetch_one(&mut db.superuser().await).await.unwrap()
}

/// Withdraws reviews in a random order. Returns the first problem.
async fn withdraw_some(db: &TestDb, store: &Store, seed: u64) -> Option<String> {
    let mut random = SmallRng::seed_from_u64(seed);
    let mut long = long_ledger(store, &format!("long-{seed}"), &mut random).await;
    if let Some(problem) = problem(db, &long).await {
        return Some(format!("before the first is withdrawn: {problem}"));
    }
    assert!(checkpoints(db).await >= 10, "{}", checkpoints(db).await);
    long.runs.shuffle(&mut random);
    for (at, (trace, review)) in long.runs.iter().take(WITHDRAWN).enumerate() {
        withdraw(&long.project, *trace, *review).await;
        if let Some(problem) = problem(db, &long).await {
            return Some(format!("seed {seed}, after {at} withdrawals: {problem}"));
        }
    }
    None
}

#[tokio::test]
async fn a_withdrawn_review_leaves_what_a_fold_from_the_start_gives() {
    let (db, store) = given::store().await;
    for seed in 0..2 {
        assert_eq!(withdraw_some(&db, &store, seed).await, None);
    }
    // The count of a memory is the position of its last entry.
    let difference: i64 = sqlx::query_scalar(
        "select max(abs(s.entered - e.last)) from memory_stat s
         join (select memory_id, max(seq) as last from utility_event group by memory_id) e using (memory_id)",
    )
    .fetch_one(&mut db.superuser().await)
    .await
    .unwrap();
    assert_eq!(difference, 0);
}

#[tokio::test]
async fn a_checkpoint_that_outlives_a_change_is_found() {
    let db = TestDb::create().await;
    let settings = StoreSettings { fault: Some(StoreFault::StaleCheckpoints), ..db.settings() };
    let store = Store::connect(&settings).await.unwrap();

    let problem = withdraw_some(&db, &store, 0).await;

    assert!(problem.as_ref().is_some_and(|problem| problem.contains("withdrawals")), "{problem:?}");
}

#[tokio::test]
async fn two_reviews_that_are_withdrawn_at_once_are_both_gone() {
    let (db, store) = given::store().await;
    let long = long_ledger(&store, "p", &mut SmallRng::seed_from_u64(7)).await;
    // Both folds are prepared before either of them gets the lock, so the second one is outdated.
    let mut holder = db.superuser().await;
    holder.execute("begin").await.unwrap();
    let held = sqlx::query("select from memory_stat where memory_id = $1 for update").bind(long.memory);
    held.execute(&mut holder).await.unwrap();
    let tasks: Vec<_> = [long.runs[3], long.runs[50]]
        .into_iter()
        .map(|(trace, review)| {
            let url = db.settings();
            tokio::spawn(async move {
                let elsewhere = Store::connect(&url).await.unwrap();
                withdraw(&given::project(&elsewhere, "p").await, trace, review).await;
            })
        })
        .collect();
    let waiting = "select count(*) from pg_stat_activity
                   where datname = current_database() and wait_event_type = 'Lock'";
    let mut observer = db.superuser().await;
    while sqlx::query_scalar::<_, i64>(waiting).fetch_one(&mut observer).await.unwrap() < 2 {}
    holder.execute("rollback").await.unwrap();
    for task in tasks {
        task.await.unwrap();
    }

    assert_eq!(problem(&db, &long).await, None);
}

#[tokio::test]
async fn a_memory_without_a_count_continues_after_its_last_entry() {
    let (db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let memory = new_memory(&project, &mut SmallRng::seed_from_u64(1)).await;
    let run = || {
        let link = Linked { by: Link::Ids, memories: vec![memory], retrieval: None, arm: None };
        NewTraceRow { link, ..given::reviewed("run") }
    };
    project.traces().record(&run(), None).await.unwrap();
    // As an earlier version left it: numbers of a sequence over all projects.
    let mut connection = db.superuser().await;
    connection.execute("update utility_event set seq = 5000000").await.unwrap();
    connection.execute("update memory_stat set entered = null").await.unwrap();

    project.traces().record(&run(), None).await.unwrap();
    project.traces().record(&run(), None).await.unwrap();

    let positions: Vec<i64> =
        sqlx::query_scalar("select seq from utility_event where memory_id = $1 order by seq")
            .bind(memory)
            .fetch_all(&mut connection)
            .await
            .unwrap();
    assert_eq!(positions, [5_000_000, 5_000_001, 5_000_002]);
}
