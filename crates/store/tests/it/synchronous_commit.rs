//! With a synchronous standby, nothing is acknowledged that the standby does not have, also if the wait for it is cancelled.

use std::time::{Duration, Instant};

use reflect_store::{Claim, Store, StoreError, StoreSettings};
use reflect_test_support::ReplicatedDb;

use crate::given;

const PATIENCE: Duration = Duration::from_secs(60);
const WAITING: &str = "select pid from pg_stat_activity where wait_event = 'SyncRep'";

struct Given {
    store: Store,
    /// Last, so that it is dropped last.
    db: ReplicatedDb,
}

/// A primary whose commits wait for a standby that is down.
async fn given() -> Given {
    let db = ReplicatedDb::create().await;
    let store = Store::connect(&StoreSettings::new(db.url(), 8)).await.unwrap();
    given::project(&store, "p").await;
    db.stop_standby();
    db.set_synchronous(true).await;
    Given { store, db }
}

impl Given {
    /// The session whose commit waits for the standby.
    async fn waiting(&self) -> i32 {
        let (mut primary, deadline) = (self.db.primary().await, Instant::now() + PATIENCE);
        loop {
            let waiting: Vec<i32> = sqlx::query_scalar(WAITING).fetch_all(&mut primary).await.unwrap();
            if let Some(session) = waiting.first() {
                return *session;
            }
            assert!(Instant::now() < deadline, "no commit waits for the standby");
        }
    }

    /// Ends the wait of a commit, as an administrator does who cancels the statement or ends the session.
    async fn end_wait(&self, function: &str) {
        let waiting = self.waiting().await;
        let end = format!("select {function}($1)");
        let end = sqlx::query(sqlx::AssertSqlSafe(end)).bind(waiting);
        end.execute(&mut self.db.primary().await).await.unwrap();
    }
}

fn claim() -> Claim {
    Claim { key: "k".into(), request_digest: [1; 32] }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_whose_wait_for_the_standby_is_cancelled_is_not_acknowledged() {
    for function in ["pg_cancel_backend", "pg_terminate_backend"] {
        let given = given().await;
        let project = given::project(&given.store, "p").await;
        let (trace, claim) = (given::trace("a"), claim());
        let traces = project.traces();

        let call = traces.record(&trace, Some(&claim));
        let (stored, ()) = tokio::join!(call, given.end_wait(function));

        assert!(matches!(stored, Err(StoreError::Unavailable(_))), "{function}: {stored:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_call_waits_for_the_standby_too() {
    let given = given().await;
    let project = given::project(&given.store, "p").await;
    let (trace, claim) = (given::trace("a"), claim());
    let traces = project.traces();
    let (first, ()) = tokio::join!(traces.record(&trace, Some(&claim)), given.end_wait("pg_cancel_backend"));
    assert!(first.is_err(), "{first:?}");

    let repeat = traces.record(&trace, Some(&claim));
    let release = async {
        // The run is stored on the primary, and its answer too.
        given.waiting().await;
        given.db.set_synchronous(false).await;
    };
    let (second, ()) = tokio::join!(repeat, release);
    assert!(second.unwrap().replayed);

    // Without a key, a run is recognised by its id.
    given.db.set_synchronous(true).await;
    let release = async {
        given.waiting().await;
        given.db.set_synchronous(false).await;
    };
    let (third, ()) = tokio::join!(traces.record(&trace, None), release);
    assert!(third.unwrap().replayed);
}
