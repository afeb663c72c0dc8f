//! The ports to models. Nothing here depends on where a model runs.
//!
//! There are two ports: a [`TextModel`] answers a conversation, an [`Embedder`] turns texts into vectors.
//! Implementations are chosen at run time, so both traits are dyn-compatible. Every error has a [`Remedy`], because the
//! caller that retries or stops does not know the provider's protocol.

mod embed;
mod error;
pub mod json;
#[cfg(any(test, feature = "scripted"))]
pub mod scripted;
mod structured;
mod text;

pub use embed::{EmbedPurpose, Embedder, EmbedderIdentity, Embedding};
pub use error::{ModelError, Remedy};
pub use structured::{DEFAULT_REPAIRS, Reading, Structured, StructuredError, TextModelExt};
pub use text::{ChatAnswer, ChatMessage, ChatRequest, ChatRole, OutputSchema, TextModel, Usage};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
