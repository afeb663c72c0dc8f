//! One URL is enough: a superuser steps down, and a plain owner is under the rules as it is.

use reflect_store::{MigrationSettings, Requirement, Store, StoreError, StoreSettings};
use reflect_test_support::TestDb;
use sqlx::{AssertSqlSafe, Executor};

use crate::given;

#[tokio::test]
async fn a_superusers_connections_take_the_restricted_role() {
    let (db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    assert!(store.is_restricted());
    assert!(project.record_trace(&given::trace("a"), None).await.is_ok());

    // A superuser would not notice that a role has lost a right.
    db.superuser().await.execute("revoke insert on trace from reflect_app").await.unwrap();

    assert!(project.record_trace(&given::trace("b"), None).await.is_err());
}

/// Makes a user without the right to create roles, who owns the (empty) database.
async fn plain_owner(db: &TestDb, user: &str) {
    let mut superuser = db.superuser().await;
    let database: String =
        sqlx::query_scalar("select current_database()").fetch_one(&mut superuser).await.unwrap();
    for statement in [
        format!("drop role if exists {user}"),
        format!("create role {user} login nosuperuser nocreaterole"),
        format!("alter database \"{database}\" owner to {user}"),
        // Only a superuser may install an extension that is not marked as trusted.
        "create extension vector".to_owned(),
    ] {
        superuser.execute(AssertSqlSafe(statement)).await.unwrap();
    }
}

#[tokio::test]
async fn without_the_right_to_create_roles_the_owner_works_under_the_same_rules() {
    let db = TestDb::create_empty().await;
    plain_owner(&db, "plain_owner_of_a_test").await;
    let url = db.url_as("plain_owner_of_a_test");
    Store::migrate(&MigrationSettings { url: url.clone(), ..db.migration() }).await.unwrap();
    let store = Store::connect(&StoreSettings { url, ..db.settings() }).await.unwrap();
    assert!(!store.is_restricted());

    let (mine, theirs) = (given::project(&store, "mine").await, given::project(&store, "theirs").await);
    let run = given::trace("a");
    theirs.record_trace(&run, None).await.unwrap();
    assert!(theirs.trace(run.trace_id).await.is_ok());
    assert!(mine.trace(run.trace_id).await.is_err());
    assert!(store.upkeep().await.is_ok());

    // Even a statement that forgets the project shows the owner nothing.
    let mut owner = db.connect_as("plain_owner_of_a_test").await;
    let seen: i64 = sqlx::query_scalar("select count(*) from trace").fetch_one(&mut owner).await.unwrap();
    assert_eq!(seen, 0);
    drop(owner);
    store.close().await;
    let mut superuser = db.superuser().await;
    for statement in
        ["reassign owned by plain_owner_of_a_test to reflect", "drop owned by plain_owner_of_a_test"]
    {
        superuser.execute(statement).await.unwrap();
    }
}

#[tokio::test]
async fn a_database_without_migrations_is_refused_with_the_remedy() {
    let db = TestDb::create_empty().await;
    let refused = Store::connect(&db.settings()).await.unwrap_err();
    assert!(matches!(refused, StoreError::Requirement(Requirement::Migrations { .. })), "{refused:?}");
    assert!(refused.to_string().contains("reflect migrate"), "{refused}");

    let applied = Store::migrate(&db.migration()).await.unwrap();
    assert!(applied > 0);
    assert_eq!(Store::migrate(&db.migration()).await.unwrap(), 0);
    assert!(Store::connect(&db.settings()).await.is_ok());
}
