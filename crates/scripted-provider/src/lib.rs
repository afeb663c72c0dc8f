//! A model server on the loopback address that implements the OpenAI protocol and follows a script.
//!
//! It uses real HTTP, so tests use their real client with its timeouts and its connection pool. It produces faults that
//! no real provider produces on demand: it hangs, sends slowly, truncates responses, and sends vectors with another
//! dimension. It is only for tests and benchmarks and contains no model: responses are filled in from the schema of the
//! request, and vectors are hashed words.
//!
//! ```
//! use reflect_scripted_provider::{ChatBehaviour, Lane, Script, ScriptedProvider};
//!
//! # tokio::runtime::Runtime::new().unwrap().block_on(async {
//! let busy_once = Lane::first([ChatBehaviour::status(429)]);
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
pub use script::{ChatBehaviour, EmbedBehaviour, Lane, Mix, MixPart, Rule, Script};
pub use server::ScriptedProvider;
pub use vectors::bag_of_words;
