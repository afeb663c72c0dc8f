//! The embedder: texts to tokens to batches to vectors, off the threads that serve requests.

use std::fs::File;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use reflect_model::{EmbedPurpose, Embedder, EmbedderIdentity, Embedding, ModelError};
use tokio::sync::Mutex;

use crate::LoadError;
use crate::batches::{BATCH_TOKENS, batches};
use crate::description::Description;
use crate::network::Network;
use crate::runtime;
use crate::tokens::Tokens;

/// Where a model is and how it is run.
///
/// ```
/// use reflect_model_local::LocalModel;
///
/// let model = LocalModel::new("/models/minilm", "/usr/lib/libonnxruntime.so");
/// assert_eq!(model.threads.get(), 1);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalModel {
    /// The folder with `model.json`, `tokenizer.json` and `model.onnx`.
    pub folder: PathBuf,
    /// The file of ONNX Runtime. All models of a process share one.
    pub runtime_library: PathBuf,
    /// How many threads compute one batch.
    pub threads: NonZeroUsize,
}

impl LocalModel {
    /// A model that computes with one thread, which leaves the other cores to the rest of the server.
    pub fn new(folder: impl Into<PathBuf>, runtime_library: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), runtime_library: runtime_library.into(), threads: NonZeroUsize::MIN }
    }
}

/// An embedder that runs in this process.
///
/// Calls may come from many tasks. The network computes one batch at a time, and calls take turns after each
/// batch, so that one text does not wait for the end of a long list. What a text is embedded together with
/// does not change its vector beyond rounding, if the model is one that rounds every text by itself.
pub struct LocalEmbedder {
    identity: EmbedderIdentity,
    dimensions: usize,
    reader: Arc<Reader>,
    network: Arc<Mutex<Network>>,
}

/// What turns texts into tokens. Needs no turns: it is only read.
struct Reader {
    description: Description,
    tokens: Tokens,
}

impl LocalEmbedder {
    /// Loads a model and embeds a word with it. Takes a few hundred milliseconds, during which it blocks.
    ///
    /// ```
    /// use reflect_model_local::{LocalEmbedder, LocalModel};
    ///
    /// let error = LocalEmbedder::load(&LocalModel::new("/nowhere", "/nowhere.so")).err().unwrap();
    /// assert!(error.to_string().starts_with("cannot read /nowhere/model.json"));
    /// ```
    pub fn load(model: &LocalModel) -> Result<Self, LoadError> {
        let file = |name| model.folder.join(name);
        let (network_path, tokenizer_path) = (file("model.onnx"), file("tokenizer.json"));
        let description = Description::read(&file("model.json"))?;
        let tokens = Tokens::read(&tokenizer_path, description.max_tokens)?;
        let revision = revision(&[&network_path, &tokenizer_path], &description)?;
        let environment = runtime::environment(&model.runtime_library)?;
        let mut network = Network::load(&network_path, &environment, model.threads)?;
        let reader = Reader { description, tokens };
        let dimensions =
            probe(&reader, &mut network).map_err(|source| LoadError::Probe { path: network_path, source })?;
        let name = reader.description.name.clone();
        Ok(Self {
            identity: EmbedderIdentity { provider: "local".to_owned(), model: name, revision },
            dimensions,
            reader: Arc::new(reader),
            network: Arc::new(Mutex::new(network)),
        })
    }

    /// How many numbers a vector has, as seen when the model was loaded.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// The tokens of every text, with its place in the list, the shortest first.
    async fn read(
        &self,
        texts: &[String],
        purpose: EmbedPurpose,
    ) -> Result<Vec<(usize, Vec<i64>)>, ModelError> {
        let (reader, texts) = (Arc::clone(&self.reader), texts.to_vec());
        blocking(move || {
            let read: Result<Vec<_>, _> = texts.iter().map(|text| reader.read(text, purpose)).collect();
            let mut read: Vec<_> = read?.into_iter().enumerate().collect();
            read.sort_by_key(|(_, tokens)| tokens.len());
            Ok(read)
        })
        .await
    }
}

#[async_trait]
impl Embedder for LocalEmbedder {
    fn identity(&self) -> &EmbedderIdentity {
        &self.identity
    }

    async fn embed(&self, texts: &[String], purpose: EmbedPurpose) -> Result<Vec<Embedding>, ModelError> {
        let (places, tokens): (Vec<usize>, Vec<Vec<i64>>) =
            self.read(texts, purpose).await?.into_iter().unzip();
        let lengths: Vec<usize> = tokens.iter().map(Vec::len).collect();
        let mut left = tokens.into_iter();
        let mut vectors = Vec::with_capacity(texts.len());
        for batch in batches(&lengths, BATCH_TOKENS) {
            let batch: Vec<_> = left.by_ref().take(batch.len()).collect();
            // The lock is fair and released after every batch: this is where calls take turns. It moves into
            // the computation, so that a caller who gives up does not let in a second one beside it.
            let mut network = Arc::clone(&self.network).lock_owned().await;
            vectors.extend(blocking(move || network.run(&batch)).await?);
        }
        let mut placed: Vec<_> = places.into_iter().zip(vectors).collect();
        placed.sort_by_key(|(place, _)| *place);
        Ok(placed.into_iter().map(|(_, vector)| vector).collect())
    }
}

impl Reader {
    fn read(&self, text: &str, purpose: EmbedPurpose) -> Result<Vec<i64>, ModelError> {
        self.tokens.encode(self.description.prefix(purpose), text).map_err(|error| {
            ModelError::do_not_retry(format!("the local model's tokenizer cannot read a text: {error}"))
        })
    }
}

/// Embeds a word, which shows that all parts fit together. Nobody writes the number of dimensions down.
fn probe(reader: &Reader, network: &mut Network) -> Result<usize, ModelError> {
    let word = reader.read("probe", EmbedPurpose::Query)?;
    let vectors = network.run(&[word])?;
    let first = vectors.first().ok_or_else(|| ModelError::unreadable("no vector came out"))?;
    Ok(first.dimensions())
}

/// Computing takes milliseconds, too long for a thread that serves requests.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ModelError> + Send + 'static,
) -> Result<T, ModelError> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| {
        Err(ModelError::retry_later(format!("the local model stopped while computing: {error}"), None))
    })
}

/// A short digest of everything that vectors depend on, because they outlive the process that made them.
fn revision(files: &[&Path], description: &Description) -> Result<String, LoadError> {
    let mut all = blake3::Hasher::new();
    for path in files {
        let mut one = blake3::Hasher::new();
        File::open(path)
            .and_then(|file| one.update_reader(file).map(drop))
            .map_err(|source| LoadError::ModelFile { path: (*path).to_owned(), source })?;
        all.update(one.finalize().as_bytes());
    }
    all.update(description.fingerprint().as_bytes());
    Ok(all.finalize().to_hex()[..16].to_owned())
}
