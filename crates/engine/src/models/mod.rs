//! The models that the engine calls, and the state of their providers.

mod breaker;
mod config;
mod embeddings;
mod text_models;

pub(crate) use breaker::Breaker;
pub use config::Models;
pub(crate) use embeddings::{EmbedFailure, Embeddings, SpaceEmbedder, similarity_threshold};
pub(crate) use text_models::TextModels;

/// The error message while the circuit breaker of a text model is open.
pub(crate) const PROVIDER_PAUSED: &str =
    "the model provider does not answer; no calls are sent to it for a while";
