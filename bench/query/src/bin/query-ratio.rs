//! The cost of a retrieval beyond its SQL: `POST /memory/query` over HTTP, and the same statements sent by pgbench,
//! alternating, on one machine and one database.
//!
//! There is one client on each side, which waits for each response. The embedder answers immediately, and no task is
//! queried twice. Both sides read the same vectors with the same role, settings and plans. pgbench knows the results in
//! advance, so ranking counts as work of the server, and so does the receipt, which the server stores in the background.

#![expect(clippy::print_stdout, reason = "the figures are what the run is for")]

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, ensure};
use clap::Parser;
use rand::RngExt;
use reflect_bench_ingest::cluster::Cluster;
use reflect_bench_ingest::cpu::cluster_seconds;
use reflect_bench_query::bank::{self, DIMENSIONS};
use reflect_bench_query::doubles::PreparedEmbedder;
use reflect_bench_query::figures::{Ratio, Round, quantile, ratio};
use reflect_bench_query::pgbench::Pgbench;
use reflect_bench_query::server::{self, Server};
use reflect_bench_query::sides;
use reflect_engine::Models;
use reflect_store::{AuditActor, MigrationSettings, SpaceName, Store, StoreSettings};
use reflect_types::{EmbeddedText, ProjectSlug};
use sqlx::{Connection as _, PgConnection};

/// The number of different query vectors. Each is a pgbench script, which is prepared on each connection.
const QUESTIONS: usize = 4;
/// Enough that every script has probably been prepared.
const WARM_UP: usize = 24;

#[derive(Debug, Parser)]
struct Arguments {
    /// The path of `pgbench`.
    #[arg(long)]
    pgbench: PathBuf,
    /// The number of rounds. Each side runs once per round.
    #[arg(long, default_value_t = 20)]
    rounds: usize,
    /// Queries per turn at 10,000 memories; a fifth of it at 100,000.
    #[arg(long, default_value_t = 120)]
    requests: usize,
    /// Only 10,000 memories, two short rounds, and no thresholds, to check that it runs.
    #[arg(long)]
    quick: bool,
}

/// The results for one size.
struct Outcome {
    p50: Ratio,
    p99: Ratio,
}

fn main() -> anyhow::Result<()> {
    let mut arguments = Arguments::parse();
    if arguments.quick {
        (arguments.rounds, arguments.requests) = (2, 60);
    }
    server::start_telemetry()?;
    let cluster = Cluster::start()?;
    let small = measure(&arguments, &cluster, 10_000, arguments.requests)?;
    if arguments.quick {
        println!("query ratio: p50 {:.2} p99 {:.2} at 10000 (quick)", small.p50.value, small.p99.value);
        return Ok(());
    }
    let large = measure(&arguments, &cluster, 100_000, arguments.requests / 5)?;
    println!(
        "query ratio: p50 {:.2} p99 {:.2} at 10000; p50 {:.2} at 100000",
        small.p50.value, small.p99.value, large.p50.value
    );
    ensure!(small.p50.value <= 1.25, "the median at 10,000 memories is over 1.25");
    ensure!(small.p99.value <= 1.5, "the 99th percentile at 10,000 memories is over 1.5");
    ensure!(large.p50.value <= 1.15, "the median at 100,000 memories is over 1.15");
    Ok(())
}

fn measure(
    arguments: &Arguments,
    cluster: &Cluster,
    memories: usize,
    requests: usize,
) -> anyhow::Result<Outcome> {
    let project: ProjectSlug = "ratio".parse()?;
    let setup = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (database_url, questions) = setup.block_on(fill(cluster, &project, memories))?;
    let embedder = Arc::new(PreparedEmbedder::new(questions.clone())?);
    let server =
        Server::start(&database_url, &project, Models { embedder: Some(embedder), ..Models::default() })?;
    // pgbench sends the queries again that the receipts of the server describe.
    let mut asked = 0;
    let mut ask = |warm_up: usize, count: usize| {
        let from = asked;
        asked += warm_up + count;
        sides::over_http(&server, from, warm_up, count)
    };
    ask(0, QUESTIONS)?;
    server.flush_receipts()?;
    let program = arguments.pgbench.clone();
    let pgbench = setup.block_on(Pgbench::prepare(program, &database_url, &questions))?;
    ask(QUESTIONS * 20, 0)?;
    pgbench.run(0, QUESTIONS * 20)?;

    let mut rounds = Vec::new();
    let mut cpu = Cpu::default();
    for number in 1..=arguments.rounds {
        let mut round = Round::default();
        let server_first = rand::rng().random::<bool>();
        for ours in [server_first, !server_first] {
            let before = (Server::cpu_seconds()?, cluster_seconds(cluster.data())?);
            if ours {
                round.ours = ask(WARM_UP, requests)?;
            } else {
                round.bare = pgbench.run(WARM_UP, requests)?;
            }
            let after = (Server::cpu_seconds()?, cluster_seconds(cluster.data())?);
            cpu.add(ours, (after.0 - before.0, after.1 - before.1), WARM_UP + requests);
        }
        println!(
            "{memories} memories, round {number}: p50 {:.2} ms through the server, {:.2} ms by pgbench; p99 {:.2} and {:.2}",
            quantile(&round.ours, 0.5) / 1e3,
            quantile(&round.bare, 0.5) / 1e3,
            quantile(&round.ours, 0.99) / 1e3,
            quantile(&round.bare, 0.99) / 1e3,
        );
        rounds.push(round);
    }
    cpu.print();
    drop(pgbench);
    server.flush_receipts()?;
    let (embed, search) = setup.block_on(receipts(&database_url))?;
    where_the_time_goes(&server, (embed, search), asked, requests)?;
    let outcome = Outcome { p50: ratio(&rounds, 0.5), p99: ratio(&rounds, 0.99) };
    for (name, Ratio { value, low, high }) in [("p50", outcome.p50), ("p99", outcome.p99)] {
        println!("{memories} memories: {name} ratio {value:.2} (nine in ten between {low:.2} and {high:.2})");
    }
    Ok(outcome)
}

/// A database with one project of this many memories, and some queries.
async fn fill(
    cluster: &Cluster,
    project: &ProjectSlug,
    memories: usize,
) -> anyhow::Result<(String, Vec<Vec<f32>>)> {
    let database_url = cluster.database(&format!("ratio_{memories}")).await?;
    let layout =
        MigrationSettings { url: database_url.clone().into(), hash_partitions: 16, partition_days: 7 };
    Store::migrate(&layout).await?;
    let settings = StoreSettings::new(database_url.clone().into(), 6);
    let store = Store::connect(&settings).await?;
    let identity = PreparedEmbedder::identity();
    let space = SpaceName {
        provider: identity.provider,
        model: identity.model,
        revision: identity.revision,
        dimensions: DIMENSIONS,
        embeds: EmbeddedText::Task,
    };
    let space = store.catalogue().ensure_space(&space).await?;
    let actor = AuditActor::local("bench");
    let project = store.catalogue().ensure_project(project, &actor).await?;
    store.project(project).spaces().adopt(space.id).await?;
    store.close().await;
    let questions = bank::fill(&database_url, project.number(), space.id, memories, QUESTIONS).await?;
    Ok((database_url, questions))
}

/// CPU seconds of the server's threads and of Postgres, for each side.
#[derive(Default)]
struct Cpu {
    ours: (f64, f64, usize),
    bare: (f64, f64, usize),
}

impl Cpu {
    fn add(&mut self, ours: bool, seconds: (f64, f64), questions: usize) {
        let side = if ours { &mut self.ours } else { &mut self.bare };
        *side = (side.0 + seconds.0, side.1 + seconds.1, side.2 + questions);
    }

    fn print(&self) {
        let each = |seconds: f64, questions: usize| seconds * 1e3 / questions.max(1) as f64;
        println!(
            "CPU for one question: {:.2} ms of the server and {:.2} ms of Postgres, or {:.2} ms of Postgres alone",
            each(self.ours.0, self.ours.2),
            each(self.ours.1, self.ours.2),
            each(self.bare.1, self.bare.2),
        );
    }
}

/// The server's own measurements of embedding and searching: medians in microseconds.
async fn receipts(database_url: &str) -> anyhow::Result<(f64, f64)> {
    let mut connection = PgConnection::connect(database_url).await?;
    let (embed, search, degraded): (f64, f64, i64) = sqlx::query_as(
        "select percentile_cont(0.5) within group (order by embed_us),
                percentile_cont(0.5) within group (order by search_us), count(*) filter (where degraded)
         from retrieval",
    )
    .fetch_one(&mut connection)
    .await
    .context("the receipts can be read")?;
    ensure!(degraded == 0, "{degraded} questions were answered by words");
    Ok((embed, search))
}

/// Measures the parts of a query. The engine is also called directly, to separate its part from that of HTTP.
fn where_the_time_goes(
    server: &Server,
    (embed, search): (f64, f64),
    asked: usize,
    requests: usize,
) -> anyhow::Result<()> {
    let nothing = quantile(&sides::nothing(server, 1_000)?, 0.5);
    let over_http = quantile(&sides::over_http(server, asked, WARM_UP, requests)?, 0.5);
    let engine = quantile(&sides::of_the_engine(server, asked + WARM_UP + requests, WARM_UP, requests)?, 0.5);
    println!(
        "medians in us: embedding {embed:.0}, finding and ranking {search:.0}, texts and commit {:.0}; \
         the engine in all {engine:.0}, over HTTP {over_http:.0}; an empty answer over HTTP {nothing:.0}",
        engine - embed - search
    );
    Ok(())
}
