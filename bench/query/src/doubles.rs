//! Models that answer immediately and record when they were called.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use reflect_model::scripted::ScriptedEmbedder;
use reflect_model::{
    ChatAnswer, ChatRequest, EmbedPurpose, Embedder, EmbedderIdentity, Embedding, ModelError, TextModel,
    Usage,
};

/// An embedder with prepared vectors. The last word of a text is the index of its vector.
#[derive(Debug)]
pub struct PreparedEmbedder {
    identity: EmbedderIdentity,
    vectors: Vec<Embedding>,
}

impl PreparedEmbedder {
    /// The identity of the vectors.
    pub fn identity() -> EmbedderIdentity {
        EmbedderIdentity { provider: "bench".into(), model: "prepared".into(), revision: String::new() }
    }

    /// An embedder with these vectors.
    pub fn new(vectors: Vec<Vec<f32>>) -> anyhow::Result<Self> {
        let vectors: Result<Vec<Embedding>, ModelError> = vectors.into_iter().map(Embedding::new).collect();
        Ok(Self { identity: Self::identity(), vectors: vectors? })
    }
}

#[async_trait]
impl Embedder for PreparedEmbedder {
    fn identity(&self) -> &EmbedderIdentity {
        &self.identity
    }

    async fn embed(&self, texts: &[String], _: EmbedPurpose) -> Result<Vec<Embedding>, ModelError> {
        let vector = |text: &String| {
            let number = text.rsplit(' ').next().and_then(|word| word.parse::<usize>().ok());
            let number =
                number.ok_or_else(|| ModelError::do_not_retry("the text does not end in a number"))?;
            Ok(self.vectors[number % self.vectors.len()].clone())
        };
        texts.iter().map(vector).collect()
    }
}

/// When the models worked, for one review.
#[derive(Debug, Clone, Copy, Default)]
pub struct Asked {
    /// From the request to the reflection.
    pub text: Option<(Instant, Instant)>,
    /// From the task to its vector.
    pub vector: Option<(Instant, Instant)>,
}

/// A text model and an embedder with a fixed delay, which record their calls.
#[derive(Clone)]
pub struct TimedModels {
    embedder: ScriptedEmbedder,
    pause: Duration,
    asked: Arc<Mutex<Asked>>,
}

impl TimedModels {
    /// Models with this delay.
    pub fn new(dimensions: usize, pause: Duration) -> Self {
        Self { embedder: ScriptedEmbedder::new(dimensions), pause, asked: Arc::default() }
    }

    /// The recorded calls since the last call of this function.
    pub fn take(&self) -> Asked {
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Asked> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn pause(&self) {
        if !self.pause.is_zero() {
            tokio::time::sleep(self.pause).await;
        }
    }
}

#[async_trait]
impl TextModel for TimedModels {
    fn name(&self) -> &str {
        "timed"
    }

    async fn chat(&self, _: ChatRequest) -> Result<ChatAnswer, ModelError> {
        let began = Instant::now();
        self.pause().await;
        let text = r#"{"summary": "Look the order up first.", "guidance": "Ask for the number and look it up.",
            "key_mistake": "A promise came first.", "correct_action": "Look up, then promise.",
            "applicable_tools": ["orders.find"], "used_memory_ids": []}"#;
        self.lock().text = Some((began, Instant::now()));
        Ok(ChatAnswer {
            text: text.to_owned(),
            model: "timed".to_owned(),
            usage: Usage { input_tokens: 1_000, output_tokens: 100 },
            cut_off: false,
        })
    }
}

#[async_trait]
impl Embedder for TimedModels {
    fn identity(&self) -> &EmbedderIdentity {
        self.embedder.identity()
    }

    async fn embed(&self, texts: &[String], purpose: EmbedPurpose) -> Result<Vec<Embedding>, ModelError> {
        let began = Instant::now();
        if purpose == EmbedPurpose::Document {
            self.pause().await;
        }
        let vectors = self.embedder.embed(texts, purpose).await;
        if purpose == EmbedPurpose::Document {
            self.lock().vector = Some((began, Instant::now()));
        }
        vectors
    }
}
