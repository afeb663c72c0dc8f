//! Search by vector: the plan it runs under, and that what it finds is what is there.

use reflect_store::{MemoryCandidate, MemoryFilter, ProjectCtx, SpaceId, SpaceName, Store};
use reflect_test_support::TestDb;
use reflect_types::{EmbeddedText, MemoryId, MemoryStatus};
use serde_json::{Map, Value, json};
use sqlx::{AssertSqlSafe, Executor, PgConnection};

use crate::given;

const DIMENSIONS: usize = 384;
/// What exact search runs, without the settings of its function.
const PLAIN: &str = "select v.memory_id from memory_vector v where v.project_id = $1 and v.space_id = $2
                     order by v.embedding <#> (select $3::real[]::halfvec) limit $4";

/// How one relation was read, as the statistics of a session count it.
#[derive(Debug, PartialEq, Eq, sqlx::FromRow)]
struct RelationScan {
    relation: String,
    is_index: bool,
    scans: i64,
    /// Entries of an index, or rows of a table.
    entries: i64,
    /// Visits to the table.
    fetches: i64,
}

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
    db: TestDb,
}

async fn given() -> Given {
    let (db, store) = given::store().await;
    let mut connection = db.superuser().await;
    // A vacuum takes rows for visible to all only once their commit has reached the disk.
    connection.execute("set synchronous_commit = on; select setseed(0.5)").await.unwrap();
    let space = space(&store, "hashed words").await;
    Given { store, connection, space, db }
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

    /// How the relations of vectors are read for a query with this filter, as the server would run it.
    async fn scans(&self, project: i32, filter: Value) -> Vec<RelationScan> {
        // A new session, which has no statistics of earlier statements.
        let mut session = self.db.superuser().await;
        session.execute("set role reflect_app; begin").await.unwrap();
        let named = AssertSqlSafe(format!("set local reflect.project_id = {project}"));
        session.execute(named).await.unwrap();
        let found: i64 = sqlx::query_scalar("select count(*) from candidates($1, $2, $3, 40, $4)")
            .bind(project)
            .bind(self.space)
            .bind(vector(1.0))
            .bind(filter)
            .fetch_one(&mut session)
            .await
            .unwrap();
        assert!(found > 0);
        sqlx::query_as(
            "select c.relname::text as relation, c.relkind = 'i' as is_index, pg_stat_get_xact_numscans(c.oid) as scans,
                    pg_stat_get_xact_tuples_returned(c.oid) as entries, pg_stat_get_xact_tuples_fetched(c.oid) as fetches
             from pg_class c where c.relname like 'memory\\_vector%' and pg_stat_get_xact_numscans(c.oid) > 0",
        )
        .fetch_all(&mut session)
        .await
        .unwrap()
    }

    /// The parts of a plan that read vectors.
    async fn plan(&mut self, statement: &str, project: i32) -> Vec<Value> {
        self.connection.execute("set role reflect_app; begin").await.unwrap();
        let named = AssertSqlSafe(format!("set local reflect.project_id = {project}"));
        self.connection.execute(named).await.unwrap();
        let explain = AssertSqlSafe(format!("explain (analyze, format json) {statement}"));
        let explain =
            sqlx::query_scalar(explain).bind(project).bind(self.space).bind(vector(1.0)).bind(40_i64);
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
    let (given, mine) = given_a_shared_partition().await;

    let scans = given.scans(mine, json!({})).await;

    let [scan] = scans.as_slice() else { panic!("not one reader of vectors: {scans:#?}") };
    assert!(scan.is_index && scan.relation.starts_with("memory_vector_h"), "{scan:?}");
    // Nothing is fetched from the table, and nothing of another project is even looked at.
    assert_eq!((scan.scans, scan.entries, scan.fetches), (1, 2_500, 0));
}

#[tokio::test]
async fn without_its_settings_a_search_would_read_the_whole_partition() {
    let (mut given, mine) = given_a_shared_partition().await;

    let readers = given.plan(PLAIN, mine).await;
    let [reader] = readers.as_slice() else { panic!("not one reader of vectors: {readers:#?}") };
    println!("left alone, the planner chooses: {} on {}", reader["Node Type"], reader["Relation Name"]);
    // The day this fails the settings may have become unnecessary.
    assert_ne!(reader["Node Type"], "Index Only Scan");
}

#[tokio::test]
async fn a_filtered_search_reads_only_the_vectors_that_match() {
    let (mut given, mine) = given_a_shared_partition().await;
    let red = json!({ "colour": "red" });
    given.memories(mine, &Memories { metadata: red.clone(), ..anywhere(5, &vector(1.0)) }).await;
    given.connection.execute("vacuum analyze memory_vector").await.unwrap();

    let scans = given.scans(mine, red).await;

    let [scan] = scans.as_slice() else { panic!("not one reader of vectors: {scans:#?}") };
    assert!(scan.is_index, "{scan:?}");
    assert_eq!((scan.entries, scan.fetches), (5, 0));
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
    search.close().await.unwrap();

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

#[tokio::test]
async fn a_filter_compares_values_as_json_does() {
    let mut given = given().await;
    let (mine, project) = given.project("mine").await;
    let question = vector(1.0);
    let one = |metadata: Value| Memories { metadata, ..anywhere(1, &question) };
    let number = given.memories(mine, &one(json!({ "size": 1 }))).await;
    let decimal = given.memories(mine, &one(json!({ "size": 1.0, "tags": ["a", "b"] }))).await;
    let text = given.memories(mine, &one(json!({ "size": "1", "tags": "a" }))).await;
    let nested =
        given.memories(mine, &one(json!({ "place": { "city": "Ulm", "zip": 89073 }, "none": null }))).await;

    for (with, expected) in [
        (json!({ "size": 1 }), [&number[..], &decimal[..]].concat()),
        (json!({ "size": 1.00 }), [&number[..], &decimal[..]].concat()),
        (json!({ "size": "1" }), text.clone()),
        (json!({ "tags": "a" }), [&decimal[..], &text[..]].concat()),
        // A list asks for a list.
        (json!({ "tags": ["a"] }), decimal.clone()),
        (json!({ "tags": ["a", "c"] }), vec![]),
        (json!({ "place": { "city": "Ulm" } }), nested.clone()),
        (json!({ "none": null }), nested.clone()),
        (json!({ "size": 1, "tags": "b" }), decimal.clone()),
    ] {
        let filter = MemoryFilter { with: object(with), without: Map::new() };
        assert_eq!(given.nearest_ids(&project, &filter, 50).await, sorted(expected), "{filter:?}");
    }
}

/// The index of terms belongs to all projects of a partition, and is read with the rights of its owner.
#[tokio::test]
async fn the_index_of_words_and_metadata_shows_only_the_project_of_the_transaction() {
    let mut given = given().await;
    let red = json!({ "colour": "red" });
    let mut made = Vec::new();
    for slug in ["mine", "theirs", "third"] {
        let (number, _) = given.project(slug).await;
        let ids =
            given.memories(number, &Memories { metadata: red.clone(), ..anywhere(4, &vector(1.0)) }).await;
        made.push((number, sorted(ids)));
    }
    for (setting, expected) in
        [(None, vec![]), (Some(String::new()), vec![]), (Some("999999".to_owned()), vec![])]
            .into_iter()
            .chain(made.iter().map(|(number, ids)| (Some(number.to_string()), ids.clone())))
    {
        let mut session = given.db.superuser().await;
        session.execute("set role reflect_app; begin").await.unwrap();
        if let Some(setting) = &setting {
            let set = sqlx::query("select set_config('reflect.project_id', $1, true)").bind(setting);
            set.execute(&mut session).await.unwrap();
        }
        let matching = sqlx::query_scalar("select memories_matching($1, '{}', 100)").bind(&red);
        let matching: Vec<MemoryId> = matching.fetch_all(&mut session).await.unwrap();
        let worded = sqlx::query_scalar("select memories_with_words('{lesson}', '{}', 100)");
        let worded: Vec<MemoryId> = worded.fetch_all(&mut session).await.unwrap();
        assert_eq!(sorted(matching), expected, "{setting:?}");
        assert_eq!(sorted(worded), expected, "{setting:?}");
    }
}

#[tokio::test]
async fn in_a_large_project_a_search_by_words_compares_the_memories_with_rare_words() {
    let mut given = given().await;
    let (mine, project) = given.project("mine").await;
    let question = vector(1.0);
    // Their texts are `task N` and `lesson N`: the words are common, each number is in one memory.
    let many = given.memories(mine, &anywhere(3_200, &question)).await;
    let blue = json!({ "colour": "blue" });
    let marked = given.memories(mine, &Memories { metadata: blue.clone(), ..anywhere(3, &question) }).await;
    let worded = async |text: &str, filter: &MemoryFilter| {
        let mut search = project.memories().search(reflect_store::SearchBy::Words).await.unwrap();
        let found = search.worded(text, filter, 40).await.unwrap();
        found.into_iter().map(|candidate| candidate.memory_id).collect::<Vec<_>>()
    };

    let rare = worded("the lesson of task 3111", &MemoryFilter::default()).await;
    let task: String = sqlx::query_scalar("select task from memory where memory_id = $1")
        .bind(rare[0].as_uuid())
        .fetch_one(&mut given.connection)
        .await
        .unwrap();
    assert_eq!(task, "task 3111", "the memory with the rare word comes first");
    assert!(rare.len() >= 40, "memories with the common words fill the other places");
    assert!(worded("neither word", &MemoryFilter::default()).await.is_empty());
    let filter = MemoryFilter { with: object(blue), without: Map::new() };
    assert_eq!(sorted(worded("lesson 3111", &filter).await), sorted(marked));
    assert_eq!(many.len(), 3_200);
}

/// An installation that had memories before the index existed gets it without blocking writes.
#[tokio::test]
async fn a_missing_index_of_terms_is_built_by_the_next_migration() {
    const VALID: &str = "select count(*) from pg_index x join pg_class c on c.oid = x.indexrelid
                         where c.relname like 'memory\\_h%\\_terms' and x.indisvalid";
    let mut given = given().await;
    let (mine, project) = given.project("mine").await;
    let red = json!({ "colour": "red" });
    let made = given.memories(mine, &Memories { metadata: red.clone(), ..anywhere(4, &vector(1.0)) }).await;
    given.memories(mine, &anywhere(10, &vector(1.0))).await;
    let filter = MemoryFilter { with: object(red), without: Map::new() };
    let before: i64 = sqlx::query_scalar(VALID).fetch_one(&mut given.connection).await.unwrap();
    given.connection.execute("drop index memory_h0_terms, memory_h1_terms").await.unwrap();
    assert_eq!(given.nearest_ids(&project, &filter, 50).await, sorted(made.clone()), "without the index");

    assert_eq!(Store::migrate(&given.db.migration()).await.unwrap(), 0);

    let after: i64 = sqlx::query_scalar(VALID).fetch_one(&mut given.connection).await.unwrap();
    assert_eq!((before, after), (2, 2));
    assert_eq!(given.nearest_ids(&project, &filter, 50).await, sorted(made));
}
