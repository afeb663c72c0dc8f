//! Projects: made once, gone for good.

use std::time::Duration;

use reflect_store::{Claim, StoreError};

use crate::given;

#[tokio::test]
async fn a_project_is_made_once_however_many_ask() {
    let (_db, store) = given::store().await;
    let mut asking = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let store = store.clone();
        asking.spawn(async move {
            store.catalogue().ensure_project(&"p".parse().unwrap(), &given::actor()).await.unwrap()
        });
    }
    let made = asking.join_all().await;
    assert!(made.iter().all(|project| *project == made[0]));
}

#[tokio::test]
async fn a_deleted_project_is_out_of_use_at_once_and_its_rows_go_later() {
    let (db, store) = given::store().await;
    let (gone, kept) = (given::project(&store, "gone").await, given::project(&store, "kept").await);
    let claim = Claim { key: "k".into(), request_digest: [1; 32] };
    for project in [&gone, &kept] {
        project.traces().record(&given::reviewed("a"), Some(&claim)).await.unwrap();
    }
    gone.keys().create(&given::key("aaaaaaaa"), &given::actor(), None).await.unwrap();

    assert_eq!(gone.admin().delete("gone", &given::actor()).await.unwrap(), 1);
    assert!(matches!(gone.admin().delete("gone", &given::actor()).await, Err(StoreError::NotFound { .. })));
    assert!(store.catalogue().find_key("aaaaaaaa").await.unwrap().unwrap().revoked);
    let again = given::project(&store, "gone").await;
    assert!(again.traces().list(None, None, 10).await.unwrap().traces.is_empty());

    // Another server may still be at it, so nothing is removed in the first minute.
    assert_eq!(store.maintenance().run().await.unwrap().purged_rows, 0);
    assert!(store.maintenance().purge_deleted_projects(Duration::ZERO).await.unwrap() > 0);

    for table in ["trace", "trace_body", "trace_state", "review", "idempotency"] {
        let count = sqlx::AssertSqlSafe(format!("select count(*) from {table}"));
        let left: i64 = sqlx::query_scalar(count).fetch_one(&mut db.superuser().await).await.unwrap();
        assert_eq!(left, 1, "{table}: the other project's row and no more");
    }
    assert_eq!(store.maintenance().purge_deleted_projects(Duration::ZERO).await.unwrap(), 0);
}
