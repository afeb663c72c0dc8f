//! Test doubles of the server's models: an embedder with the vectors of all queries, and a text model with a prepared
//! answer.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use reflect_model::{
    ChatAnswer, ChatRequest, EmbedPurpose, Embedder, EmbedderIdentity, Embedding, ModelError, TextModel,
    Usage,
};
use serde_json::{Value, json};

use crate::data::Dataset;
use crate::vectors::SetVectors;

/// Returns vectors that the local model computed before.
#[derive(Debug)]
pub(super) struct KnownEmbedder {
    identity: EmbedderIdentity,
    vectors: HashMap<String, Embedding>,
}

impl KnownEmbedder {
    pub(super) fn new(set: &Dataset, vectors: &SetVectors) -> Self {
        let known = set.texts.iter().cloned().zip(vectors.queries.iter().cloned());
        let identity = EmbedderIdentity {
            provider: "bench".to_owned(),
            model: "minilm-kept".to_owned(),
            revision: String::new(),
        };
        Self { identity, vectors: known.collect() }
    }

    /// The vector of a query.
    pub(super) fn vector(&self, text: &str) -> Result<&Embedding, ModelError> {
        self.vectors
            .get(text)
            .ok_or_else(|| ModelError::do_not_retry(format!("`{text}` is no query of the set")))
    }
}

#[async_trait]
impl Embedder for KnownEmbedder {
    fn identity(&self) -> &EmbedderIdentity {
        &self.identity
    }

    async fn embed(&self, texts: &[String], _: EmbedPurpose) -> Result<Vec<Embedding>, ModelError> {
        texts.iter().map(|text| self.vector(text).cloned()).collect()
    }
}

/// Writes the lesson that was prepared for the current run. Asked whether lessons are the same, it does not know.
#[derive(Debug, Clone, Default)]
pub(super) struct ScriptedLessons {
    next: Arc<Mutex<Option<Value>>>,
}

impl ScriptedLessons {
    /// Prepares the lesson of the next run.
    pub(super) fn put(&self, lesson: Value) {
        *self.next.lock().unwrap_or_else(PoisonError::into_inner) = Some(lesson);
    }
}

#[async_trait]
impl TextModel for ScriptedLessons {
    fn name(&self) -> &str {
        "scripted-lessons"
    }

    async fn chat(&self, _: ChatRequest) -> Result<ChatAnswer, ModelError> {
        let lesson = self.next.lock().unwrap_or_else(PoisonError::into_inner).take();
        let lesson = lesson.unwrap_or_else(|| json!({ "relations": [] }));
        Ok(ChatAnswer {
            text: lesson.to_string(),
            model: self.name().to_owned(),
            usage: Usage::default(),
            cut_off: false,
        })
    }
}
