//! What Reflect asks of a model, and nothing about where the model runs.
//!
//! Two ports: a [`TextModel`] answers a conversation, an [`Embedder`] turns texts into vectors. Both are
//! chosen at run time, so both can be made into trait objects. Every failure says what to do about it
//! ([`Remedy`]), because the caller that waits, gives up or asks again is never the one that knows HTTP.

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
