//! A server for tests and benchmarks that implements the OpenAI protocol without a model. A script decides how it
//! responds to each call.
//!
//! It listens on the loopback address and speaks HTTP, so the code under test uses its normal client, with timeouts and
//! a connection pool. A script can produce faults that a real provider does not produce on demand: no response, a slow
//! response, a truncated response, or vectors with a wrong dimension. Without faults, a chat response has a value for
//! each field of the schema in the request, and an embedding is a vector of hashed words.
//!
//! ```
//! use reflect_scripted_provider::{ChatBehaviour, EndpointScript, Script, ScriptedProvider};
//!
//! # tokio::runtime::Runtime::new().unwrap().block_on(async {
//! // The first chat call gets status 429, all later ones a usable response.
//! let busy_once = EndpointScript::first([ChatBehaviour::status(429)]);
//! let provider = ScriptedProvider::start(Script { chat: busy_once, ..Script::default() }).await.unwrap();
//! assert!(provider.url().starts_with("http://127.0.0.1:"));
//! assert!(provider.calls().is_empty());
//! # });
//! ```

mod calls;
mod chat;
mod choose;
mod deliver;
mod embeddings;
mod fill;
mod script;
mod server;
mod vectors;

pub use calls::{Call, CallKind, Counts};
pub use script::{ChatBehaviour, EmbedBehaviour, EndpointScript, Mix, MixPart, Rule, Script};
pub use server::ScriptedProvider;
pub use vectors::bag_of_words;
