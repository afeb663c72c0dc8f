//! Vectors of queries and tools: computed by the product's local embedder, cached, and rounded like in the database.

mod cache;
mod halves;

use std::path::Path;

use reflect_model::{EmbedPurpose, Embedder, Embedding};
use reflect_model_local::{LocalEmbedder, LocalModel};

use crate::data::Dataset;
pub use halves::{Halves, inner_product};

/// The number of texts per call of the embedder: enough for full batches, and few enough to show progress.
const AT_ONCE: usize = 1024;

/// The vectors of a dataset from the embedder.
#[derive(Debug, Clone)]
pub struct SetVectors {
    /// One per query.
    pub queries: Vec<Embedding>,
    /// One per tool name.
    pub tools: Vec<Embedding>,
    /// One per tool: how a run reports that it called the tool.
    pub reports: Vec<Embedding>,
    /// One per tool: the advice to call it.
    pub advice: Vec<Embedding>,
}

impl SetVectors {
    /// The vectors of a dataset: from the cache, or computed and cached.
    pub fn obtain(set: &Dataset, model: &LocalModel, cache: &Path) -> anyhow::Result<Self> {
        let embedder = LocalEmbedder::load(model)?;
        let of = |texts: Vec<String>| cached(&embedder, &texts, set, cache);
        let tools = set.tool_texts();
        let mut queries = of(set.texts.iter().chain(&tools).cloned().collect())?;
        // Sentences are a file of their own, because a vector can depend on the length of the others in its batch.
        let reports = tools.iter().map(|tool| format!("I used the tool: {tool}."));
        let advice = tools.iter().map(|tool| format!("The answer that was judged right: {tool}."));
        let mut reports = of(reports.chain(advice).collect())?;
        let advice = reports.split_off(tools.len());
        let tools = queries.split_off(set.texts.len());
        Ok(Self { queries, tools, reports, advice })
    }
}

/// The vectors of texts: from the cache, or computed and cached.
fn cached(
    embedder: &LocalEmbedder,
    texts: &[String],
    set: &Dataset,
    cache: &Path,
) -> anyhow::Result<Vec<Embedding>> {
    let path = cache::path(cache, set.name, texts, embedder.identity());
    if let Some(vectors) = cache::read(&path, texts.len(), embedder.dimensions())? {
        return Ok(vectors);
    }
    let vectors = embed(embedder, texts, set.name.title())?;
    cache::write(&path, &vectors)?;
    Ok(vectors)
}

/// Sorts texts by length, so that batches need little padding.
fn embed(embedder: &LocalEmbedder, texts: &[String], name: &str) -> anyhow::Result<Vec<Embedding>> {
    let mut places: Vec<usize> = (0..texts.len()).collect();
    places.sort_by_key(|place| texts[*place].len());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut placed = Vec::with_capacity(texts.len());
    for chunk in places.chunks(AT_ONCE) {
        let some: Vec<String> = chunk.iter().map(|place| texts[*place].clone()).collect();
        let vectors = runtime.block_on(embedder.embed(&some, EmbedPurpose::Query))?;
        placed.extend(chunk.iter().copied().zip(vectors));
        eprintln!("{name}: {} of {} texts embedded", placed.len(), texts.len());
    }
    placed.sort_by_key(|(place, _)| *place);
    Ok(placed.into_iter().map(|(_, vector)| vector).collect())
}
