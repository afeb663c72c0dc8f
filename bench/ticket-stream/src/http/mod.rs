//! Compares the product over HTTP, with a real database, with the functions that are measured here. Both work on the same
//! tickets side by side and must make the same decisions: then the figures hold for the product.

mod models;
mod served;

use std::sync::Arc;

use anyhow::ensure;
use reflect_bench_ingest::cluster::Cluster;
use reflect_bench_query::server::{self, Server};
use reflect_engine::Models;
use reflect_model::Embedder as _;
use reflect_store::{AuditActor, MigrationSettings, SpaceName, Store, StoreSettings};
use reflect_types::{EmbeddedText, ProjectSlug};

use crate::environment::{Draw, Sizes, World};
use crate::stream;
use models::ScriptedLessons;
use served::Served;

/// The result of a comparison.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Equal {
    /// The number of equal decisions, which are all.
    pub decisions: usize,
    /// How many of them differ from a ranking by similarity alone. These show that learning was compared.
    pub learned: usize,
    /// How many of them were made among other candidates that are equally similar: the database does not say which.
    pub exchanged: usize,
}

/// Works on the same tickets on both sides. Fails at the first difference and describes it.
pub fn compare(world: &World, seed: u64, sizes: Sizes) -> anyhow::Result<Equal> {
    let draw = Draw { base: Vec::new(), ..Draw::new(world, seed, sizes)? };
    server::start_telemetry()?;
    let cluster = Cluster::start()?;
    let client = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let project: ProjectSlug = "ticket-stream".parse()?;
    let database_url = client.block_on(async {
        let url = cluster.database("ticket_stream").await?;
        let layout = MigrationSettings { url: url.clone().into(), hash_partitions: 16, partition_days: 7 };
        Store::migrate(&layout).await?;
        prepare(world, &url, &project).await?;
        anyhow::Ok(url)
    })?;
    let lessons = ScriptedLessons::default();
    let text = Arc::new(lessons.clone());
    let embedder = Arc::clone(&world.embedder);
    let models = Models { text: Some(text), embedder: Some(embedder), ..Models::default() };
    let server = Server::start(&database_url, &project, models)?;
    let mut served = Served::new(world, &server, client, lessons)?;
    stream::run(world, &draw, &mut served)?;
    let equal = served.equal();
    ensure!(equal.learned > 0, "similarity alone would have decided alike: nothing was compared");
    Ok(equal)
}

/// Creates the project with its space.
async fn prepare(world: &World, database_url: &str, project: &ProjectSlug) -> anyhow::Result<()> {
    let store = Store::connect(&StoreSettings::new(database_url.to_owned().into(), 6)).await?;
    let identity = world.embedder.identity();
    let space = SpaceName {
        provider: identity.provider.clone(),
        model: identity.model.clone(),
        revision: identity.revision.clone(),
        dimensions: world.embedder.text(&world.actions[0].text).await?.dimensions(),
        embeds: EmbeddedText::Task,
    };
    let space = store.catalogue().ensure_space(&space).await?;
    let project = store.catalogue().ensure_project(project, &AuditActor::local("bench")).await?;
    store.project(project).spaces().adopt(space.id).await?;
    store.close().await;
    Ok(())
}
