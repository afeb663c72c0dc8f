//! API keys. A key cannot grant more than it has, and the keys that it creates do not outlive it.

use std::time::{Duration, SystemTime};

use reflect_store::{
    AuditActor, Claim, KeyRow, NewInstallation, ProjectCtx, RequestOrigin, Store, StoreError,
};
use reflect_types::{Environment, KeyId, ProjectSlug};
use secrecy::{ExposeSecret, SecretString};

use crate::auth_cache::AuthCache;
use crate::caller::{KeyLimits, Visitor};
use crate::credentials::{same_secret, seconds};
use crate::error::EngineError;
use crate::key_lifetime::{KeyExpiry, KeyLifetime};
use crate::key_request::{KeyRequest, KeyRotation, limits_of, may_grant, new_key};
use crate::key_text::KeyText;

const LONGEST_OVERLAP: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// A key that was just created. Its text is not stored, so this is the only time it is known.
#[derive(Debug)]
pub struct NewlyMadeKey {
    /// The text, to be shown once.
    pub text: KeyText,
    /// The stored key.
    pub row: KeyRow,
}

/// The first key of an installation.
#[derive(Debug, Clone)]
pub struct FirstKey {
    /// The user who installs.
    pub user_id: String,
    /// The first project.
    pub project: ProjectSlug,
    /// The label of the key.
    pub label: String,
    /// The environment of the key.
    pub environment: Environment,
}

/// Creates, rotates and revokes API keys.
#[derive(Debug, Clone)]
pub struct Keys {
    store: Store,
    cache: AuthCache,
    bootstrap_token: Option<SecretString>,
    lifetime: KeyLifetime,
}

impl Keys {
    pub(crate) const fn new(
        store: Store,
        cache: AuthCache,
        bootstrap_token: Option<SecretString>,
        lifetime: KeyLifetime,
    ) -> Self {
        Self { store, cache, bootstrap_token, lifetime }
    }

    /// Creates the first project and a master key with the longest lifetime. Works once.
    pub async fn bootstrap(
        &self,
        token: &str,
        first: FirstKey,
        origin: RequestOrigin,
    ) -> Result<KeyText, EngineError> {
        let expected = self.bootstrap_token.as_ref().ok_or(EngineError::WrongBootstrapToken)?;
        if !same_secret(expected.expose_secret(), token) {
            return Err(EngineError::WrongBootstrapToken);
        }
        let request = KeyRequest {
            environment: first.environment,
            expiry: KeyExpiry::Days(self.lifetime.max_days),
            ..KeyRequest::master(first.label)
        };
        let (text, key) = new_key(request, self.lifetime, &KeyLimits::default())?;
        let actor = AuditActor { name: format!("user:{}", first.user_id), origin };
        self.store.catalogue().bootstrap(&NewInstallation { project: first.project, key }, &actor).await?;
        Ok(text)
    }

    /// Creates a key for the caller's project.
    pub async fn create(
        &self,
        visitor: &Visitor,
        request: KeyRequest,
        actor: &AuditActor,
        claim: Option<&Claim>,
    ) -> Result<NewlyMadeKey, EngineError> {
        may_grant(visitor, &request)?;
        let (text, key) = new_key(request, self.lifetime, &limits_of(visitor))?;
        let row = self.store.project(visitor.project).keys().create(&key, actor, claim).await?;
        Ok(NewlyMadeKey { text, row })
    }

    /// Creates a key for the operator, who needs no key.
    pub async fn create_as_operator(
        &self,
        project: Option<&ProjectSlug>,
        request: KeyRequest,
        actor: &AuditActor,
    ) -> Result<NewlyMadeKey, EngineError> {
        let (text, key) = new_key(request, self.lifetime, &KeyLimits::default())?;
        let owner = match project {
            Some(slug) => self.store.project(self.store.catalogue().ensure_project(slug, actor).await?),
            None => self.store.installation(),
        };
        let row = owner.keys().create(&key, actor, None).await?;
        Ok(NewlyMadeKey { text, row })
    }

    /// Replaces a key of the caller's project, or a master key if the caller holds one. The old key keeps working for
    /// the time of the overlap.
    pub async fn rotate(
        &self,
        visitor: &Visitor,
        key: KeyId,
        rotation: KeyRotation,
        actor: &AuditActor,
        claim: Option<&Claim>,
    ) -> Result<NewlyMadeKey, EngineError> {
        let old = self.store.project(visitor.project).keys().get(key, visitor.is_master).await?;
        may_grant(visitor, &KeyRequest::same_as(&old, rotation.expiry))?;
        self.replace(&old, rotation, limits_of(visitor), actor, claim).await
    }

    /// Replaces a key for the operator, who needs no key.
    pub async fn rotate_as_operator(
        &self,
        public_id: &str,
        rotation: KeyRotation,
        actor: &AuditActor,
    ) -> Result<NewlyMadeKey, EngineError> {
        let (owner, key) = self.owner(public_id).await?;
        let old = owner.keys().get(key, true).await?;
        self.replace(&old, rotation, KeyLimits::default(), actor, None).await
    }

    async fn replace(
        &self,
        old: &KeyRow,
        rotation: KeyRotation,
        caller: KeyLimits,
        actor: &AuditActor,
        claim: Option<&Claim>,
    ) -> Result<NewlyMadeKey, EngineError> {
        if rotation.overlap > LONGEST_OVERLAP {
            return Err(EngineError::invalid("overlap_hours", "must be at most 720"));
        }
        let owner = match old.project {
            Some(project) => self.store.project(project),
            None => self.store.installation(),
        };
        let limits = self.limits_of_successor(&owner, old, caller).await?;
        let request = KeyRequest::same_as(old, rotation.expiry);
        let (text, mut new) = new_key(request, self.lifetime, &limits)?;
        if rotation.expiry == KeyExpiry::Default
            && let Some(at) = new.expires_at
        {
            // Keys that were created with the old one must not outlive the new one.
            let kept = old.expires_at.map(KeyExpiry::At);
            let kept = kept.map(|at| self.lifetime.expiry(at, limits.expires_at, SystemTime::now().into()));
            new.expires_at = kept.and_then(Result::ok).flatten().max(Some(at));
        }
        let row = owner.keys().rotate(old.key_id, &new, seconds(rotation.overlap), actor, claim).await?;
        self.cache.invalidate_key(&old.public_id).await;
        Ok(NewlyMadeKey { text, row })
    }

    /// A key that a key creates depends on it, also if it rotates itself: revoking a stolen key must also revoke its
    /// successor. For people and the operator, the new key takes the place of the old one.
    async fn limits_of_successor(
        &self,
        owner: &ProjectCtx,
        old: &KeyRow,
        caller: KeyLimits,
    ) -> Result<KeyLimits, EngineError> {
        if let Some(key) = caller.key {
            if owner.keys().depends_on(key, old.key_id).await? {
                let message = "a key cannot rotate the key that it was created with; use another key";
                return Err(EngineError::Forbidden(message.to_owned()));
            }
            return Ok(caller);
        }
        let Some(parent) = old.parent else { return Ok(caller) };
        let parent = owner.keys().get(parent, true).await?;
        // A key of an earlier version may have outlived its parent.
        if parent.revoked_at.is_some() || parent.expired {
            return Ok(caller);
        }
        Ok(KeyLimits { key: old.parent, expires_at: parent.expires_at, ..caller })
    }

    /// Revokes a key of the caller's project and the keys that were created with it; a master key only if the caller
    /// holds one.
    pub async fn revoke(
        &self,
        visitor: &Visitor,
        key: KeyId,
        actor: &AuditActor,
        claim: Option<&Claim>,
    ) -> Result<KeyRow, EngineError> {
        let project = self.store.project(visitor.project);
        let (row, below) = project.keys().revoke(key, visitor.is_master, actor, claim).await?;
        for public_id in below.iter().chain([&row.public_id]) {
            self.cache.invalidate_key(public_id).await;
        }
        Ok(row)
    }

    /// Revokes a key and the keys that were created with it, for the operator. Returns the public ids.
    pub async fn revoke_as_operator(
        &self,
        public_id: &str,
        actor: &AuditActor,
    ) -> Result<Vec<String>, EngineError> {
        let (owner, key) = self.owner(public_id).await?;
        let (row, below) = owner.keys().revoke(key, true, actor, None).await?;
        Ok([row.public_id].into_iter().chain(below).collect())
    }

    /// Revokes all keys of a creator, such as `member:Ana`, and the keys that were created with these. Returns the
    /// public ids.
    pub async fn revoke_created_by(
        &self,
        creator: &str,
        actor: &AuditActor,
    ) -> Result<Vec<String>, EngineError> {
        let revoked = self.store.catalogue().revoke_keys_of(creator, actor).await?;
        for public_id in &revoked {
            self.cache.invalidate_key(public_id).await;
        }
        Ok(revoked)
    }

    /// The project of a key, or the installation for a master key.
    async fn owner(&self, public_id: &str) -> Result<(ProjectCtx, KeyId), EngineError> {
        let found = self.store.catalogue().find_key(public_id).await?;
        let found = found.ok_or(StoreError::NotFound { what: "key" })?;
        let owner = match found.project {
            Some((project, _)) => self.store.project(project),
            None => self.store.installation(),
        };
        Ok((owner, found.key_id))
    }
}
