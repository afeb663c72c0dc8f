//! Receipts: stored in the background and together, visible to the process that made them, and never too late.

use std::time::Duration;

use reflect_store::{
    ErasureTarget, NewErasure, ProjectCtx, Receipt, ReceiptRefusal, Search, SearchBy, StoreError,
};
use reflect_test_support::TestDb;
use reflect_types::{Fate, KeyId, MemoryId, RetrievalId, TraceId};
use serde_json::json;
use sqlx::{Connection, Executor, PgConnection};
use uuid::Uuid;

use crate::given;

fn receipt(task: &str) -> Receipt {
    Receipt {
        retrieval_id: RetrievalId::generate(),
        key_id: KeyId::generate(),
        space: Some(1),
        task: task.to_owned(),
        task_digest: *blake3::hash(task.as_bytes()).as_bytes(),
        parameters: json!({ "limit": 2 }),
        memory_ids: vec![MemoryId::generate(), MemoryId::generate()],
        similarities: vec![0.75, 0.25],
        utilities: vec![0.5, 1.0],
        fates: vec![Fate::Served, Fate::Dissimilar],
        served: 1,
        degraded: false,
        held_out: false,
        embed_us: 3,
        search_us: 4,
    }
}

async fn stored(db: &TestDb) -> i64 {
    let count = "select count(*) from retrieval";
    sqlx::query_scalar(count).fetch_one(&mut db.superuser().await).await.unwrap()
}

/// No receipt can be written while the connection is in this transaction. Receipts can be read.
async fn block_writes(db: &TestDb) -> PgConnection {
    let mut connection = db.superuser().await;
    connection.execute("begin; lock table retrieval in share mode").await.unwrap();
    connection
}

#[tokio::test]
async fn receipts_of_several_projects_share_a_transaction_and_stay_apart() {
    let (db, store) = given::store().await;
    let (mine, theirs) = (given::project(&store, "mine").await, given::project(&store, "theirs").await);
    let receipts = [receipt("one"), receipt("two"), receipt("three")];
    mine.receipts().submit(receipts[0].clone()).await.unwrap();
    theirs.receipts().submit(receipts[1].clone()).await.unwrap();
    mine.receipts().submit(receipts[2].clone()).await.unwrap();

    let read = mine.receipts().get(receipts[0].retrieval_id).await.unwrap();

    assert_eq!((read.task.as_deref(), &read.parameters), (Some("one"), &receipts[0].parameters));
    let lines: Vec<_> = read.lines().map(|line| (line.memory_id, line.fate)).collect();
    let [first, second] = receipts[0].memory_ids[..] else { unreachable!() };
    assert_eq!(lines, [(first, Some(Fate::Served)), (second, Some(Fate::Dissimilar))]);
    for (line, (similarity, utility)) in read.lines().zip([(0.75, 0.5), (0.25, 1.0)]) {
        assert!(
            (line.similarity - similarity).abs() < 1e-4 && (line.utility - utility).abs() < 1e-4,
            "{line:?}"
        );
    }
    let served = mine.receipts().served(receipts[2].retrieval_id).await.unwrap().unwrap();
    assert_eq!(served.memories, receipts[2].memory_ids[..1]);
    assert_eq!(mine.receipts().served(receipts[1].retrieval_id).await.unwrap(), None);
    assert!(theirs.receipts().get(receipts[1].retrieval_id).await.is_ok());
    let transactions = "select count(distinct xmin::text) from retrieval";
    let transactions: i64 =
        sqlx::query_scalar(transactions).fetch_one(&mut db.superuser().await).await.unwrap();
    assert_eq!((stored(&db).await, transactions), (3, 1));
}

#[tokio::test]
async fn receipts_that_wait_are_stored_before_the_store_closes() {
    let (db, store) = given::store().await;
    let project = given::project(&store, "mine").await;
    for number in 0..300 {
        project.receipts().submit(receipt(&format!("task {number}"))).await.unwrap();
    }

    store.close().await;

    assert_eq!(stored(&db).await, 300);
}

#[tokio::test]
async fn a_receipt_of_an_earlier_release_is_read_like_a_new_one() {
    let (db, store) = given::store().await;
    let project = given::project(&store, "mine").await;
    let (id, memory) = (RetrievalId::generate(), MemoryId::generate());
    let statement = "insert into retrieval (project_id, retrieval_id, key_id, task_digest, parameters, memory_ids,
                                            similarities, utilities, fates, served, embed_us, search_us)
                     select project_id, $1, $1, '', '{}', array[$2::uuid], '{0.75}', '{0.5}', '{0}', 1, 1, 1 from project";
    let old = sqlx::query(statement).bind(id).bind(memory);
    old.execute(&mut db.superuser().await).await.unwrap();

    let read = project.receipts().get(id).await.unwrap();

    let lines: Vec<_> = read.lines().map(|line| (line.memory_id, line.similarity, line.utility)).collect();
    assert_eq!(lines, [(memory, 0.75, 0.5)]);
    assert_eq!(project.receipts().served(id).await.unwrap().unwrap().memories, [memory]);
}

#[tokio::test]
async fn a_receipt_that_was_not_stored_before_an_erasure_is_not_stored_after_it() {
    let (db, store) = given::store().await;
    let project = given::project(&store, "mine").await;
    let blocking = block_writes(&db).await;
    let early = receipt("about Ann");
    project.receipts().submit(early.clone()).await.unwrap();
    let erasure_id = Uuid::now_v7();
    let target = ErasureTarget::Subject("ann".to_owned());
    let erasure = NewErasure { erasure_id, target, keep_memories: false };
    project.erasures().request(&erasure, &given::actor(), None).await.unwrap();
    let late = receipt("about Bob");
    project.receipts().submit(late.clone()).await.unwrap();
    blocking.close().await.unwrap();

    assert!(project.receipts().get(late.retrieval_id).await.is_ok());
    assert_eq!(project.receipts().served(early.retrieval_id).await.unwrap(), None);
    assert_eq!(stored(&db).await, 1);
}

#[tokio::test]
async fn after_the_database_refused_a_receipt_the_next_ones_are_not_accepted() {
    let (db, store) = given::store().await;
    let project = given::project(&store, "mine").await;
    // Not an outage: this error does not pass by itself.
    db.superuser().await.execute("revoke insert on retrieval from reflect_app").await.unwrap();
    project.receipts().submit(receipt("one")).await.unwrap();
    project.receipts().flush().await;

    let refused = project.receipts().submit(receipt("two")).await.unwrap_err();

    assert_eq!(refused, ReceiptRefusal::Unavailable);
}

#[tokio::test]
async fn a_receipt_that_never_arrives_is_not_waited_for_without_end() {
    let (_db, store) = given::store().await;
    let project = given::project(&store, "mine").await;
    let id = RetrievalId::generate();

    // A caller who only wants to see it waits for a second, and one whose run depends on it until it is lost.
    assert!(matches!(project.receipts().get(id).await, Err(StoreError::NotFound { .. })));
    assert_eq!(project.receipts().served_or_arriving(id).await.unwrap(), None);
    let unrecorded = RetrievalId::generate().unrecorded();
    assert_eq!(project.receipts().served_or_arriving(unrecorded).await.unwrap(), None);
}

async fn open_searches(project: &ProjectCtx, by: SearchBy, count: usize) -> Vec<Search> {
    let mut open = Vec::new();
    for _ in 0..count {
        open.push(project.memories().search(by).await.unwrap());
    }
    open
}

#[tokio::test]
async fn lists_probes_and_authentication_work_while_searches_hold_every_connection() {
    let (_db, store) = given::store().await;
    let project = given::project(&store, "mine").await;
    // The test's settings give two connections to searches, and a project beside another can use one of them.
    let other = given::project(&store, "other").await;
    let searches = (
        open_searches(&project, SearchBy::Vector, 1).await,
        open_searches(&other, SearchBy::Vector, 1).await,
    );
    let memories = project.memories();
    let third = tokio::time::timeout(Duration::from_millis(200), memories.search(SearchBy::Vector)).await;
    assert!(third.is_err(), "a third search waits for a connection");

    assert!(project.traces().list(None, None, 1).await.is_ok());
    store.ping().await.unwrap();
    assert_eq!(store.catalogue().find_key("none").await.unwrap(), None);
    assert!(store.catalogue().find_project(&"mine".parse().unwrap()).await.unwrap().is_some());
    assert!(!project.traces().is_complete(TraceId::generate()).await.unwrap());
    drop(searches);
}

#[tokio::test]
async fn searches_by_words_leave_connections_to_others() {
    let (_db, store) = given::store().await;
    let project = given::project(&store, "mine").await;
    let mut words = open_searches(&project, SearchBy::Words, 1).await;

    let other = given::project(&store, "other").await;
    let memories = other.memories();
    let second = tokio::time::timeout(Duration::from_millis(200), memories.search(SearchBy::Words)).await;
    assert!(second.is_err(), "half of the connections of searches, and no more");
    other.memories().search(SearchBy::Vector).await.unwrap().close().await.unwrap();
    words.remove(0).close().await.unwrap();
    open_searches(&project, SearchBy::Words, 1).await;
}
