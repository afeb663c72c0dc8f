//! Cached look-ups of keys, sessions and project names.
//!
//! Entries live for three seconds. A busy key costs one query in that time, and a key that another process revokes
//! stops working within five seconds.

use std::sync::Arc;
use std::time::Duration;

use moka::future::Cache;
use reflect_store::{DisabledMember, FoundKey, FoundSession, Store, StoreError};
use reflect_types::{KeyId, ProjectId, ProjectSlug};
use tokio::sync::Semaphore;
use uuid::Uuid;

use crate::credentials::{SESSION_IDLE, seconds};
use crate::error::chain;

const TIME_TO_LIVE: Duration = Duration::from_secs(3);
const MOST_ENTRIES: u64 = 10_000;
/// Keys and sessions that are looked up at the same time. They have connections of their own; invented ones must not fill
/// the queue for these.
const MOST_LOOKUPS: usize = 4;
/// The time of last use has a resolution of one minute.
const USE_NOTED_FOR: Duration = Duration::from_secs(60);
/// How long a request waits until its use of a key or session is noted.
const NOTING_TIME: Duration = Duration::from_millis(500);

/// Read-through cache. Unknown keys and sessions are cached too, so many requests with a wrong key cause few queries.
#[derive(Debug, Clone)]
pub(crate) struct AuthCache {
    store: Store,
    keys: Cache<String, Option<Arc<FoundKey>>>,
    sessions: Cache<[u8; 32], Option<Arc<FoundSession>>>,
    projects: Cache<ProjectSlug, ProjectId>,
    lookups: Arc<Semaphore>,
    /// Keys and sessions whose use was noted in the last minute.
    used: Cache<Uuid, ()>,
}

impl AuthCache {
    pub(crate) fn new(store: Store) -> Self {
        Self {
            store,
            keys: Cache::builder().max_capacity(MOST_ENTRIES).time_to_live(TIME_TO_LIVE).build(),
            sessions: Cache::builder().max_capacity(MOST_ENTRIES).time_to_live(TIME_TO_LIVE).build(),
            projects: Cache::builder().max_capacity(MOST_ENTRIES).time_to_live(TIME_TO_LIVE).build(),
            lookups: Arc::new(Semaphore::new(MOST_LOOKUPS)),
            used: Cache::builder().max_capacity(MOST_ENTRIES).time_to_live(USE_NOTED_FOR).build(),
        }
    }

    pub(crate) async fn key(&self, public_id: &str) -> Result<Option<Arc<FoundKey>>, StoreError> {
        if let Some(found) = self.keys.get(public_id).await {
            return Ok(found);
        }
        let _lookup = self.lookups.acquire().await;
        // Another request may have looked it up in the meantime.
        if let Some(found) = self.keys.get(public_id).await {
            return Ok(found);
        }
        let found = self.store.catalogue().find_key(public_id).await?.map(Arc::new);
        self.keys.insert(public_id.to_owned(), found.clone()).await;
        Ok(found)
    }

    /// Notes that a key was used, at most once a minute.
    pub(crate) async fn note_use(&self, key: KeyId) {
        let catalogue = self.store.catalogue();
        self.note_once(key.as_uuid(), catalogue.note_key_use(key)).await;
    }

    /// A use that cannot be noted is no reason to refuse a request: keys also work while the database is read-only.
    async fn note_once(&self, used: Uuid, noting: impl Future<Output = Result<(), StoreError>>) {
        if self.used.contains_key(&used) {
            return;
        }
        self.used.insert(used, ()).await;
        match tokio::time::timeout(NOTING_TIME, noting).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::debug!(error = chain(&error), "the use of a key was not noted"),
            Err(_) => tracing::debug!("the use of a key was not noted in time"),
        }
    }

    pub(crate) async fn session(&self, digest: [u8; 32]) -> Result<Option<Arc<FoundSession>>, StoreError> {
        if let Some(found) = self.sessions.get(&digest).await {
            return Ok(found);
        }
        let _lookup = self.lookups.acquire().await;
        if let Some(found) = self.sessions.get(&digest).await {
            return Ok(found);
        }
        let found = self.store.sessions().find(&digest, seconds(SESSION_IDLE)).await?.map(Arc::new);
        if let Some(session) = found.as_ref().filter(|session| session.live && session.unnoted) {
            let sessions = self.store.sessions();
            self.note_once(session.session_id.as_uuid(), sessions.note_use(session.session_id)).await;
        }
        self.sessions.insert(digest, found.clone()).await;
        Ok(found)
    }

    /// The id of a project that exists. A missing project is not cached, because it may be created at any time.
    pub(crate) async fn project(&self, slug: &ProjectSlug) -> Result<Option<ProjectId>, StoreError> {
        if let Some(project) = self.projects.get(slug).await {
            return Ok(Some(project));
        }
        let found = self.store.catalogue().find_project(slug).await?;
        if let Some(project) = found {
            self.projects.insert(slug.clone(), project).await;
        }
        Ok(found)
    }

    pub(crate) async fn invalidate_key(&self, public_id: &str) {
        self.keys.invalidate(public_id).await;
    }

    pub(crate) async fn invalidate_session(&self, digest: &[u8]) {
        if let Ok(digest) = <[u8; 32]>::try_from(digest) {
            self.sessions.invalidate(&digest).await;
        }
    }

    /// Forgets the sessions and keys that ended with a disabled member.
    pub(crate) async fn invalidate_member(&self, ended: &DisabledMember) {
        for digest in &ended.sessions {
            self.invalidate_session(digest).await;
        }
        for public_id in &ended.keys {
            self.invalidate_key(public_id).await;
        }
    }

    /// Forgets all sessions, after the roles of a member changed.
    pub(crate) fn invalidate_sessions(&self) {
        self.sessions.invalidate_all();
    }

    pub(crate) async fn invalidate_project(&self, slug: &ProjectSlug) {
        self.projects.invalidate(slug).await;
        self.keys.invalidate_all();
    }
}
