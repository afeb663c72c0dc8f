//! One URL is enough: a superuser steps down, and a plain owner is under the rules as it is.

use reflect_store::{MigrationSettings, Requirement, Store, StoreError, StoreSettings};
use reflect_test_support::TestDb;
use sqlx::{AssertSqlSafe, Executor};

use crate::given;

#[tokio::test]
async fn a_superusers_connections_take_the_restricted_role() {
    let (db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    assert!(store.server().is_restricted());
    assert!(project.traces().record(&given::trace("a"), None).await.is_ok());

    // A superuser would not notice that a role has lost a right.
    db.superuser().await.execute("revoke insert on trace from reflect_app").await.unwrap();

    assert!(project.traces().record(&given::trace("b"), None).await.is_err());
}

/// Makes a user without the right to create roles, who owns the (empty) database. Named after it,
/// because users belong to the whole cluster.
async fn plain_owner(db: &TestDb) -> String {
    let mut superuser = db.superuser().await;
    let database: String =
        sqlx::query_scalar("select current_database()").fetch_one(&mut superuser).await.unwrap();
    let user = format!("owner_of_{database}");
    // It exists unless this is the first test of a new cluster.
    let _ = superuser.execute("create role reflect_app nologin").await;
    for statement in [
        format!("create role {user} login nosuperuser nocreaterole"),
        format!("alter database \"{database}\" owner to {user}"),
        // Only a superuser may install an extension that is not marked as trusted.
        "create extension vector".to_owned(),
    ] {
        superuser.execute(AssertSqlSafe(statement)).await.unwrap();
    }
    user
}

async fn drop_user(db: &TestDb, user: &str) {
    let mut superuser = db.superuser().await;
    let drop = format!("reassign owned by {user} to reflect; drop owned by {user}; drop role {user}");
    superuser.execute(AssertSqlSafe(drop)).await.unwrap();
}

#[tokio::test]
async fn without_the_right_to_create_roles_the_owner_works_under_the_same_rules() {
    let db = TestDb::create_empty().await;
    let user = plain_owner(&db).await;
    let url = db.url_as(&user);
    Store::migrate(&MigrationSettings { url: url.clone(), ..db.migration() }).await.unwrap();
    let store = Store::connect(&StoreSettings { url, ..db.settings() }).await.unwrap();
    assert!(!store.server().is_restricted());

    let (mine, theirs) = (given::project(&store, "mine").await, given::project(&store, "theirs").await);
    let run = given::trace("a");
    theirs.traces().record(&run, None).await.unwrap();
    assert!(theirs.traces().get(run.trace_id).await.is_ok());
    assert!(mine.traces().get(run.trace_id).await.is_err());
    assert!(store.maintenance().run().await.is_ok());

    // Even a statement that forgets the project shows the owner nothing.
    let mut owner = db.connect_as(&user).await;
    let seen: i64 = sqlx::query_scalar("select count(*) from trace").fetch_one(&mut owner).await.unwrap();
    assert_eq!(seen, 0);
    drop(owner);
    store.close().await;
    drop_user(&db, &user).await;
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

#[tokio::test]
async fn processes_that_start_at_the_same_time_migrate_once() {
    let db = TestDb::create_empty().await;
    let settings = db.migration();
    let migrate = || Store::migrate(&settings);

    let (first, second, third) = tokio::join!(migrate(), migrate(), migrate());

    let applied = [first, second, third].map(Result::unwrap);
    assert_eq!(applied.iter().filter(|applied| **applied > 0).count(), 1, "{applied:?}");
}

#[tokio::test]
async fn a_user_who_may_not_make_tables_is_told_what_to_do() {
    let db = TestDb::create_empty().await;
    let user = format!("stranger_{}", uuid::Uuid::now_v7().simple());
    db.superuser().await.execute(AssertSqlSafe(format!("create role {user} login"))).await.unwrap();

    let settings = MigrationSettings { url: db.url_as(&user), ..db.migration() };
    let refused = Store::migrate(&settings).await.unwrap_err();

    assert!(refused.to_string().contains("OWNER TO"), "{refused}");
    drop_user(&db, &user).await;
}

/// A dump names no role of ours but in grants, which a restore can leave out and `migrate` makes anew.
#[tokio::test]
async fn no_policy_names_a_role() {
    let db = TestDb::create().await;

    let named: Vec<String> =
        sqlx::query_scalar("select tablename::text from pg_policies where roles <> '{public}'")
            .fetch_all(&mut db.superuser().await)
            .await
            .unwrap();

    assert!(named.is_empty(), "{named:?}");
}

#[tokio::test]
async fn a_user_who_may_hand_out_the_role_takes_it() {
    let db = TestDb::create_empty().await;
    let user = plain_owner(&db).await;
    // What making the role leaves a user with, from Postgres 16 on: the right to hand it out, no more.
    let made = format!(
        "alter role {user} createrole; grant reflect_app to {user} with admin true, set false, inherit false"
    );
    db.superuser().await.execute(AssertSqlSafe(made)).await.unwrap();
    let url = db.url_as(&user);

    Store::migrate(&MigrationSettings { url: url.clone(), ..db.migration() }).await.unwrap();
    let store = Store::connect(&StoreSettings { url, ..db.settings() }).await.unwrap();

    assert!(store.server().is_restricted());
    assert!(given::project(&store, "p").await.traces().record(&given::trace("a"), None).await.is_ok());
    store.close().await;
    drop_user(&db, &user).await;
}

/// The documented installation: a superuser creates the role once and grants it to a user without CREATEROLE.
#[tokio::test]
async fn a_plain_owner_takes_a_role_that_a_superuser_granted() {
    let db = TestDb::create_empty().await;
    let user = plain_owner(&db).await;
    let granted = format!("grant reflect_app to {user}");
    db.superuser().await.execute(AssertSqlSafe(granted)).await.unwrap();
    let url = db.url_as(&user);

    Store::migrate(&MigrationSettings { url: url.clone(), ..db.migration() }).await.unwrap();
    let store = Store::connect(&StoreSettings { url, ..db.settings() }).await.unwrap();

    assert_eq!(store.server().check_restricted(), Ok(()));
    assert_eq!(store.server().role_warning(), None);
    let project = given::project(&store, "p").await;
    assert!(project.traces().record(&given::trace("a"), None).await.is_ok());
    let mut owner = db.connect_as(&user).await;
    owner.execute("set role reflect_app").await.unwrap();
    assert!(owner.execute("delete from audit_entry").await.is_err());
    drop(owner);
    store.close().await;
    drop_user(&db, &user).await;
}

#[tokio::test]
async fn a_role_without_rights_is_named_with_the_remedy() {
    let db = TestDb::create_empty().await;
    let user = plain_owner(&db).await;
    let url = db.url_as(&user);
    Store::migrate(&MigrationSettings { url: url.clone(), ..db.migration() }).await.unwrap();
    let store = Store::connect(&StoreSettings { url: url.clone(), ..db.settings() }).await.unwrap();
    assert!(store.server().role_warning().unwrap().contains(&format!("grant reflect_app to {user}")));
    assert!(matches!(store.server().check_restricted(), Err(Requirement::NotRestricted { .. })));
    store.close().await;
    let late = format!("grant reflect_app to {user}; revoke all on _sqlx_migrations from reflect_app");
    db.superuser().await.execute(AssertSqlSafe(late)).await.unwrap();

    let refused = Store::connect(&StoreSettings { url: url.clone(), ..db.settings() }).await.unwrap_err();

    assert!(matches!(refused, StoreError::Requirement(Requirement::RoleRights)), "{refused:?}");
    Store::migrate(&MigrationSettings { url: url.clone(), ..db.migration() }).await.unwrap();
    let store = Store::connect(&StoreSettings { url, ..db.settings() }).await.unwrap();
    assert!(store.server().is_restricted());
    store.close().await;
    drop_user(&db, &user).await;
}

/// Separate users: the owner migrates, and the server's user owns nothing.
#[tokio::test]
async fn a_server_whose_user_owns_nothing_works_and_keeps_partitions() {
    let db = TestDb::create_empty().await;
    let owner = plain_owner(&db).await;
    let runtime = owner.replace("owner_of", "runtime_of");
    let made =
        format!("create role {runtime} login nosuperuser nocreaterole; grant reflect_app to {runtime}");
    db.superuser().await.execute(AssertSqlSafe(made)).await.unwrap();
    Store::migrate(&MigrationSettings { url: db.url_as(&owner), ..db.migration() }).await.unwrap();

    let url = db.url_as(&runtime);
    let store = Store::connect(&StoreSettings { url, ..db.settings() }).await.unwrap();

    assert!(store.server().is_restricted());
    let project = given::project(&store, "p").await;
    project.traces().record(&given::trace("a"), None).await.unwrap();
    let mut superuser = db.superuser().await;
    superuser.execute("update partition_plan set ahead = '300 days'").await.unwrap();
    let done = store.maintenance().run().await.unwrap();
    assert!(done.partitions.iter().any(|work| work.action == "made"), "{done:?}");
    let mut direct = db.connect_as(&runtime).await;
    for statement in [
        "drop table trace",
        "alter table audit_entry disable row level security",
        "delete from audit_entry",
        "select * from keep_partitions('2100-01-01')",
        "select * from partition_step('2100-01-01', '{}')",
    ] {
        assert!(direct.execute(statement).await.is_err(), "{statement}");
    }
    drop(direct);
    store.close().await;
    drop_user(&db, &runtime).await;
    drop_user(&db, &owner).await;
}

#[tokio::test]
async fn a_user_who_may_not_install_the_extension_is_told_what_to_do() {
    let db = TestDb::create_empty().await;
    let user = plain_owner(&db).await;
    db.superuser().await.execute("drop extension vector").await.unwrap();

    let settings = MigrationSettings { url: db.url_as(&user), ..db.migration() };
    let refused = Store::migrate(&settings).await.unwrap_err();

    assert!(refused.to_string().contains("CREATE EXTENSION vector"), "{refused}");
    drop_user(&db, &user).await;
}

#[tokio::test]
async fn a_password_is_not_shown() {
    let db = TestDb::create().await;
    let url = db.url_as("reflect:a-very-secret-password");
    let settings = StoreSettings { url, ..db.settings() };
    let store = Store::connect(&settings).await.unwrap();
    let shown = format!("{store:?} {:?} {settings:?}", store.installation());
    assert!(!shown.contains("secret-password"), "{shown}");
}
