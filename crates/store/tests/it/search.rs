//! Search by vector: the plan it runs under, and that what it finds is what is there.

use reflect_store::{MemoryCandidate, MemoryFilter, ProjectCtx, SpaceId, SpaceName, Store};
use reflect_test_support::TestDb;
use reflect_types::{EmbeddedText, MemoryId, MemoryStatus};
use serde_json::{Map, Value, json};
use sqlx::{AssertSqlSafe, Executor, PgConnection};

use crate::given;

const DIMENSIONS: usize = 384;
const NEAREST: &str = include_str!("../../sql/memories/nearest.sql");
const NEAREST_FILTERED: &str = include_str!("../../sql/memories/nearest_filtered.sql");
/// What a search sets for its transaction.
const SETTINGS: [&str; 2] = ["set local enable_seqscan = off", "set local enable_bitmapscan = off"];

/// Memories that are put there by hand.
struct Memories<'a> {
    count: i32,
    status: MemoryStatus,
    metadata: Value,
    /// Where they lie and how far around it; anywhere when the spread is large.
    around: &'a [f32],
    spread: f64,
}

struct Given {
    store: Store,
    connection: PgConnection,
    space: SpaceId,
    /// Last, so that it is dropped last.
    _db: TestDb,
}

async fn given() -> Given {
    let (db, store) = given::store().await;
    let mut connection = db.superuser().await;
    // A vacuum takes rows for visible to all only once their commit has reached the disk.
    connection.execute("set synchronous_commit = on; select setseed(0.5)").await.unwrap();
    let space = space(&store, "hashed words").await;
    Given { store, connection, space, _db: db }
}

async fn space(store: &Store, model: &str) -> SpaceId {
    let (provider, model, revision) = ("test".into(), model.into(), String::new());
    let embeds = EmbeddedText::Task;
    let name = SpaceName { provider, model, revision, dimensions: DIMENSIONS, embeds };
    store.catalogue().ensure_space(&name).await.unwrap().id
}

/// A vector of unit length, another one for each number.
fn vector(number: f32) -> Vec<f32> {
    let wave: Vec<f32> = (0..DIMENSIONS).map(|at| (number + at as f32 * 0.7 * number).sin()).collect();
    let length = wave.iter().map(|value| value * value).sum::<f32>().sqrt();
    wave.iter().map(|value| value / length).collect()
}

fn anywhere(count: i32, around: &[f32]) -> Memories<'_> {
    Memories { count, status: MemoryStatus::Active, metadata: json!({}), around, spread: 100.0 }
}

impl Given {
    async fn project(&self, slug: &str) -> (i32, ProjectCtx) {
        let project =
            self.store.catalogue().ensure_project(&slug.parse().unwrap(), &given::actor()).await.unwrap();
        (project.number(), self.store.project(project))
    }

    async fn memories(&mut self, project: i32, memories: &Memories<'_>) -> Vec<MemoryId> {
        let statement = "
            with made as (
              insert into memory (project_id, memory_id, origin, task, reflection, metadata)
              select $1, gen_random_uuid(), 3, 'task ' || n, 'lesson ' || n, $5 from generate_series(1, $3) n
              returning project_id, memory_id
            ), stat as (
              insert into memory_stat (project_id, memory_id, retired, quarantined, presence)
              select project_id, memory_id, $4 = 2, $4 = 0, case $4 when 3 then 4 else 0 end from made
            )
            insert into memory_vector (project_id, space_id, memory_id, embedding)
            select project_id, $2, memory_id,
                   l2_normalize((select array_agg(x + $7 * (random() - 0.5)) from unnest($6::real[]) x
                                 where memory_id is not null)::real[]::halfvec)
            from made returning memory_id";
        sqlx::query_scalar(statement)
            .bind(project)
            .bind(self.space)
            .bind(memories.count)
            .bind(memories.status.code())
            .bind(&memories.metadata)
            .bind(memories.around)
            .bind(memories.spread)
            .fetch_all(&mut self.connection)
            .await
            .unwrap()
    }

    async fn nearest(
        &self,
        project: &ProjectCtx,
        question: &[f32],
        filter: &MemoryFilter,
        most: usize,
    ) -> Vec<MemoryCandidate> {
        let mut search = project.memories().search(reflect_store::SearchBy::Vector).await.unwrap();
        search.nearest(self.space, question, filter, most).await.unwrap()
    }

    async fn nearest_ids(&self, project: &ProjectCtx, filter: &MemoryFilter, most: usize) -> Vec<MemoryId> {
        let found = self.nearest(project, &vector(1.0), filter, most).await;
        sorted(found.iter().map(|candidate| candidate.memory_id).collect())
    }

    /// The parts of a plan that read vectors, as the server would run it.
    async fn plan(&mut self, statement: &str, project: i32, settings: &[&str]) -> Vec<Value> {
        self.connection.execute("set role reflect_app; begin").await.unwrap();
        let named = AssertSqlSafe(format!("set local reflect.project_id = {project}"));
        self.connection.execute(named).await.unwrap();
        for setting in settings {
            self.connection.execute(AssertSqlSafe((*setting).to_owned())).await.unwrap();
        }
        let explain = AssertSqlSafe(format!("explain (analyze, format json) {statement}"));
        let mut explain =
            sqlx::query_scalar(explain).bind(project).bind(self.space).bind(vector(1.0)).bind(40_i64);
        if statement == NEAREST_FILTERED {
            explain = explain.bind(json!({ "colour": "red" })).bind(json!({}));
        }
        let plan: Value = explain.fetch_one(&mut self.connection).await.unwrap();
        self.connection.execute("rollback; reset role").await.unwrap();
        let mut readers = Vec::new();
        readers_of_vectors(&plan[0]["Plan"], &mut readers);
        readers
    }
}

fn readers_of_vectors(node: &Value, readers: &mut Vec<Value>) {
    if node["Relation Name"].as_str().is_some_and(|name| name.starts_with("memory_vector")) {
        readers.push(node.clone());
    }
    for part in node["Plans"].as_array().into_iter().flatten() {
        readers_of_vectors(part, readers);
    }
}

fn sorted(mut ids: Vec<MemoryId>) -> Vec<MemoryId> {
    ids.sort();
    ids
}

fn object(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

/// A project of 2,500 vectors that shares its partition with others, all of it vacuumed.
async fn given_a_shared_partition() -> (Given, i32) {
    let mut given = given().await;
    let (mine, _) = given.project("mine").await;
    let around = vector(1.0);
    given.memories(mine, &anywhere(2_500, &around)).await;
    for other in 0..8 {
        let (other, _) = given.project(&format!("other-{other}")).await;
        given.memories(other, &anywhere(150, &around)).await;
    }
    for table in ["memory", "memory_stat", "memory_vector"] {
        given.connection.execute(AssertSqlSafe(format!("vacuum analyze {table}"))).await.unwrap();
    }
    let neighbours: i64 = sqlx::query_scalar(
        "select count(distinct project_id) from memory_vector
         where tableoid = (select tableoid from memory_vector where project_id = $1 limit 1)",
    )
    .bind(mine)
    .fetch_one(&mut given.connection)
    .await
    .unwrap();
    assert!(neighbours > 1, "the project has its partition for itself");
    (given, mine)
}

#[tokio::test]
async fn a_search_reads_the_covering_index_of_one_partition_and_nothing_else() {
    let server = include_str!("../../src/db.rs");
    for setting in SETTINGS {
        assert!(server.contains(setting), "searches no longer say `{setting}`; nor should this test");
    }
    let (mut given, mine) = given_a_shared_partition().await;

    let readers = given.plan(NEAREST, mine, &SETTINGS).await;
    let [reader] = readers.as_slice() else { panic!("not one reader of vectors: {readers:#?}") };
    assert_eq!(reader["Node Type"], "Index Only Scan");
    let index = reader["Index Name"].as_str().unwrap();
    assert!(index.starts_with("memory_vector_h") && index.contains("embedding"), "{index}");
    // Nothing is fetched from the table, and nothing of another project is even looked at.
    assert_eq!(reader["Heap Fetches"], 0);
    assert_eq!(reader["Actual Rows"].as_f64(), Some(2_500.0));
    assert_eq!(reader["Actual Loops"].as_f64(), Some(1.0));
    assert_eq!(reader.get("Rows Removed by Filter"), None);
}

#[tokio::test]
async fn without_its_settings_a_search_would_read_the_whole_partition() {
    let (mut given, mine) = given_a_shared_partition().await;

    let readers = given.plan(NEAREST, mine, &[]).await;
    let [reader] = readers.as_slice() else { panic!("not one reader of vectors: {readers:#?}") };
    println!("left alone, the planner chooses: {} on {}", reader["Node Type"], reader["Relation Name"]);
    // The day this fails the settings may have become unnecessary.
    assert_ne!(reader["Node Type"], "Index Only Scan");
}

#[tokio::test]
async fn a_filtered_search_stays_in_one_partition_and_in_its_index() {
    let (mut given, mine) = given_a_shared_partition().await;
    let red = json!({ "colour": "red" });
    given.memories(mine, &Memories { metadata: red, ..anywhere(5, &vector(1.0)) }).await;
    given.connection.execute("vacuum analyze memory_vector").await.unwrap();

    let readers = given.plan(NEAREST_FILTERED, mine, &SETTINGS).await;
    let [reader] = readers.as_slice() else { panic!("not one reader of vectors: {readers:#?}") };
    assert_eq!(reader["Node Type"], "Index Only Scan");
    assert_eq!(reader["Heap Fetches"], 0);
}

#[tokio::test]
async fn the_nearest_are_the_nearest_by_brute_force() {
    let mut given = given().await;
    let (mine, project) = given.project("mine").await;
    given.memories(mine, &anywhere(600, &vector(1.0))).await;
    // Rounded to half precision in the database, as the vectors and the question are for the search.
    let stored: Vec<(MemoryId, Vec<f32>)> =
        sqlx::query_as("select memory_id, embedding::real[] from memory_vector")
            .fetch_all(&mut given.connection)
            .await
            .unwrap();
    for number in [1.0, 2.0, 3.5] {
        let question = vector(number);
        let rounded: Vec<f32> = sqlx::query_scalar("select $1::real[]::halfvec::real[]")
            .bind(&question)
            .fetch_one(&mut given.connection)
            .await
            .unwrap();
        let similarity = |vector: &[f32]| -> f64 {
            vector.iter().zip(&rounded).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
        };
        let mut expected: Vec<f64> = stored.iter().map(|(_, vector)| similarity(vector)).collect();
        expected.sort_by(|a, b| b.total_cmp(a));

        let found = given.nearest(&project, &question, &MemoryFilter::default(), 40).await;
        assert_eq!(found.len(), 40);
        for (candidate, expected) in found.iter().zip(expected) {
            let (_, vector) = stored.iter().find(|(id, _)| *id == candidate.memory_id).unwrap();
            // Single precision in another order of summing: equal but for the last digits.
            assert!((similarity(vector) - expected).abs() < 1e-6, "{candidate:?} is not at its place");
            assert!((f64::from(candidate.similarity) - expected).abs() < 1e-6, "{candidate:?}");
        }
    }
}

#[tokio::test]
async fn what_may_not_be_served_is_not_found_however_near_it_is() {
    let mut given = given().await;
    let (mine, project) = given.project("mine").await;
    let question = vector(1.0);
    for (status, count) in
        [(MemoryStatus::Retired, 500), (MemoryStatus::Quarantined, 30), (MemoryStatus::Erased, 30)]
    {
        let close = Memories { status, spread: 0.001, ..anywhere(count, &question) };
        given.memories(mine, &close).await;
    }
    let served = given.memories(mine, &anywhere(600, &question)).await;
    let everything = given.nearest(&project, &question, &MemoryFilter::default(), 5_000).await;
    assert_eq!(sorted(everything.iter().map(|found| found.memory_id).collect()), sorted(served));

    let found = given.nearest(&project, &question, &MemoryFilter::default(), 40).await;
    assert_eq!(found, everything[..40], "the nearest of those that may be served, in their order");
}

#[tokio::test]
async fn projects_and_spaces_do_not_see_each_others_vectors() {
    let mut given = given().await;
    let (mine, my_project) = given.project("mine").await;
    let (theirs, their_project) = given.project("theirs").await;
    let question = vector(1.0);
    let close = Memories { spread: 0.001, ..anywhere(100, &question) };
    let their_memories = given.memories(theirs, &close).await;
    let my_memories = given.memories(mine, &anywhere(10, &question)).await;
    let everything = MemoryFilter::default();

    assert_eq!(given.nearest_ids(&my_project, &everything, 200).await, sorted(my_memories.clone()));
    assert_eq!(given.nearest_ids(&their_project, &everything, 200).await, sorted(their_memories.clone()));
    let mut search = my_project.memories().search(reflect_store::SearchBy::Vector).await.unwrap();
    let vectors = search.vectors(given.space, &[their_memories[0], my_memories[0]]).await.unwrap();
    assert_eq!(vectors.iter().map(|(id, _)| *id).collect::<Vec<_>>(), [my_memories[0]]);

    given.space = space(&given.store, "another model").await;
    assert_eq!(given.nearest_ids(&my_project, &everything, 200).await, []);
}

#[tokio::test]
async fn a_filter_decides_before_nearness_does() {
    let mut given = given().await;
    let (mine, project) = given.project("mine").await;
    let question = vector(1.0);
    let near = |metadata: Value| Memories { metadata, spread: 0.001, ..anywhere(3, &question) };
    let far = |metadata: Value| Memories { metadata, ..anywhere(3, &question) };
    let red = given.memories(mine, &near(json!({ "colour": "red", "size": 1 }))).await;
    let blue = given.memories(mine, &far(json!({ "colour": "blue", "size": 1 }))).await;
    let both = given.memories(mine, &far(json!({ "colour": ["red", "blue"], "size": 2 }))).await;
    let bare = given.memories(mine, &near(json!({}))).await;

    for (with, without, expected) in [
        (json!({ "colour": "blue" }), json!({}), [&blue[..], &both[..]].concat()),
        (json!({ "colour": "red" }), json!({}), [&red[..], &both[..]].concat()),
        (json!({ "colour": "red", "size": 2 }), json!({}), both.clone()),
        (json!({ "colour": "green" }), json!({}), vec![]),
        (json!({}), json!({ "colour": "red" }), [&blue[..], &bare[..]].concat()),
        (json!({}), json!({ "colour": "red", "size": 1 }), [&blue[..], &both[..], &bare[..]].concat()),
        (json!({ "size": 1 }), json!({ "colour": "red" }), blue.clone()),
    ] {
        let filter = MemoryFilter { with: object(with), without: object(without) };
        assert_eq!(given.nearest_ids(&project, &filter, 50).await, sorted(expected), "{filter:?}");
    }
}
