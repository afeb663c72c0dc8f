//! The local model, with cached vectors of the public queries. Only the attacker's texts are computed.

use std::collections::HashMap;

use async_trait::async_trait;
use reflect_case_stream::data::Dataset;
use reflect_case_stream::vectors::SetVectors;
use reflect_model::{EmbedPurpose, Embedder, EmbedderIdentity, Embedding, ModelError};
use reflect_model_local::{LocalEmbedder, LocalModel};

/// An embedder with a cache.
pub(crate) struct KeptEmbedder {
    local: LocalEmbedder,
    kept: HashMap<String, Embedding>,
}

impl KeptEmbedder {
    /// The local model with the cached vectors of a dataset.
    pub(crate) fn new(set: &Dataset, vectors: &SetVectors, model: &LocalModel) -> anyhow::Result<Self> {
        let kept = set.texts.iter().cloned().zip(vectors.queries.iter().cloned()).collect();
        Ok(Self { local: LocalEmbedder::load(model)?, kept })
    }
}

#[async_trait]
impl Embedder for KeptEmbedder {
    fn identity(&self) -> &EmbedderIdentity {
        self.local.identity()
    }

    async fn embed(&self, texts: &[String], purpose: EmbedPurpose) -> Result<Vec<Embedding>, ModelError> {
        let mut vectors = Vec::with_capacity(texts.len());
        for text in texts {
            match self.kept.get(text) {
                Some(vector) => vectors.push(vector.clone()),
                None => vectors.extend(self.local.embed(std::slice::from_ref(text), purpose).await?),
            }
        }
        Ok(vectors)
    }
}
