//! Clients for models over HTTP. [`ProviderKind`] lists the providers.
//!
//! `genai` implements the wire formats. This crate sets the address and the timeout of a request and classifies failures
//! for the caller ([`reflect_model::Remedy`]). It reads no environment variables, neither for keys nor for proxies. It
//! follows no redirects, so a prompt is sent only to the configured address, or through the configured proxy.
//!
//! ```
//! use reflect_model::TextModel;
//! use reflect_model_providers::{ProviderKind, ProviderSettings, ProviderText};
//!
//! let mut settings = ProviderSettings::new(ProviderKind::OpenAi, "qwen3-4b");
//! settings.base_url = Some("http://127.0.0.1:8080/v1".to_owned());
//! // Nothing is sent before the first call.
//! let model = ProviderText::connect(&settings).unwrap();
//! assert_eq!(model.name(), "openai/qwen3-4b");
//! ```

mod connection;
mod embedder;
mod failure;
mod http;
mod kind;
mod offered;
mod prompt;
mod refusals;
mod retry_after;
mod settings;
mod text;

pub use embedder::ProviderEmbedder;
pub use kind::ProviderKind;
pub use offered::offered_models;
pub use settings::{ProviderSettings, SettingsError};
pub use text::ProviderText;
