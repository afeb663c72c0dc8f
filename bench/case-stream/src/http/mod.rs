//! Compares the product over HTTP, with a real database, with the functions that are measured here. Both must make the
//! same decisions: then the figures hold for the product.

mod doubles;
mod import;
mod served;

use std::sync::Arc;

use anyhow::ensure;
use reflect_bench_ingest::cluster::Cluster;
use reflect_bench_query::server::{self, Server};
use reflect_engine::Models;
use reflect_store::{MigrationSettings, Store};
use reflect_types::ProjectSlug;

use crate::arms::{self, FINAL, SIMILARITY};
use crate::data::Dataset;
use crate::environment::{Environment, Ground, REGIMES, Sizes, World};
use crate::stream::{self, Outcome, Run};
use crate::vectors::SetVectors;
use doubles::{KnownEmbedder, ScriptedLessons};
use served::Served;

/// The result of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Equal {
    /// The number of equal decisions, which are all.
    pub decisions: usize,
    /// How many of them differ from a ranking by similarity alone. These show that learning was compared.
    pub learned: usize,
}

/// Runs the same tasks on both sides. Fails at the first difference and describes it.
pub fn compare(set: Dataset, vectors: SetVectors, seed: u64, sizes: Sizes) -> anyhow::Result<Equal> {
    let regime = &REGIMES[1];
    let embedder = Arc::new(KnownEmbedder::new(&set, &vectors));
    let world = World::new(set, &vectors);
    let ground = Ground::new(&world, seed, regime.imported_per_tool, sizes);
    let environment = Environment::new(&world, &ground, regime);
    let here = |name: &str| -> anyhow::Result<(Outcome, Vec<usize>)> {
        let mut arm = arms::named(&[name])[0].make(&ground);
        let outcome = stream::run(&environment, arm.as_mut())?;
        let memories = ground.imported.len() + ground.tasks();
        Ok((outcome, (0..memories).map(|memory| arm.lesson(memory)).collect()))
    };
    let ((expected, lessons), (similar, _)) = (here(FINAL)?, here(SIMILARITY)?);

    server::start_telemetry()?;
    let cluster = Cluster::start()?;
    let client = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let project: ProjectSlug = "case-stream".parse()?;
    let (database_url, imported) = client.block_on(async {
        let url = cluster.database("case_stream").await?;
        let layout = MigrationSettings { url: url.clone().into(), hash_partitions: 16, partition_days: 7 };
        Store::migrate(&layout).await?;
        let imported =
            import::fill(&url, &project, (&environment, lessons.as_slice()), &world.set, &embedder).await?;
        anyhow::Ok((url, imported))
    })?;
    let script = ScriptedLessons::default();
    let text = Arc::new(script.clone());
    let models = Models { text: Some(text), embedder: Some(embedder), ..Models::default() };
    let server = Server::start(&database_url, &project, models)?;
    let mut served =
        Served::new(&world.set, &server, client, script, imported, (&expected, lessons.as_slice()))?;
    let actual = stream::run(&environment, &mut served)?;
    equal(&expected, &actual)?;
    let learned = runs(&expected).zip(runs(&similar)).filter(|(one, other)| one.shown != other.shown).count();
    ensure!(learned > 0, "similarity alone would have decided alike: nothing was compared");
    Ok(Equal { decisions: runs(&expected).count(), learned })
}

fn runs(outcome: &Outcome) -> impl Iterator<Item = &Run> {
    outcome.stream.iter().chain(&outcome.held_out)
}

/// The selected memories and the served lessons are compared during the run. This compares the agent's actions.
fn equal(expected: &Outcome, actual: &Outcome) -> anyhow::Result<()> {
    for (at, (here, there)) in runs(expected).zip(runs(actual)).enumerate() {
        ensure!(here == there, "decision {at}: the functions give {here:?}, the server {there:?}");
    }
    ensure!(runs(expected).count() == runs(actual).count(), "one side made more decisions");
    Ok(())
}
