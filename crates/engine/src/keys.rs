//! API keys. A key cannot grant more than it has, and the keys that it creates do not outlive it.

use std::time::{Duration, SystemTime};

use reflect_store::{
    AuditActor, Claim, KeyRow, NewInstallation, NewKey, ProjectCtx, RequestOrigin, Store, StoreError,
};
use reflect_types::{Defence, Environment, KeyId, ProjectSlug, Scope, Trust};
use secrecy::{ExposeSecret, SecretString};

use crate::address_ranges;
use crate::auth_cache::AuthCache;
use crate::caller::{KeyLimits, Visitor};
use crate::credentials::{same_secret, seconds};
use crate::error::EngineError;
use crate::key_lifetime::{KeyExpiry, KeyLifetime};
use crate::key_text::KeyText;

const LONGEST_LABEL: usize = 200;
const LONGEST_OVERLAP: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// A key to create.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRequest {
    /// Its label.
    pub label: String,
    /// Its scopes.
    pub scopes: Vec<Scope>,
    /// Its environment.
    pub environment: Environment,
    /// Its trust level.
    pub trust: Trust,
    /// When it expires.
    pub expiry: KeyExpiry,
    /// The address ranges from which it works. Empty: those of the key that creates it.
    pub address_ranges: Vec<String>,
}

/// How a key is rotated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyRotation {
    /// How long the old key keeps working.
    pub overlap: Duration,
    /// When the new key expires. The default is not earlier than the expiry of the old key.
    pub expiry: KeyExpiry,
}

impl Default for KeyRotation {
    fn default() -> Self {
        Self { overlap: Duration::from_secs(24 * 60 * 60), expiry: KeyExpiry::Default }
    }
}

impl KeyRequest {
    /// A key with all scopes.
    pub fn master(label: String) -> Self {
        Self {
            label,
            scopes: Scope::ALL.to_vec(),
            environment: Environment::Live,
            trust: Trust::Normal,
            expiry: KeyExpiry::Default,
            address_ranges: Vec::new(),
        }
    }

    /// A key like another one.
    fn same_as(old: &KeyRow, expiry: KeyExpiry) -> Self {
        Self {
            label: old.label.clone(),
            scopes: old.scopes.clone(),
            environment: old.environment,
            trust: old.trust,
            expiry,
            address_ranges: old.address_ranges.clone(),
        }
    }
}

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
        // The new key takes the place of the old one, unless another key creates it.
        let mut limits = caller;
        if limits.key.is_none_or(|caller| caller == old.key_id) {
            limits.key = old.parent;
        }
        if let Some(parent) = limits.key.filter(|parent| Some(*parent) == old.parent) {
            let parent = owner.keys().get(parent, true).await?;
            // A key of an earlier version may have outlived its parent.
            limits.key = limits.key.filter(|_| parent.revoked_at.is_none() && !parent.expired);
            limits.expires_at = limits.expires_at.or(parent.expires_at.filter(|_| limits.key.is_some()));
        }
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

/// The limits that hold for the keys that a caller creates.
fn limits_of(visitor: &Visitor) -> KeyLimits {
    if Defence::ChildKeys.is_on() { visitor.limits.clone() } else { KeyLimits::default() }
}

fn new_key(
    request: KeyRequest,
    lifetime: KeyLifetime,
    creator: &KeyLimits,
) -> Result<(KeyText, NewKey), EngineError> {
    let label = request.label.trim();
    if label.is_empty() || label.chars().count() > LONGEST_LABEL || label.contains(char::is_control) {
        return Err(EngineError::invalid("label", "must have 1 to 200 characters and no control characters"));
    }
    if request.scopes.is_empty() {
        return Err(EngineError::invalid("scopes", format!("must name at least {}", Scope::EXPECTED)));
    }
    let mut scopes = request.scopes;
    scopes.sort_unstable();
    scopes.dedup();
    let ranges = address_ranges::parse(&request.address_ranges)?;
    if !address_ranges::lie_within(&ranges, &creator.address_ranges) {
        let message = "the address ranges of a key must lie within those of the key that creates it";
        return Err(EngineError::Forbidden(message.to_owned()));
    }
    let address_ranges = match ranges.is_empty() {
        true => creator.address_ranges.clone(),
        false => ranges.iter().map(ToString::to_string).collect(),
    };
    let text = KeyText::generate(request.environment);
    let key = NewKey {
        key_id: KeyId::generate(),
        public_id: text.public_id().to_owned(),
        digest: text.digest(),
        label: label.to_owned(),
        scopes,
        environment: request.environment,
        trust: request.trust,
        expires_at: lifetime.expiry(request.expiry, creator.expires_at, SystemTime::now().into())?,
        parent: creator.key,
        address_ranges,
    };
    Ok((text, key))
}

/// Whether the caller may create such a key.
fn may_grant(visitor: &Visitor, request: &KeyRequest) -> Result<(), EngineError> {
    if let Some(scope) = request.scopes.iter().find(|scope| !visitor.scopes.contains(scope)) {
        return Err(EngineError::Forbidden(format!("this key lacks the scope {scope} and cannot grant it")));
    }
    // A master key may do everything in every project, unless it is untrusted itself.
    let is_limited = !visitor.is_master || visitor.trust == Trust::Untrusted;
    if request.trust.code() > visitor.trust.code() && is_limited {
        return Err(EngineError::Forbidden(
            "a key cannot be trusted more than the key that creates it".into(),
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use reflect_types::ProjectId;

    fn visitor(scopes: &[Scope], is_master: bool) -> Visitor {
        Visitor {
            project: ProjectId::new(1),
            slug: "p".parse().unwrap(),
            key_id: KeyId::generate(),
            name: "key:abcdefgh".into(),
            scopes: scopes.to_vec(),
            is_master,
            trust: Trust::Normal,
            limits: KeyLimits::default(),
        }
    }

    fn asking_for(scopes: &[Scope], trust: Trust) -> KeyRequest {
        KeyRequest { scopes: scopes.to_vec(), trust, ..KeyRequest::master("label".into()) }
    }

    #[test]
    fn nobody_hands_out_more_than_they_have() {
        let manager = visitor(&[Scope::KeyManage, Scope::TraceWrite], false);
        assert!(may_grant(&manager, &asking_for(&[Scope::TraceWrite], Trust::Normal)).is_ok());
        assert!(may_grant(&manager, &asking_for(&[Scope::TraceRead], Trust::Normal)).is_err());
        assert!(may_grant(&manager, &asking_for(&[Scope::TraceWrite], Trust::Trusted)).is_err());
        let master = visitor(Scope::ALL, true);
        assert!(may_grant(&master, &asking_for(Scope::ALL, Trust::Trusted)).is_ok());
    }

    #[test]
    fn a_key_needs_a_label_and_a_scope() {
        let new = |request| new_key(request, KeyLifetime::default(), &KeyLimits::default());
        assert!(new(KeyRequest::master("  ".into())).is_err());
        assert!(new(KeyRequest { scopes: vec![], ..KeyRequest::master("x".into()) }).is_err());
    }

    #[test]
    fn a_child_has_the_ranges_of_its_creator_or_narrower_ones() {
        let creator = KeyLimits { address_ranges: vec!["10.0.0.0/8".into()], ..KeyLimits::default() };
        let ranges = |asked: &[&str]| {
            let address_ranges = asked.iter().map(|range| (*range).to_owned()).collect();
            let request = KeyRequest { address_ranges, ..KeyRequest::master("x".into()) };
            new_key(request, KeyLifetime::default(), &creator).map(|(_, key)| key.address_ranges)
        };
        assert_eq!(ranges(&[]).unwrap(), ["10.0.0.0/8"]);
        assert_eq!(ranges(&["10.1.0.0/16"]).unwrap(), ["10.1.0.0/16"]);
        assert!(matches!(ranges(&["192.0.2.0/24"]), Err(EngineError::Forbidden(_))));
    }

    #[test]
    fn an_untrusted_master_key_creates_untrusted_keys_only() {
        let master = Visitor { trust: Trust::Untrusted, ..visitor(Scope::ALL, true) };
        assert!(may_grant(&master, &asking_for(Scope::ALL, Trust::Normal)).is_err());
        assert!(may_grant(&master, &asking_for(Scope::ALL, Trust::Untrusted)).is_ok());
    }
}
