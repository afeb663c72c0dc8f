//! A model server on loopback that speaks the OpenAI protocol and follows a script.
//!
//! It answers over real HTTP, so whatever talks to it is tested with its real client, its timeouts and its
//! connection pool. It gives the faults that no real provider gives on demand: it hangs, trickles, cuts its
//! answers off, sends vectors of another dimension. It is for tests and benchmarks only and thinks nothing:
//! answers are filled in from the schema of the request, vectors are hashed words.
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
pub use script::{ChatBehaviour, EmbedBehaviour, Lane, Mix, Part, Rule, Script};
pub use server::ScriptedProvider;
pub use vectors::bag_of_words;
