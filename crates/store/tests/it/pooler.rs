//! The store behind a real PgBouncer in transaction mode, where each transaction may have another session of Postgres.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::FutureExt;
use reflect_store::{ProjectCtx, Requirement, Store, StoreError, StoreFault, StoreSettings};
use reflect_test_support::{PgBouncer, TestDb};
use sqlx::{Executor, PgConnection, Row};

use crate::given;

/// More connections than the two sessions that PgBouncer has.
fn settings(db: &TestDb, pooler: &PgBouncer) -> StoreSettings {
    StoreSettings { direct_url: Some(db.url()), ..StoreSettings::new(pooler.url(), 20) }
}

async fn store(db: &TestDb, pooler: &PgBouncer, fault: Option<StoreFault>) -> Store {
    Store::connect(&StoreSettings { fault, ..settings(db, pooler) }).await.unwrap()
}

/// The user of the session that this client gets.
async fn current_user(client: &mut PgConnection) -> String {
    sqlx::raw_sql("select current_user::text").fetch_one(client).await.unwrap().get(0)
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_works_while_sessions_are_shared() {
    let db = TestDb::create().await;
    let pooler = PgBouncer::start(&db, "").await;
    let store = store(&db, &pooler, None).await;
    let projects = [given::project(&store, "p").await, given::project(&store, "q").await];
    let mut news = store.notifications().listen().await.unwrap();

    // At the same time, so that transactions of both projects alternate in the same sessions.
    let record = |number: usize| {
        let project: ProjectCtx = projects[number % 2].clone();
        async move {
            let run = given::reviewed(&format!("task {number}"));
            project.traces().record(&run, None).await.unwrap();
            assert!(project.traces().get(run.trace_id).await.is_ok());
        }
    };
    futures::future::join_all((0..40).map(record)).await;

    for project in &projects {
        assert_eq!(project.traces().list(None, None, 100).await.unwrap().traces.len(), 20);
    }
    store.notifications().notify(&["hello".to_owned()]).await.unwrap();
    let heard = tokio::time::timeout(Duration::from_secs(10), news.next()).await.unwrap();
    assert_eq!(heard.unwrap().as_deref(), Some("hello"));
    let done = Arc::new(AtomicUsize::new(0));
    let counting = done.clone();
    let handler = move |_| {
        counting.fetch_add(1, Ordering::Relaxed);
        async { Ok(()) }.boxed()
    };
    store.jobs().work_once(handler).await.unwrap();
    assert_eq!(done.load(Ordering::Relaxed), 40);
    store.maintenance().run().await.unwrap();
    store.ping().await.unwrap();
    store.close().await;
}

/// Whether the store works under the restricted role and leaves no role behind in the sessions that it shares. The user of
/// the URL is a superuser: without the role it could write everywhere.
async fn role_belongs_to_the_transaction(fault: Option<StoreFault>) -> bool {
    let db = TestDb::create().await;
    let pooler = PgBouncer::start(&db, "").await;
    let store = store(&db, &pooler, fault).await;
    let project = given::project(&store, "p").await;
    assert!(store.server().is_restricted());
    project.traces().record(&given::trace("before"), None).await.unwrap();
    db.superuser().await.execute("revoke insert on trace from reflect_app").await.unwrap();

    // Two other clients hold both sessions and see what the store has left there. Then the store gets one of them back.
    let mut others = [pooler.client().await, pooler.client().await];
    let mut users = Vec::new();
    for other in &mut others {
        other.execute("begin").await.unwrap();
        users.push(current_user(other).await);
    }
    others[1].execute("rollback").await.unwrap();
    let refused = project.traces().record(&given::trace("after"), None).await.is_err();

    others[0].execute("rollback").await.unwrap();
    store.close().await;
    users.iter().all(|user| user != "reflect_app") && refused
}

#[tokio::test(flavor = "multi_thread")]
async fn the_restricted_role_is_taken_in_every_transaction() {
    assert!(role_belongs_to_the_transaction(None).await);
}

#[cfg(debug_assertions)]
#[tokio::test(flavor = "multi_thread")]
async fn a_role_that_is_taken_per_session_is_detected() {
    assert!(!role_belongs_to_the_transaction(Some(StoreFault::RolePerSession)).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_are_set_in_every_transaction() {
    let db = TestDb::create().await;
    let pooler = PgBouncer::start(&db, "").await;
    let store = store(&db, &pooler, None).await;
    let project = given::project(&store, "p").await;
    let run = given::trace("a");
    project.traces().record(&run, None).await.unwrap();

    let mut other = db.superuser().await;
    other.execute("begin; lock table trace_state in access exclusive mode").await.unwrap();
    let refused = project.traces().delete(&[run.trace_id], &given::actor(), None).await.unwrap_err();

    // Without the limit it would wait as long as the lock is held.
    assert!(matches!(refused, StoreError::Unavailable(_)), "{refused:?}");
    other.execute("rollback").await.unwrap();
    store.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pooler_without_a_direct_url_is_refused() {
    let db = TestDb::create().await;
    let ignoring = "ignore_startup_parameters = options, extra_float_digits";

    for settings in ["", ignoring] {
        let pooler = PgBouncer::start(&db, settings).await;
        let refused = Store::connect(&StoreSettings::new(pooler.url(), 8)).await.unwrap_err();
        assert!(matches!(refused, StoreError::Requirement(Requirement::Pooler)), "{settings}: {refused:?}");
        assert!(refused.to_string().contains("REFLECT_DIRECT_DATABASE_URL"), "{refused}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pooler_that_drops_settings_is_detected() {
    let db = TestDb::create().await;
    let pooler = PgBouncer::start(&db, "ignore_startup_parameters = options, extra_float_digits").await;

    let store = store(&db, &pooler, None).await;

    let project = given::project(&store, "p").await;
    assert!(project.traces().record(&given::trace("a"), None).await.is_ok());
    store.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_direct_url_of_another_database_is_refused() {
    let (db, other) = (TestDb::create().await, TestDb::create().await);
    let pooler = PgBouncer::start(&db, "").await;
    // A clone of the template: its installation has the same time.
    other.superuser().await.execute("update installation set created_at = now()").await.unwrap();
    let settings = StoreSettings { direct_url: Some(other.url()), ..settings(&db, &pooler) };

    let refused = Store::connect(&settings).await.unwrap_err();

    assert!(matches!(refused, StoreError::Requirement(Requirement::OtherDatabase { .. })), "{refused:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn migrations_refuse_a_pooler() {
    let db = TestDb::create_empty().await;
    let pooler = PgBouncer::start(&db, "").await;
    let migration = reflect_store::MigrationSettings { url: pooler.url(), ..db.migration() };

    let refused = Store::migrate(&migration).await.unwrap_err();

    assert!(matches!(refused, StoreError::Requirement(Requirement::Pooler)), "{refused:?}");
}
