//! The embedder. It tokenises and embeds texts on threads that do not serve requests.

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

/// The location of a model and the number of threads.
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
    /// The ONNX Runtime library. All models of a process share one.
    pub runtime_library: PathBuf,
    /// The number of threads that compute one batch.
    pub threads: NonZeroUsize,
}

impl LocalModel {
    /// A model with one thread, which leaves the other cores to the server.
    pub fn new(folder: impl Into<PathBuf>, runtime_library: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), runtime_library: runtime_library.into(), threads: NonZeroUsize::MIN }
    }
}

/// An embedder that runs in this process.
///
/// Calls may come from many tasks. The network computes one batch at a time, and the lock is released after each batch,
/// so one text does not wait for the end of a long list. The other texts of a batch change a vector only by rounding
/// errors, if the model quantises each text separately.
pub struct LocalEmbedder {
    identity: EmbedderIdentity,
    dimensions: usize,
    reader: Arc<Reader>,
    network: Arc<Mutex<Network>>,
}

/// The tokenizer. It needs no lock, because it is immutable.
struct Reader {
    description: Description,
    tokens: Tokens,
}

impl LocalEmbedder {
    /// Loads a model and embeds one word with it. Blocks for a few hundred milliseconds.
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

    /// The number of dimensions, measured when the model was loaded.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// The tokens of every text with its index, shortest first.
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
            // The lock is fair and released after every batch, so calls take turns. It moves into the computation, so
            // that a cancelled call cannot let a second computation start beside it.
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

/// Embeds one word. This checks that all parts work together, and measures the number of dimensions.
fn probe(reader: &Reader, network: &mut Network) -> Result<usize, ModelError> {
    let word = reader.read("probe", EmbedPurpose::Query)?;
    let vectors = network.run(&[word])?;
    let first = vectors.first().ok_or_else(|| ModelError::unreadable("no vector came out"))?;
    Ok(first.dimensions())
}

/// Runs the computation on a blocking thread, because it takes milliseconds.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ModelError> + Send + 'static,
) -> Result<T, ModelError> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| {
        Err(ModelError::retry_later(format!("the local model stopped while computing: {error}"), None))
    })
}

/// A short digest of everything that vectors depend on. Stored vectors are compared by it.
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
