//! What Reflect decides. Doors call one method here for anything that changes something; plain
//! reads go to the store directly.
//!
//! Knows nothing of HTTP, SQL or the environment. Rules are pure functions; the methods of
//! [`Engine`] fetch what the rules need and hand their outcome to the store.

mod authenticate;
mod bootstrap;
mod care;
pub mod credit;
mod diagnose;
mod erase;
mod error;
pub mod health;
mod judge;
mod key_text;
mod learn;
mod list;
mod manage_keys;
mod manage_members;
mod manage_project;
mod models;
pub mod moving;
pub mod rank;
mod redact;
mod retrieve;
mod review;
pub mod review_queue;
mod role;
mod sign_in;
mod skill;
mod space_change;
pub mod steps;
mod submit;
mod tell;
mod upkeep;
pub mod uplift;
mod vote;
mod wait;
mod work;

pub use reflect_model::{ModelError, Remedy};
use reflect_store::Store;
use secrecy::SecretString;

pub use authenticate::{AuthError, KeyHolder, Visitor};
pub use bootstrap::FirstKey;
pub use care::{Bulk, BulkOutcome, LessonEdit, ManualLesson, Merge, Verb};
pub use diagnose::{Diagnosis, EmbedderDiagnosis};
pub use erase::ErasureRequest;
pub use error::{EngineError, chain};
pub use judge::{
    Agreement, GivenRun, JudgeChange, JudgeSettings, JudgeState, JudgeStatus, JudgeTry, Opinion, TriedRun,
};
pub use key_text::{KeyText, MalformedKey};
pub use learn::{AuthoredLesson, LearningSettings};
pub use list::TraceLine;
pub use manage_keys::{KeyRequest, NewlyMadeKey};
pub use manage_members::{MadeLink, MemberRequest};
pub use manage_project::{ProjectSettings, SettingsChange};
pub use models::Models;
pub use retrieve::{Augmented, Question, Recalled, RecalledMemory};
pub use review::{BulkReviewed, BulkRuns, BulkVerdict, Verdict, VerdictOnTrace};
pub use role::scopes_of;
pub use sign_in::{MemberHolder, SESSION_LASTS, SignedIn};
pub use skill::SkillRequest;
pub use space_change::{
    ChangedQuestion, Comparison, ComparisonRequest, EmbeddingChange, KnownSpace, Served as ServedBySpace,
};
pub use submit::{BatchOutcome, InlineReview, MAX_BATCH, Run, Submitted};
pub use tell::{News, Topic};

/// What the engine needs to know besides the data.
#[derive(Debug, Clone, Default)]
pub struct EngineSettings {
    /// Lets whoever knows it make the first key, once.
    pub bootstrap_token: Option<SecretString>,
    /// How lessons are made.
    pub learning: LearningSettings,
}

/// The decisions of Reflect over one store. Cheap to clone; all clones are one engine.
#[derive(Debug, Clone)]
pub struct Engine {
    store: Store,
    settings: EngineSettings,
    known: authenticate::Known,
    models: std::sync::Arc<models::ModelState>,
    settled: wait::Settled,
    news: std::sync::Arc<tell::Desk>,
}

impl Engine {
    /// An engine over this store and these models.
    pub fn new(store: Store, models: Models, settings: EngineSettings) -> Self {
        let models = std::sync::Arc::new(models::ModelState::new(models));
        Self {
            store,
            settings,
            known: authenticate::Known::new(),
            models,
            settled: wait::Settled::new(),
            news: std::sync::Arc::default(),
        }
    }

    /// For plain reads, which have nothing to decide.
    pub const fn store(&self) -> &Store {
        &self.store
    }
}
