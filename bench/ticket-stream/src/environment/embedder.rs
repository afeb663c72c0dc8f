//! The vector of a state: the sum of the vectors of its lines. One vector of the whole text would cost thousands of
//! computations; there are about a hundred different lines.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use reflect_model::{EmbedPurpose, Embedder, EmbedderIdentity, Embedding, ModelError};
use reflect_model_local::LocalEmbedder;

use crate::project;

/// Embeds texts line by line. The server uses it too.
pub struct LineEmbedder {
    identity: EmbedderIdentity,
    local: LocalEmbedder,
    lines: Mutex<HashMap<String, Embedding>>,
}

impl LineEmbedder {
    /// Loads the local model.
    pub(super) fn load() -> anyhow::Result<Self> {
        let identity = EmbedderIdentity {
            provider: "bench".to_owned(),
            model: "minilm-lines".to_owned(),
            revision: String::new(),
        };
        Ok(Self { identity, local: LocalEmbedder::load(&project::minilm()?)?, lines: Mutex::default() })
    }

    /// The vector of one line. Lines are embedded one by one, because the others of a batch change a vector slightly.
    pub(super) async fn line(&self, line: &str) -> Result<Embedding, ModelError> {
        let known = self.known().get(line).cloned();
        if let Some(vector) = known {
            return Ok(vector);
        }
        let vectors = self.local.embed(&[line.to_owned()], EmbedPurpose::Query).await?;
        let vector = vectors.into_iter().next();
        let vector = vector.ok_or_else(|| ModelError::unreadable("the embedder gave no vector"))?;
        self.known().insert(line.to_owned(), vector.clone());
        Ok(vector)
    }

    /// The vector of a text.
    pub(crate) async fn text(&self, text: &str) -> Result<Embedding, ModelError> {
        let mut sum: Vec<f32> = Vec::new();
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let vector = self.line(line).await?;
            sum.resize(vector.dimensions(), 0.0);
            sum.iter_mut().zip(vector.as_slice()).for_each(|(sum, value)| *sum += value);
        }
        Embedding::new(sum)
    }

    fn known(&self) -> MutexGuard<'_, HashMap<String, Embedding>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Embedder for LineEmbedder {
    fn identity(&self) -> &EmbedderIdentity {
        &self.identity
    }

    async fn embed(&self, texts: &[String], _: EmbedPurpose) -> Result<Vec<Embedding>, ModelError> {
        let mut vectors = Vec::with_capacity(texts.len());
        for text in texts {
            vectors.push(self.text(text).await?);
        }
        Ok(vectors)
    }
}
