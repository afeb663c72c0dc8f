//! A scripted embedder that hashes words.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use crate::{EmbedPurpose, Embedder, EmbedderIdentity, Embedding, ModelError};

/// A fault of a call.
#[derive(Debug, Clone)]
pub enum Fault {
    /// The call fails.
    Error(ModelError),
    /// A vector contains a NaN.
    NotANumber,
    /// A vector has length zero.
    Zero,
    /// The vectors have one dimension too many.
    WrongDimension,
    /// One vector is missing.
    TooFew,
}

#[derive(Default)]
struct Record {
    next: VecDeque<Fault>,
    always: Option<Fault>,
    calls: Vec<(Vec<String>, EmbedPurpose)>,
}

/// An [`Embedder`] that hashes words into buckets. Texts with common words are similar, and the same text always has
/// the same vector. Meaning is not considered.
///
/// ```
/// use reflect_model::scripted::ScriptedEmbedder;
/// use reflect_model::{EmbedPurpose, Embedder};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let embedder = ScriptedEmbedder::new(256);
/// let texts = ["Cancel an order", "cancel the order!", "weather in Paris"].map(String::from);
/// let vectors = embedder.embed(&texts, EmbedPurpose::Document).await.unwrap();
///
/// assert!(vectors[0].similarity(&vectors[1]) > 0.6);
/// assert!(vectors[0].similarity(&vectors[2]) < 0.3);
/// # });
/// ```
#[derive(Clone)]
pub struct ScriptedEmbedder {
    identity: EmbedderIdentity,
    dimensions: usize,
    record: Arc<Mutex<Record>>,
}

impl ScriptedEmbedder {
    /// An embedder with this many dimensions, at least one. With few dimensions, unrelated texts collide.
    pub fn new(dimensions: usize) -> Self {
        let identity = EmbedderIdentity {
            provider: "scripted".into(),
            model: "hashed-words".into(),
            revision: dimensions.to_string(),
        };
        Self { identity, dimensions: dimensions.max(1), record: Arc::default() }
    }

    /// Sets the identity, for tests with several spaces.
    #[must_use]
    pub fn identified(mut self, identity: EmbedderIdentity) -> Self {
        self.identity = identity;
        self
    }

    /// The next call fails with this fault. Each fault affects one call, in order.
    pub fn fault_next(&self, fault: Fault) {
        self.record().next.push_back(fault);
    }

    /// All further calls fail with this fault. `None` ends it.
    pub fn fault_always(&self, fault: Option<Fault>) {
        self.record().always = fault;
    }

    /// The texts of every call, including failed calls.
    pub fn calls(&self) -> Vec<(Vec<String>, EmbedPurpose)> {
        self.record().calls.clone()
    }

    fn record(&self) -> MutexGuard<'_, Record> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Embedder for ScriptedEmbedder {
    fn identity(&self) -> &EmbedderIdentity {
        &self.identity
    }

    async fn embed(&self, texts: &[String], purpose: EmbedPurpose) -> Result<Vec<Embedding>, ModelError> {
        let fault = {
            let mut record = self.record();
            record.calls.push((texts.to_vec(), purpose));
            record.next.pop_front().or_else(|| record.always.clone())
        };
        let mut dimensions = self.dimensions;
        let mut texts = texts;
        match &fault {
            Some(Fault::Error(error)) => return Err(error.clone()),
            Some(Fault::WrongDimension) => dimensions += 1,
            Some(Fault::TooFew) => texts = &texts[..texts.len().saturating_sub(1)],
            _ => {}
        }
        let vector = |text: &String| {
            let mut vector = bag_of_words(text, dimensions);
            match fault {
                Some(Fault::NotANumber) => vector[0] = f32::NAN,
                Some(Fault::Zero) => vector.fill(0.0),
                _ => {}
            }
            Embedding::new(vector)
        };
        texts.iter().map(vector).collect()
    }
}

fn bag_of_words(text: &str, dimensions: usize) -> Vec<f32> {
    let mut vector = vec![0.0; dimensions];
    let lower = text.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).peekable();
    // A text without words must not get a zero vector.
    if words.peek().is_none() {
        vector[bucket(&lower, dimensions)] = 1.0;
    }
    for word in words {
        vector[bucket(word, dimensions)] += 1.0;
    }
    vector
}

/// FNV-1a, because the standard library's hash can change between versions.
fn bucket(word: &str, dimensions: usize) -> usize {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = word.bytes().fold(0xcbf2_9ce4_8422_2325, step);
    (hash % dimensions as u64) as usize
}
