//! Graphs of large projects: what queries find with them, and how writes are copied.

mod lifecycle;

use std::time::{Duration, Instant};

use reflect_rules::vector_graph::{CHECKED_POOL, EF_SEARCH, MeasuredRecall, recall};
use reflect_store::{
    GraphLead, MemoryFilter, ProjectCtx, SearchBy, SpaceId, SpaceName, Store, StoreFault, StoreSettings,
    VectorGraph,
};
use reflect_test_support::TestDb;
use reflect_types::{EmbeddedText, GraphState, MemoryId, ProjectId};
use sqlx::{AssertSqlSafe, Executor, PgConnection};

use crate::given;

const DIMENSIONS: usize = 16;
const MEMORIES: i32 = 600;

struct Given {
    store: Store,
    project: ProjectId,
    space: SpaceId,
    connection: PgConnection,
    /// Last, so that it is dropped last.
    db: TestDb,
}

async fn given_project() -> Given {
    given_with(None).await
}

/// A project with some hundred memories, at random places.
async fn given_with(fault: Option<StoreFault>) -> Given {
    let db = TestDb::create().await;
    let settings = StoreSettings { max_connections: 40, fault, ..db.settings() };
    let store = Store::connect(&settings).await.unwrap();
    let (provider, model, revision) = ("test".into(), "random".into(), String::new());
    let name = SpaceName { provider, model, revision, dimensions: DIMENSIONS, embeds: EmbeddedText::Task };
    let space = store.catalogue().ensure_space(&name).await.unwrap().id;
    let mut connection = db.superuser().await;
    connection.execute("select setseed(0.5)").await.unwrap();
    let project = store.catalogue().ensure_project(&"mine".parse().unwrap(), &given::actor()).await.unwrap();
    let mut given = Given { store, project, space, connection, db };
    given.ctx().spaces().adopt(space).await.unwrap();
    given.fill(project, MEMORIES).await;
    given
}

impl Given {
    fn ctx(&self) -> ProjectCtx {
        self.store.project(self.project)
    }

    async fn fill(&mut self, project: ProjectId, memories: i32) {
        insert(&mut self.connection, project, self.space, memories).await;
    }

    async fn lead(&self) -> GraphLead {
        let deadline = Instant::now() + Duration::from_secs(30);
        loop {
            // The lock of a process that died ends with its connection.
            if let Some(lead) = self.store.maintenance().graphs().lead().await.unwrap() {
                return lead;
            }
            assert!(Instant::now() < deadline, "another process still works on graphs");
            tokio::task::yield_now().await;
        }
    }

    async fn graph(&self) -> VectorGraph {
        let mut graphs = self.store.maintenance().graphs().list().await.unwrap();
        assert_eq!(graphs.len(), 1, "{graphs:?}");
        graphs.remove(0)
    }

    async fn requested(&self, lead: &mut GraphLead) -> VectorGraph {
        assert!(lead.request(self.project, self.space, DIMENSIONS as u64).await.unwrap());
        self.graph().await
    }

    /// A graph that serves.
    async fn promote(&self, lead: &mut GraphLead) -> VectorGraph {
        let graph = self.requested(lead).await;
        assert!(lead.build(&graph).await.unwrap().is_some());
        catch_up(lead, &graph).await;
        let measured = measure(lead, &graph).await;
        assert_eq!(lead.conclude(&graph, &measured, 10).await.unwrap(), GraphState::Serving, "{measured:?}");
        self.graph().await
    }

    /// What a query finds, as the server asks.
    async fn nearest(&self, question: &[f32], filter: &MemoryFilter) -> Vec<MemoryId> {
        let ctx = self.ctx();
        let mut search = ctx.memories().search(SearchBy::Vector).await.unwrap();
        let found = search.nearest(self.space, question, filter, CHECKED_POOL).await.unwrap();
        search.close().await.unwrap();
        found.into_iter().map(|candidate| candidate.memory_id).collect()
    }

    /// The share of the exact results that queries find.
    async fn served_recall(&mut self) -> f32 {
        let mut shares = Vec::new();
        for number in 0..10_u16 {
            let question = question(number);
            let exact: Vec<MemoryId> =
                sqlx::query_scalar("select memory_id from exact_candidates($1, $2, $3, $4)")
                    .bind(self.project.number())
                    .bind(self.space)
                    .bind(&question)
                    .bind(CHECKED_POOL as i64)
                    .fetch_all(&mut self.connection)
                    .await
                    .unwrap();
            let found = self.nearest(&question, &MemoryFilter::default()).await;
            let hits = exact.iter().filter(|id| found.contains(id)).count();
            shares.push(hits as f32 / exact.len() as f32);
        }
        shares.iter().sum::<f32>() / shares.len() as f32
    }

    /// Vectors that the graph lacks, and copies of vectors that are gone.
    async fn differences(&mut self, graph: &VectorGraph) -> (i64, i64) {
        sqlx::query_as(
            "select (select count(*) from memory_vector v where v.project_id = $1 and v.space_id = $2 and not exists
                       (select from graph_vector g where g.graph_id = $3 and g.memory_id = v.memory_id)),
                    (select count(*) from graph_vector g where g.graph_id = $3 and not exists
                       (select from memory_vector v where v.project_id = $1 and v.space_id = $2 and v.memory_id = g.memory_id))",
        )
        .bind(self.project.number())
        .bind(self.space)
        .bind(graph.graph_id)
        .fetch_one(&mut self.connection)
        .await
        .unwrap()
    }

    async fn partitions(&mut self) -> i64 {
        sqlx::query_scalar(
            "select count(*) from pg_class where relkind = 'r' and relname like 'graph\\_vector\\_g%'",
        )
        .fetch_one(&mut self.connection)
        .await
        .unwrap()
    }
}

/// Waits until the transactions of other tests have ended, which began before.
async fn catch_up(lead: &mut GraphLead, graph: &VectorGraph) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !lead.catch_up(graph).await.unwrap() {
        assert!(Instant::now() < deadline, "an old transaction does not end");
        tokio::task::yield_now().await;
    }
}

async fn measure(lead: &mut GraphLead, graph: &VectorGraph) -> Vec<MeasuredRecall> {
    let [ef_search, ..] = EF_SEARCH;
    let mut sum = 0.0;
    for number in 0..10_u16 {
        let question = question(number);
        let exact = lead.exact_distances(graph, &question, CHECKED_POOL).await.unwrap();
        let found = lead.graph_distances(graph, ef_search, &question, CHECKED_POOL).await.unwrap();
        sum += recall(&exact, &found);
    }
    vec![MeasuredRecall { ef_search, recall: sum / 10.0 }]
}

async fn insert(connection: &mut PgConnection, project: ProjectId, space: SpaceId, memories: i32) {
    let statement = "
        with made as (
          insert into memory (project_id, memory_id, origin, task, reflection, metadata)
          select $1, gen_random_uuid(), 3, 'task ' || n, 'lesson ' || gen_random_uuid(), jsonb_build_object('even', n % 2 = 0)
          from generate_series(1, $3) n
          returning project_id, memory_id
        ), stat as (
          insert into memory_stat (project_id, memory_id) select project_id, memory_id from made
        )
        insert into memory_vector (project_id, space_id, memory_id, embedding)
        select project_id, $2, memory_id, l2_normalize((select array_agg(random() - 0.5) from generate_series(1, $4)
                                                        where memory_id is not null)::real[]::halfvec)
        from made";
    sqlx::query(statement)
        .bind(project.number())
        .bind(space)
        .bind(memories)
        .bind(DIMENSIONS as i32)
        .execute(connection)
        .await
        .unwrap();
}

fn question(number: u16) -> Vec<f32> {
    let wave: Vec<f32> = (0..DIMENSIONS).map(|at| (f32::from(number) + 1.3 * at as f32).sin()).collect();
    let length = wave.iter().map(|value| value * value).sum::<f32>().sqrt();
    wave.iter().map(|value| value / length).collect()
}

#[tokio::test]
async fn a_graph_that_serves_is_what_queries_read() {
    let mut given = given_project().await;
    let mut lead = given.lead().await;
    let graph = given.promote(&mut lead).await;
    assert_eq!((graph.state, graph.attached, graph.vectors), (GraphState::Serving, true, MEMORIES as u64));

    assert!(given.served_recall().await >= 0.98);

    // A new session, which has no statistics of earlier statements.
    let mut session = given.db.superuser().await;
    session.execute("set role reflect_app; begin").await.unwrap();
    let named = format!("set local reflect.project_id = {}", given.project.number());
    session.execute(AssertSqlSafe(named)).await.unwrap();
    let found: i64 = sqlx::query_scalar("select count(*) from candidates($1, $2, $3, 40)")
        .bind(given.project.number())
        .bind(given.space)
        .bind(question(1))
        .fetch_one(&mut session)
        .await
        .unwrap();
    let read: Vec<String> = sqlx::query_scalar(
        "select c.relname::text from pg_class c where pg_stat_get_xact_numscans(c.oid) > 0
         and (c.relname like 'graph\\_vector%' or c.relname like 'memory\\_vector%') order by 1",
    )
    .fetch_all(&mut session)
    .await
    .unwrap();
    // The newest vectors are compared exactly.
    let mut expected =
        vec![format!("graph_vector_g{}_nearest", graph.graph_id), "memory_vector_h0_pkey".to_owned()];
    expected.sort();
    assert_eq!((found, read), (40, expected));
    let compared: i64 = sqlx::query_scalar(
        "select sum(pg_stat_get_xact_tuples_returned(c.oid))::bigint from pg_class c where relname = 'memory_vector_h0_pkey'",
    )
    .fetch_one(&mut session)
    .await
    .unwrap();
    assert_eq!(compared, 200);
}

#[tokio::test]
async fn an_exclusion_is_applied_to_what_the_graph_returns() {
    let mut given = given_project().await;
    let mut lead = given.lead().await;
    given.promote(&mut lead).await;
    let serde_json::Value::Object(even) = serde_json::json!({ "even": true }) else {
        panic!("not an object")
    };

    let without = MemoryFilter { with: serde_json::Map::new(), without: even.clone() };
    let odd = given.nearest(&question(1), &without).await;
    let with = MemoryFilter { with: even, without: serde_json::Map::new() };
    let even = given.nearest(&question(1), &with).await;

    for (found, is_even) in [(odd, false), (even, true)] {
        assert_eq!(found.len(), CHECKED_POOL);
        let ids: Vec<uuid::Uuid> = found.iter().map(|id| id.as_uuid()).collect();
        let matching: i64 = sqlx::query_scalar(
            "select count(*) from memory where memory_id = any($1) and (metadata -> 'even')::boolean = $2",
        )
        .bind(ids)
        .bind(is_even)
        .fetch_one(&mut given.connection)
        .await
        .unwrap();
        assert_eq!(matching, CHECKED_POOL as i64);
    }
}

#[tokio::test]
async fn writes_of_every_kind_are_copied_to_a_serving_graph() {
    let mut given = given_project().await;
    let mut lead = given.lead().await;
    let graph = given.promote(&mut lead).await;
    let memory = MemoryId::generate();
    given
        .connection
        .execute(AssertSqlSafe(format!(
            "insert into memory (project_id, memory_id, origin, task, reflection) values ({0}, '{memory}', 3, 't', 'r');
             insert into memory_stat (project_id, memory_id) values ({0}, '{memory}')",
            given.project.number()
        )))
        .await
        .unwrap();

    // By the server, under its own role.
    let placed = given.ctx().memories().index(given.space, &[(memory, "t".into())], &[question(3)]).await;
    assert_eq!(placed.unwrap(), 1);
    assert_eq!(given.nearest(&question(3), &MemoryFilter::default()).await[0], memory);
    let removed = format!("delete from memory_vector where memory_id = '{memory}'");
    given.connection.execute(AssertSqlSafe(removed)).await.unwrap();
    assert_ne!(given.nearest(&question(3), &MemoryFilter::default()).await[0], memory);
    assert_eq!(given.differences(&graph).await, (0, 0));
}

#[tokio::test]
async fn projects_with_graphs_do_not_see_each_other() {
    let mut given = given_project().await;
    let mut lead = given.lead().await;
    let mine = given.project;
    given.promote(&mut lead).await;
    let slug = "theirs".parse().unwrap();
    let theirs = given.store.catalogue().ensure_project(&slug, &given::actor()).await.unwrap();
    given.fill(theirs, 50).await;
    assert!(lead.request(theirs, given.space, DIMENSIONS as u64).await.unwrap());
    let graphs = given.store.maintenance().graphs().list().await.unwrap();
    let other = graphs.iter().find(|graph| graph.project == theirs).unwrap();
    assert_eq!(lead.build(other).await.unwrap(), Some(50));

    for (project, copies) in [(mine, i64::from(MEMORIES)), (theirs, 50)] {
        let mut session = given.db.superuser().await;
        session.execute("set role reflect_app; begin").await.unwrap();
        let named = format!("set local reflect.project_id = {}", project.number());
        session.execute(AssertSqlSafe(named)).await.unwrap();
        // No condition on the project: what a forgotten condition would show.
        let seen: i64 =
            sqlx::query_scalar("select count(*) from graph_vector").fetch_one(&mut session).await.unwrap();
        assert_eq!(seen, copies);
    }
}

#[tokio::test]
async fn one_process_at_a_time_works_on_graphs() {
    let given = given_project().await;
    let lead = given.lead().await;
    let another = given.db.store().await;

    assert!(another.maintenance().graphs().lead().await.unwrap().is_none());
    lead.close().await.unwrap();
    let deadline = Instant::now() + Duration::from_secs(30);
    while another.maintenance().graphs().lead().await.unwrap().is_none() {
        assert!(Instant::now() < deadline, "the lock is not released");
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn the_statistics_name_large_projects_with_their_spaces() {
    let mut given = given_project().await;
    let slug = "small".parse().unwrap();
    let small = given.store.catalogue().ensure_project(&slug, &given::actor()).await.unwrap();
    given.fill(small, 20).await;
    given.connection.execute("analyze memory_vector").await.unwrap();

    let found = given.store.maintenance().graphs().estimates(300).await.unwrap();

    let [large] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((large.project, large.space), (given.project, given.space));
    assert_eq!((large.dimensions, large.vectors), (DIMENSIONS as u64, MEMORIES as u64));
    let mut lead = given.lead().await;
    assert_eq!(lead.count(given.project, given.space, 10_000).await.unwrap(), MEMORIES as u64);
    assert_eq!(lead.count(given.project, given.space, 100).await.unwrap(), 100);
}
