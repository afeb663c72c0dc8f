//! An [`Embedder`](reflect_model::Embedder) that runs in this process: no server, no network, no key.
//!
//! A model is a folder with three files. ONNX Runtime is a library that is loaded from a path at run time. The caller
//! gives both paths; nothing is downloaded or read from the environment. Newer builds of ONNX Runtime, such as 1.31,
//! send telemetry unless the process was started with `ORT_DISABLE_TELEMETRY=1`.
//!
//! | File | What it is |
//! |---|---|
//! | `model.onnx` | takes `input_ids`, `attention_mask` and perhaps `token_type_ids`, gives one vector per text |
//! | `tokenizer.json` | the tokenizer, in the format of the `tokenizers` library |
//! | `model.json` | `name`, `max_tokens`; for models that want to be told what a text is for, also `query_prefix` and `document_prefix` |
//!
//! ```no_run
//! use reflect_model::{EmbedPurpose, Embedder};
//! use reflect_model_local::{LocalEmbedder, LocalModel};
//!
//! # #[tokio::main] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let model = LocalModel::new("/models/minilm", "/usr/lib/libonnxruntime.so");
//! let embedder = LocalEmbedder::load(&model)?;
//!
//! let texts = ["the build is slow".to_owned(), "compiling takes too long".to_owned()];
//! let vectors = embedder.embed(&texts, EmbedPurpose::Document).await?;
//! assert!(vectors[0].similarity(&vectors[1]) > 0.5);
//! # Ok(()) }
//! ```

mod batches;
mod description;
mod embedder;
mod error;
mod network;
mod runtime;
mod tokens;

pub use embedder::{LocalEmbedder, LocalModel};
pub use error::LoadError;
