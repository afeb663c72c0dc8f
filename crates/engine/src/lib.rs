//! What Reflect decides. Doors call one method here for anything that changes something; plain
//! reads go to the store directly.
//!
//! Knows nothing of HTTP, SQL or the environment. Rules are pure functions; the methods of
//! [`Engine`] fetch what the rules need and hand their outcome to the store.

mod authenticate;
mod bootstrap;
mod error;
mod key_text;
mod manage_keys;
mod manage_project;
mod submit;
mod upkeep;
mod wait;

use reflect_store::Store;
use secrecy::SecretString;

pub use authenticate::{AuthError, KeyHolder, Visitor};
pub use bootstrap::FirstKey;
pub use error::{EngineError, chain};
pub use key_text::{KeyText, MalformedKey};
pub use manage_keys::{KeyRequest, NewlyMadeKey};
pub use submit::{BatchOutcome, InlineReview, MAX_BATCH, Run};

/// What the engine needs to know besides the data.
#[derive(Debug, Clone, Default)]
pub struct EngineSettings {
    /// Lets whoever knows it make the first key, once.
    pub bootstrap_token: Option<SecretString>,
}

/// The decisions of Reflect over one store.
#[derive(Debug)]
pub struct Engine {
    store: Store,
    settings: EngineSettings,
    known: authenticate::Known,
}

impl Engine {
    /// An engine over this store.
    pub fn new(store: Store, settings: EngineSettings) -> Self {
        Self { store, settings, known: authenticate::Known::new() }
    }

    /// For plain reads, which have nothing to decide.
    pub const fn store(&self) -> &Store {
        &self.store
    }
}
