//! Creates many memories in one project, inside the database. They form clusters, like the tasks of agents. Each has a
//! lesson of its own, as after the grouping of a bank in which nothing repeats.

use anyhow::Context;
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};

/// The number of dimensions of common small models.
pub const DIMENSIONS: usize = 384;
/// Large enough that a search finds its forty candidates in one cluster.
const CLUSTER: usize = 100;
/// A prime, so that no two memories are the same sum of a centre and a deviation.
const DEVIATIONS: usize = 1_009;

/// Fills a project with memories, and returns queries that are similar to some of them.
pub async fn fill(
    database_url: &str,
    project: i32,
    space: i16,
    memories: usize,
    questions: usize,
) -> anyhow::Result<Vec<Vec<f32>>> {
    let mut connection = PgConnection::connect(database_url).await?;
    let clusters = memories / CLUSTER;
    let random = |count: usize, length: f64| {
        format!(
            "select n, l2_normalize((select array_agg(random() - 0.5) from generate_series(1, {DIMENSIONS} + 0 * n))
                                    ::real[]::halfvec) * array_fill({length}::real, array[{DIMENSIONS}])::halfvec as v
             from generate_series(0, {} - 1) n",
            count
        )
    };
    let statements = [
        "select setseed(0.5)".to_owned(),
        format!("create temp table centre as {}", random(clusters, 1.0)),
        format!("create temp table deviation as {}", random(DEVIATIONS, 0.7)),
        format!(
            "create temp table made as select n, uuidv7() as memory_id from generate_series(1, {memories}) n"
        ),
        format!(
            "insert into memory (project_id, memory_id, origin, task, reflection, summary, guidance, key_mistake,
                                 correct_action, applicable_tools, success, metadata)
             select {project}, memory_id, 0, 'Refund order ' || n || ' of a customer who wants to keep the article',
                    repeat('Look the order up before anything else, step ' || n || ' of the policy says so. ', 4),
                    'Look up order ' || n || ' first', 'Ask for the order number and look it up before you promise',
                    case when n % 2 = 0 then 'The refund was promised before the order was looked up' else '' end,
                    case when n % 2 = 0 then 'Look the order up, then promise' else '' end,
                    array['orders.find', 'refunds.create'], n % 2 = 1, jsonb_build_object('shop', n % 20)
             from made"
        ),
        format!(
            "insert into memory_stat (project_id, memory_id, lesson_id, q, reviews, passes)
             select {project}, memory_id, memory_id, (n % 11) / 10.0, 10, n % 11 from made"
        ),
        format!(
            "insert into memory_vector (project_id, space_id, memory_id, embedding)
             select {project}, {space}, m.memory_id, l2_normalize(c.v + d.v)
             from made m join centre c on c.n = m.n % {clusters} join deviation d on d.n = m.n % {DEVIATIONS}
             order by m.n"
        ),
        "vacuum analyze memory".to_owned(),
        "vacuum analyze memory_stat".to_owned(),
        "vacuum analyze memory_vector".to_owned(),
        // A checkpoint, so that no dirty pages are written during the measurement.
        "checkpoint".to_owned(),
    ];
    for statement in statements {
        connection.execute(AssertSqlSafe(statement)).await?;
    }
    let centres = sqlx::query_scalar("select v::real[] from centre order by n limit $1");
    centres.bind(questions as i64).fetch_all(&mut connection).await.context("the centres can be read")
}
