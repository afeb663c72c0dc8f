//! Retrievals from a real streaming standby, also from one that is behind.

use std::time::{Duration, Instant};

use reflect_store::{
    MemoryFilter, ProjectCtx, Receipt, Requirement, RetrievalSearch, SearchBy, Store, StoreError, StoreFault,
    StoreSettings,
};
use reflect_test_support::{ReplicatedDb, TestDb};
use reflect_types::{Fate, KeyId, MemoryId, RetrievalId};
use serde_json::json;
use sqlx::Executor;

use crate::given;

const HOUR: Duration = Duration::from_secs(3600);
const PATIENCE: Duration = Duration::from_secs(30);

struct Given {
    store: Store,
    project: ProjectCtx,
    number: i32,
    /// Last, so that it is dropped last.
    db: ReplicatedDb,
}

async fn given(max_staleness: Duration, fault: Option<StoreFault>) -> Given {
    let db = ReplicatedDb::create().await;
    let settings = StoreSettings { fault, ..db.settings(max_staleness) };
    let store = Store::connect(&settings).await.unwrap();
    let slug = "p".parse().unwrap();
    let number = store.catalogue().ensure_project(&slug, &given::actor()).await.unwrap();
    db.wait_for_replay().await;
    Given { project: store.project(number), number: number.number(), store, db }
}

impl Given {
    /// Creates a memory on the primary, as learning does: text and state in one transaction.
    async fn memory(&self) -> MemoryId {
        let memory = MemoryId::generate();
        let statement = "
            with made as (
              insert into memory (project_id, memory_id, origin, task, reflection)
              values ($1, $2, 3, 'export the orders', 'use a point') returning project_id, memory_id)
            insert into memory_stat (project_id, memory_id) select project_id, memory_id from made";
        let made = sqlx::query(statement).bind(self.number).bind(memory);
        made.execute(&mut self.db.primary().await).await.unwrap();
        memory
    }

    /// A search on the replica. A background process of the primary may write at any time, and the replica then lags for a
    /// moment.
    async fn open_on_replica(&self) -> RetrievalSearch {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let search = RetrievalSearch::open(&self.project.memories(), SearchBy::Words).await.unwrap();
            if search.is_on_replica() {
                return search;
            }
            assert!(Instant::now() < deadline, "the replica is not read");
        }
    }

    /// What a retrieval from the replica finds.
    async fn retrieve_from_replica(&self) -> Vec<MemoryId> {
        ids(&mut self.open_on_replica().await).await
    }

    /// What a retrieval finds, and whether it read the replica.
    async fn retrieve(&self) -> (Vec<MemoryId>, bool) {
        let mut search = RetrievalSearch::open(&self.project.memories(), SearchBy::Words).await.unwrap();
        (ids(&mut search).await, search.is_on_replica())
    }
}

/// The ids that a search finds, in the order in which they were created.
async fn ids(search: &mut RetrievalSearch) -> Vec<MemoryId> {
    let found = search.worded("export orders", &MemoryFilter::default(), 10).await.unwrap();
    let mut found: Vec<MemoryId> = found.iter().map(|candidate| candidate.memory_id).collect();
    found.sort_unstable();
    found
}

fn receipt(served: &[MemoryId]) -> Receipt {
    Receipt {
        retrieval_id: RetrievalId::generate(),
        key_id: KeyId::generate(),
        space: None,
        task: "export orders".into(),
        task_digest: [0; 32],
        parameters: json!({}),
        memory_ids: served.to_vec(),
        similarities: vec![1.0; served.len()],
        utilities: vec![0.5; served.len()],
        fates: vec![Fate::Served; served.len()],
        served: served.len(),
        degraded: true,
        held_out: false,
        embed_us: 0,
        search_us: 0,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_retrieval_reads_the_replica_and_writes_its_receipt_to_the_primary() {
    let given = given(HOUR, None).await;
    let memory = given.memory().await;
    given.db.wait_for_replay().await;

    let search = given.open_on_replica().await;
    let receipt = receipt(&[memory]);
    let served = search.serve(receipt.served_ids()).await.unwrap();
    given.project.receipts().submit(receipt.clone()).await.unwrap();

    assert_eq!(served.iter().map(|row| row.memory_id).collect::<Vec<_>>(), [memory]);
    let stored = given.project.receipts().get(receipt.retrieval_id).await.unwrap();
    assert_eq!(stored.retrieval_id, receipt.retrieval_id);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_memory_is_found_as_soon_as_it_is_created() {
    let given = given(HOUR, None).await;
    let old = given.memory().await;
    given.db.wait_for_replay().await;
    assert_eq!(given.retrieve_from_replica().await, [old]);

    given.db.pause_replay().await;
    let new = given.memory().await;
    assert_eq!(given.retrieve().await, (vec![old, new], false));

    given.db.resume_replay().await;
    assert_eq!(given.retrieve_from_replica().await, [old, new]);
}

/// The mutant: a store that does not check the replica serves without the new memory.
#[cfg(debug_assertions)]
#[tokio::test(flavor = "multi_thread")]
async fn a_replica_that_is_not_checked_is_detected() {
    let given = given(HOUR, Some(StoreFault::UncheckedReplica)).await;
    given.db.pause_replay().await;
    given.memory().await;

    assert_eq!(given.retrieve().await, (vec![], true));
    given.db.resume_replay().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replica_that_is_behind_serves_projects_without_new_memories_within_the_bound() {
    let given = given(HOUR, None).await;
    given.retrieve_from_replica().await;
    given.db.pause_replay().await;
    // Another project writes; the log moves on.
    let other = given::project(&given.store, "other").await;
    other.traces().record(&given::trace("a"), None).await.unwrap();

    assert!(given.retrieve().await.1);
    given.db.resume_replay().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replica_beyond_the_bound_is_not_read() {
    let given = given(Duration::ZERO, None).await;
    given.retrieve_from_replica().await;
    given.db.pause_replay().await;
    let other = given::project(&given.store, "other").await;
    other.traces().record(&given::trace("a"), None).await.unwrap();

    assert!(!given.retrieve().await.1);
    given.db.resume_replay().await;
    given.retrieve_from_replica().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_retrieval_survives_the_end_of_the_replica() {
    let given = given(HOUR, None).await;
    let memory = given.memory().await;
    given.db.wait_for_replay().await;
    let mut begun = given.open_on_replica().await;

    given.db.stop_standby();

    assert_eq!(ids(&mut begun).await, [memory]);
    assert!(!begun.is_on_replica());
    assert_eq!(begun.serve(&[memory]).await.unwrap().len(), 1);
    assert_eq!(given.retrieve().await, (vec![memory], false));
}

#[tokio::test(flavor = "multi_thread")]
async fn transactions_on_the_replica_take_the_restricted_role() {
    let given = given(HOUR, None).await;
    given.retrieve_from_replica().await;

    // The user of the URL is a superuser, who would not notice that a role has lost a right.
    let mut primary = given.db.primary().await;
    primary.execute("revoke select on installation from reflect_app").await.unwrap();
    given.db.wait_for_replay().await;

    assert!(!given.retrieve().await.1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_of_the_replica_without_the_role_is_refused() {
    let db = ReplicatedDb::create().await;
    db.primary().await.execute("create role plain login nosuperuser").await.unwrap();
    db.wait_for_replay().await;
    let replica = reflect_store::ReplicaSettings { url: db.read_url_as("plain"), max_staleness: HOUR };

    let refused = Store::connect(&StoreSettings { replica: Some(replica), ..db.settings(HOUR) }).await;

    let refused = refused.unwrap_err();
    assert!(refused.to_string().contains("GRANT reflect_app TO plain"), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_starts_without_its_replica() {
    let db = ReplicatedDb::create().await;
    db.stop_standby();

    let store = Store::connect(&db.settings(HOUR)).await.unwrap();

    let project = given::project(&store, "p").await;
    let search = RetrievalSearch::open(&project.memories(), SearchBy::Words).await.unwrap();
    assert!(!search.is_on_replica());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replica_of_another_database_is_refused() {
    let (db, other) = (TestDb::create().await, TestDb::create().await);
    // A clone of the template: its installation has the same time.
    other.superuser().await.execute("update installation set created_at = now()").await.unwrap();
    let replica = reflect_store::ReplicaSettings { url: other.url(), max_staleness: HOUR };

    let refused =
        Store::connect(&StoreSettings { replica: Some(replica), ..db.settings() }).await.unwrap_err();

    assert!(matches!(refused, StoreError::Requirement(Requirement::OtherDatabase { .. })), "{refused:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_primary_is_not_read_as_a_replica() {
    let db = TestDb::create().await;
    let replica = reflect_store::ReplicaSettings { url: db.url(), max_staleness: HOUR };
    let store = Store::connect(&StoreSettings { replica: Some(replica), ..db.settings() }).await.unwrap();
    let project = given::project(&store, "p").await;

    let search = RetrievalSearch::open(&project.memories(), SearchBy::Words).await.unwrap();

    assert!(!search.is_on_replica());
}
