//! A request that is cancelled at any moment leaves no connection of the pool inside a transaction.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use reflect_types::TraceId;

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

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_request_leaves_no_transaction_behind() {
    const OPEN: &str = "select count(*) from pg_stat_activity \
                        where datname = current_database() and state like 'idle in transaction%'";
    let (db, store) = given::store().await;
    let project = given::project(&store, "mine").await;
    let missing = [TraceId::generate()];
    let mut watcher = db.superuser().await;

    for polls in (0..10).cycle().take(200) {
        dropped_after(polls, project.traces().list(None, None, 10)).await;
        dropped_after(polls, project.traces().delete(&missing, &given::actor(), None)).await;
    }

    let mut open: i64 = 1;
    for _ in 0..40 {
        open = sqlx::query_scalar(OPEN).fetch_one(&mut watcher).await.unwrap();
        if open == 0 {
            break;
        }
        // Connections are returned or closed in the background.
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(open, 0, "connections of the pool are inside a transaction");
    let stored = project.traces().record(&given::trace("after"), None).await.unwrap();
    assert!(project.traces().get(stored.answer.trace_id).await.is_ok());
}
