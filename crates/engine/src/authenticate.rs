//! Who is asking, and for which project.
//!
//! What was found is remembered for three seconds, so that a busy key costs one look-up in that
//! time and a key revoked through any other process stops working within five.

use std::sync::Arc;
use std::time::Duration;

use moka::future::Cache;
use reflect_store::{Actor, FoundKey, FoundSession, ProjectFacts, StoreError};
use reflect_types::{KeyId, ProjectId, ProjectSlug, Scope, Trust};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::Engine;
use crate::key_text::KeyText;

const REMEMBERED: Duration = Duration::from_secs(3);
const MOST_REMEMBERED: u64 = 10_000;

/// Keys and projects that were looked up a moment ago; also those that do not exist, so that a
/// flood of wrong keys does not become a flood of look-ups.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    keys: Cache<String, Option<Arc<FoundKey>>>,
    pub(crate) projects: Cache<ProjectSlug, ProjectId>,
    pub(crate) sessions: Cache<[u8; 32], Option<Arc<FoundSession>>>,
    pub(crate) facts: Cache<ProjectId, Arc<ProjectFacts>>,
    /// The same also of projects that have no space yet, for whoever asks about settings only.
    pub(crate) settings: Cache<ProjectId, Arc<ProjectFacts>>,
}

impl Known {
    pub(crate) fn new() -> Self {
        Self {
            keys: Cache::builder().max_capacity(MOST_REMEMBERED).time_to_live(REMEMBERED).build(),
            sessions: Cache::builder().max_capacity(MOST_REMEMBERED).time_to_live(REMEMBERED).build(),
            projects: Cache::builder().max_capacity(MOST_REMEMBERED).time_to_live(REMEMBERED).build(),
            facts: Cache::builder().max_capacity(MOST_REMEMBERED).time_to_live(REMEMBERED).build(),
            settings: Cache::builder().max_capacity(MOST_REMEMBERED).time_to_live(REMEMBERED).build(),
        }
    }

    pub(crate) async fn forget_key(&self, public_id: &str) {
        self.keys.invalidate(public_id).await;
    }

    pub(crate) async fn forget_project(&self, slug: &ProjectSlug) {
        self.projects.invalidate(slug).await;
        self.keys.invalidate_all();
    }
}

/// Why somebody is not let in.
#[derive(Debug, thiserror::Error)]
pub enum AuthError {
    /// No such key, or not this secret. Which of them is not said.
    #[error("the API key is not known")]
    Unknown,
    /// The key is right, but was ended.
    #[error("the API key has been revoked")]
    Revoked,
    /// The key is right, but too old.
    #[error("the API key has expired")]
    Expired,
    /// The key belongs to another project, or the project does not exist. Which is not said.
    #[error("no such project")]
    NoSuchProject,
    /// The key may not do this.
    #[error("the API key lacks the scope {0}")]
    MissingScope(Scope),
    /// The member may not do this.
    #[error("your role lacks the scope {0}")]
    RoleLacks(Scope),
    /// No session, or one that was never begun here.
    #[error("sign in first")]
    NotSignedIn,
    /// The session was there and has ended.
    #[error("the session has ended; sign in again")]
    SessionEnded,
    /// The store did not answer.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A key whose text was proved.
#[derive(Debug, Clone)]
pub struct KeyHolder(Arc<FoundKey>);

/// A key holder, or a member, inside one project.
#[derive(Debug, Clone)]
pub struct Visitor {
    /// The project.
    pub project: ProjectId,
    /// Its name.
    pub slug: ProjectSlug,
    /// The key; for a member their own id, which stands wherever a key's would.
    pub key_id: KeyId,
    /// How reviews and the audit log name them: `key:` and what may be shown of the key, or `member:` and a
    /// name.
    pub name: String,
    /// What they may do.
    pub scopes: Vec<Scope>,
    /// Whether they may do everything in every project.
    pub is_master: bool,
    /// How far their word is trusted.
    pub trust: Trust,
}

impl Visitor {
    /// Whether they may do this.
    pub fn may(&self, scope: Scope) -> Result<(), AuthError> {
        if self.scopes.contains(&scope) { Ok(()) } else { Err(AuthError::MissingScope(scope)) }
    }

    /// How the audit log names this visitor.
    pub fn actor(&self, request_id: Option<String>) -> Actor {
        Actor { name: self.name.clone(), request_id }
    }
}

impl KeyHolder {
    /// Whether the key may do this.
    pub fn may(&self, scope: Scope) -> Result<(), AuthError> {
        if self.is_master() || self.0.scopes.contains(&scope) {
            Ok(())
        } else {
            Err(AuthError::MissingScope(scope))
        }
    }

    /// The project it belongs to; none for a master key.
    pub fn project(&self) -> Option<&ProjectSlug> {
        self.0.project.as_ref().map(|(_, slug)| slug)
    }

    fn is_master(&self) -> bool {
        self.0.project.is_none()
    }

    fn name(&self) -> String {
        format!("key:{}", self.0.public_id)
    }

    fn visitor(&self, project: ProjectId, slug: ProjectSlug) -> Visitor {
        Visitor {
            project,
            slug,
            key_id: self.0.key_id,
            name: self.name(),
            scopes: if self.is_master() { Scope::ALL.to_vec() } else { self.0.scopes.clone() },
            is_master: self.is_master(),
            trust: self.0.trust,
        }
    }
}

impl Engine {
    /// Finds out whose key this is.
    pub async fn authenticate(&self, bearer: &str) -> Result<KeyHolder, AuthError> {
        let text = KeyText::parse(bearer).map_err(|_| AuthError::Unknown)?;
        let found = match self.known.keys.get(text.public_id()).await {
            Some(found) => found,
            None => {
                let found = self.store.find_key(text.public_id()).await?.map(Arc::new);
                self.known.keys.insert(text.public_id().to_owned(), found.clone()).await;
                found
            }
        };
        let found = found.ok_or(AuthError::Unknown)?;
        if !bool::from(text.digest().as_slice().ct_eq(&found.digest)) {
            return Err(AuthError::Unknown);
        }
        match (found.revoked, found.expired) {
            (true, _) => Err(AuthError::Revoked),
            (_, true) => Err(AuthError::Expired),
            _ => Ok(KeyHolder(found)),
        }
    }

    /// Leads a key holder into a project. A master key makes an unknown project by naming it, unless
    /// it came to delete it.
    pub async fn enter(
        &self,
        holder: &KeyHolder,
        slug: &ProjectSlug,
        may_make: bool,
        request_id: Option<&str>,
    ) -> Result<Visitor, AuthError> {
        if let Some((project, own_slug)) = &holder.0.project {
            if own_slug != slug {
                return Err(AuthError::NoSuchProject);
            }
            return Ok(holder.visitor(*project, own_slug.clone()));
        }
        let project = match self.known.projects.get(slug).await {
            Some(project) => project,
            None => {
                let project = match self.store.find_project(slug).await? {
                    Some(project) => project,
                    None if !may_make => return Err(AuthError::NoSuchProject),
                    None => {
                        let request_id = request_id.map(str::to_owned);
                        let actor = Actor { name: holder.name(), request_id };
                        self.store.ensure_project(slug, &actor).await?
                    }
                };
                self.known.projects.insert(slug.clone(), project).await;
                project
            }
        };
        Ok(holder.visitor(project, slug.clone()))
    }
}

/// Compares two secrets in a time that tells nothing about either.
pub(crate) fn same_secret(left: &str, right: &str) -> bool {
    Sha256::digest(left).ct_eq(&Sha256::digest(right)).into()
}
