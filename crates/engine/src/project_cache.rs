//! Facts about projects: settings, embedding spaces, pinned memories. Cached for a few seconds.

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

use moka::future::Cache;
use reflect_store::{ProjectFacts, Store, StoreError};
use reflect_types::{ProjectId, ProjectSettings, Ranking};
use serde_json::Value;

const TIME_TO_LIVE: Duration = Duration::from_secs(3);
const MOST_ENTRIES: u64 = 10_000;
/// How many different invalid settings one process logs.
const MOST_WARNINGS: usize = 100;

/// Read-through cache of project facts.
#[derive(Debug, Clone)]
pub(crate) struct ProjectCache {
    store: Store,
    /// Projects that have an embedding space.
    facts: Cache<ProjectId, Arc<ProjectFacts>>,
    /// All projects, for readers that need the settings only.
    settings: Cache<ProjectId, Arc<ProjectFacts>>,
}

impl ProjectCache {
    pub(crate) fn new(store: Store) -> Self {
        Self {
            store,
            facts: Cache::builder().max_capacity(MOST_ENTRIES).time_to_live(TIME_TO_LIVE).build(),
            settings: Cache::builder().max_capacity(MOST_ENTRIES).time_to_live(TIME_TO_LIVE).build(),
        }
    }

    /// The facts of a project, at most a few seconds old.
    pub(crate) async fn facts(&self, project: ProjectId) -> Result<Arc<ProjectFacts>, StoreError> {
        if let Some(facts) = self.facts.get(&project).await {
            return Ok(facts);
        }
        let facts = Arc::new(self.store.catalogue().project_facts(project).await?);
        self.settings.insert(project, facts.clone()).await;
        // A project gets its space with its first memory, and the next query must see it.
        if facts.read_space.is_some() {
            self.facts.insert(project, facts.clone()).await;
        }
        Ok(facts)
    }

    /// Facts whose settings are current. The embedding space may be missing although the project has one by now.
    pub(crate) async fn settings_facts(&self, project: ProjectId) -> Result<Arc<ProjectFacts>, StoreError> {
        match self.settings.get(&project).await {
            Some(facts) => Ok(facts),
            None => self.facts(project).await,
        }
    }

    /// How the memories of a project are ranked.
    pub(crate) async fn ranking(&self, project: ProjectId) -> Result<Ranking, StoreError> {
        let facts = self.settings_facts(project).await?;
        Ok(settings(&facts.settings).ranking)
    }

    /// Forgets the embedding spaces and pinned memories of a project after they changed.
    pub(crate) async fn invalidate(&self, project: ProjectId) {
        self.facts.invalidate(&project).await;
    }

    /// Forgets the settings of a project too.
    pub(crate) async fn invalidate_settings(&self, project: ProjectId) {
        self.invalidate(project).await;
        self.settings.invalidate(&project).await;
    }
}

/// The stored settings. A field that cannot be read gets its default and is logged once.
pub(crate) fn settings(stored: &Value) -> ProjectSettings {
    static LOGGED: LazyLock<Mutex<BTreeSet<String>>> = LazyLock::new(Mutex::default);
    let (settings, invalid) = ProjectSettings::read(stored);
    for problem in invalid {
        let message = problem.to_string();
        let mut logged = LOGGED.lock().unwrap_or_else(PoisonError::into_inner);
        if logged.len() < MOST_WARNINGS && logged.insert(message.clone()) {
            tracing::warn!(field = problem.field, "{message}");
        }
    }
    settings
}
