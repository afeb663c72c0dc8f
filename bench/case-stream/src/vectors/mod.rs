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
}

impl SetVectors {
    /// The vectors of a dataset: from the cache, or computed and cached.
    pub fn obtain(set: &Dataset, model: &LocalModel, cache: &Path) -> anyhow::Result<Self> {
        let embedder = LocalEmbedder::load(model)?;
        let texts: Vec<String> = set.texts.iter().cloned().chain(set.tool_texts()).collect();
        let path = cache::path(cache, set.name, &texts, embedder.identity());
        let mut all = match cache::read(&path, texts.len(), embedder.dimensions())? {
            Some(vectors) => vectors,
            None => {
                let vectors = embed(&embedder, &texts, set.name.title())?;
                cache::write(&path, &vectors)?;
                vectors
            }
        };
        let tools = all.split_off(set.texts.len());
        Ok(Self { queries: all, tools })
    }
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
