//! The queue, and what upkeep does to it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::FutureExt;
use reflect_store::Store;
use sqlx::Executor;

use crate::given;

/// How many jobs were due.
async fn worked_off(store: &Store) -> usize {
    let seen = Arc::new(AtomicUsize::new(0));
    let counting = seen.clone();
    let handler = move |_| {
        counting.fetch_add(1, Ordering::Relaxed);
        async { Ok(()) }.boxed()
    };
    store.jobs().work_once(handler).await.unwrap();
    seen.load(Ordering::Relaxed)
}

#[tokio::test]
async fn a_job_that_is_being_added_during_upkeep_is_taken() {
    let (db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    // Makes the project's queues; afterwards they are empty.
    for run in 0..16 {
        project.traces().record(&given::reviewed(&format!("run {run}")), None).await.unwrap();
    }
    assert_eq!(worked_off(&store).await, 16);

    let mut adding = db.superuser().await;
    adding
        .execute(
            "begin; select reflect_jobs.add_job('learn', json_build_object('project_id', 1, \
             'review_id', '01a1df59-0e64-70fe-b5bb-b65eb38a876f'), 'project 1 share 0')",
        )
        .await
        .unwrap();
    store.maintenance().run().await.unwrap();
    adding.execute("commit").await.unwrap();

    assert_eq!(worked_off(&store).await, 1);
}

#[tokio::test]
async fn a_job_whose_queue_is_gone_is_taken_after_upkeep() {
    let (db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    project.traces().record(&given::reviewed("run"), None).await.unwrap();
    db.superuser().await.execute("delete from reflect_jobs._private_job_queues").await.unwrap();
    assert_eq!(worked_off(&store).await, 0);

    store.maintenance().run().await.unwrap();

    assert_eq!(worked_off(&store).await, 1);
}
