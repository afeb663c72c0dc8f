//! Queries against the product's server in this process, whose embedder answers at once.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::ensure;
use reflect_bench_ingest::cpu::cluster_seconds;
use reflect_bench_query::doubles::PreparedEmbedder;
use reflect_bench_query::server::Server;
use reflect_engine::{GraphSizes, Models};
use reflect_types::ProjectSlug;
use serde_json::{Value, json};

use crate::client::{Client, milliseconds};
use crate::memory_bank::MemoryBank;
use crate::real_vectors::Question;
use crate::stage::Stage;
use crate::statements;

/// The first project, and the only one of most rows.
pub(super) const PROJECT: &str = "scale-1";

/// Building and checking the graph of a million vectors takes most of an hour on two cores.
const SETTLING: Duration = Duration::from_secs(2 * 60 * 60);
/// The time between the last use of a graph and its removal. None is removed here.
const REST: Duration = Duration::from_secs(30);

/// How a project came to be served as it is.
#[derive(Debug)]
pub(super) struct Settled {
    /// The questions that were asked before.
    pub(super) asked: Asked,
    /// How long background work took.
    pub(super) seconds: f64,
    /// The state of the graph, if there is one.
    pub(super) graph: Option<String>,
}

/// A database with memories.
#[derive(Debug)]
pub(super) struct Filled {
    pub(super) database_url: String,
    pub(super) bank: MemoryBank,
}

impl Filled {
    /// Makes projects with the same number of memories each.
    pub(super) fn make(stage: &Stage, name: &str, projects: usize, each: usize) -> anyhow::Result<Self> {
        let (database_url, first_project) = stage.database_with_projects(name, projects as i32)?;
        let real = stage.vectors()?;
        let bank = stage.block_on(async {
            let mut connection = statements::connect(&database_url).await?;
            let identity = PreparedEmbedder::identity();
            let name = (identity.provider.as_str(), identity.model.as_str(), identity.revision.as_str());
            let space = statements::make_space(&mut connection, name, real.dimensions() as i32).await?;
            let bank = MemoryBank { first_project, projects, each, space };
            bank.fill(&mut connection, real).await?;
            anyhow::Ok(bank)
        })?;
        Ok(Self { database_url, bank })
    }

    /// Starts a server that embeds these questions.
    pub(super) fn serve(&self, questions: &[Question]) -> anyhow::Result<Server> {
        let vectors = questions.iter().map(|question| question.vector.clone()).collect();
        let embedder = Arc::new(PreparedEmbedder::new(vectors)?);
        self.serve_with(Models { embedder: Some(embedder), ..Models::default() })
    }

    /// Starts a server without an embedder, which searches by words.
    pub(super) fn serve_by_words(&self) -> anyhow::Result<Server> {
        self.serve_with(Models::default())
    }

    /// Asks questions, as clients of an installation in use have done, and finishes background work that changes how the
    /// project is served. A worker does the same every minute. Here it has an embedder that knows the questions.
    pub(super) fn settle(&self, stage: &Stage, questions: &[Question]) -> anyhow::Result<Settled> {
        let server = self.serve(questions)?;
        let queries: Vec<Value> = (0..questions.len()).map(|number| query(questions, number, None)).collect();
        let asked = ask(stage, &server, &queries)?;
        server.flush_receipts()?;
        let mut connection = stage.block_on(statements::connect(&self.database_url))?;
        let project = self.bank.first_project;
        let began = Instant::now();
        while !stage.block_on(statements::is_settled(&mut connection, project))? {
            ensure!(began.elapsed() < SETTLING, "background work did not end in {} s", SETTLING.as_secs());
            let engine = server.engine.clone();
            server.run(async move {
                engine.vector_graphs.advance(GraphSizes::default(), REST).await?;
                anyhow::Ok(())
            })?;
            std::thread::sleep(Duration::from_secs(1));
        }
        let seconds = began.elapsed().as_secs_f64();
        let graph = stage.block_on(statements::graph(&mut connection, project))?;
        Ok(Settled { asked, seconds, graph })
    }

    fn serve_with(&self, models: Models) -> anyhow::Result<Server> {
        let project: ProjectSlug = PROJECT.parse()?;
        Server::start(&self.database_url, &project, models)
    }
}

/// A query with this number. Its last word selects its vector, and no two numbers have the same text, because the server
/// caches vectors.
pub(super) fn query(questions: &[Question], number: usize, shop: Option<usize>) -> Value {
    let text = &questions[number % questions.len()].text;
    let mut query = json!({ "task": format!("{text} {number}") });
    if let Some(shop) = shop {
        query["metadata_filter"] = statements::metadata(shop);
    }
    query
}

/// The path of queries in a project.
pub(super) fn path(project: &str) -> String {
    format!("/v1/projects/{project}/memory/query")
}

/// What one client saw that sent queries one after the other.
#[derive(Debug, Default)]
pub(super) struct Asked {
    /// Milliseconds of the answered ones.
    pub(super) latencies: Vec<f64>,
    /// How many were not answered with 200.
    pub(super) failed: usize,
    /// Milliseconds of CPU per query.
    pub(super) server_cpu: f64,
    pub(super) postgres_cpu: f64,
}

impl Asked {
    /// Milliseconds of CPU per query, in all.
    pub(super) fn cpu(&self) -> f64 {
        self.server_cpu + self.postgres_cpu
    }
}

/// Sends queries one after the other, and measures the CPU of both processes. There must be no other server.
pub(super) fn ask(stage: &Stage, server: &Server, queries: &[Value]) -> anyhow::Result<Asked> {
    let before = (Server::cpu_seconds()?, cluster_seconds(stage.data())?);
    let mut asked = Asked::default();
    stage.block_on(async {
        let mut client = Client::open(&server.address, &server.key).await?;
        for query in queries {
            let began = Instant::now();
            match client.post(&path(PROJECT), query).await {
                Ok(answer) if answer.status == 200 => asked.latencies.push(milliseconds(began)),
                _ => asked.failed += 1,
            }
        }
        anyhow::Ok(())
    })?;
    let after = (Server::cpu_seconds()?, cluster_seconds(stage.data())?);
    let each = |seconds: f64| seconds * 1e3 / queries.len().max(1) as f64;
    (asked.server_cpu, asked.postgres_cpu) = (each(after.0 - before.0), each(after.1 - before.1));
    Ok(asked)
}
