//! A request that is cancelled at any moment leaves no connection of the pool inside a transaction, and costs none. A
//! connection that ended costs no request.

use std::collections::BTreeSet;
use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::{Duration, Instant};

use reflect_types::TraceId;
use sqlx::PgConnection;

use crate::given;

/// Polls a future this often and drops it, as the server does when a client disconnects.
async fn dropped_after(polls: usize, future: impl Future) {
    let mut future = pin!(future);
    let mut left = polls;
    poll_fn(|context| match left {
        0 => Poll::Ready(()),
        _ => {
            left -= 1;
            future.as_mut().poll(context).map(drop)
        }
    })
    .await;
}

/// The connections of the store, by their process ids.
async fn connections(watcher: &mut PgConnection) -> BTreeSet<i32> {
    const ALL: &str = "select pid from pg_stat_activity where datname = current_database() \
                       and pid <> pg_backend_pid() and backend_type = 'client backend'";
    sqlx::query_scalar(ALL).fetch_all(watcher).await.unwrap().into_iter().collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_request_leaves_no_transaction_behind() {
    const OPEN: &str = "select count(*) from pg_stat_activity \
                        where datname = current_database() and state like 'idle in transaction%'";
    let (db, store) = given::store().await;
    let project = given::project(&store, "mine").await;
    let missing = [TraceId::generate()];
    let mut watcher = db.superuser().await;
    project.traces().list(None, None, 10).await.unwrap();
    project.traces().delete(&missing, &given::actor(), None).await.unwrap();
    let before = connections(&mut watcher).await;

    for polls in (0..10).cycle().take(200) {
        dropped_after(polls, project.traces().list(None, None, 10)).await;
        dropped_after(polls, project.traces().delete(&missing, &given::actor(), None)).await;
    }

    // Connections are returned or closed in the background.
    let deadline = Instant::now() + Duration::from_secs(5);
    while sqlx::query_scalar::<_, i64>(OPEN).fetch_one(&mut watcher).await.unwrap() > 0 {
        assert!(Instant::now() < deadline, "connections of the pool are inside a transaction");
        tokio::task::yield_now().await;
    }
    let after = connections(&mut watcher).await;
    // A connection that was closed for another reason may have been counted before.
    assert!(!before.is_disjoint(&after), "all connections were closed: {before:?}, then {after:?}");
    let stored = project.traces().record(&given::trace("after"), None).await.unwrap();
    assert!(project.traces().get(stored.answer.trace_id).await.is_ok());
}

#[tokio::test]
async fn sessions_that_the_server_ended_cost_no_request() {
    const END: &str = "select pg_terminate_backend(pid, 10000) from pg_stat_activity \
                       where datname = current_database() and pid <> pg_backend_pid()";
    let (db, store) = given::store().await;
    let project = given::project(&store, "mine").await;
    let missing = [TraceId::generate()];
    for _ in 0..3 {
        project.traces().list(None, None, 10).await.unwrap();
        project.traces().delete(&missing, &given::actor(), None).await.unwrap();
        sqlx::query(END).execute(&mut db.superuser().await).await.unwrap();
    }
}
