//! API keys. A key cannot grant more than it has.

use std::time::SystemTime;

use chrono::{DateTime, Utc};
use reflect_store::{AuditActor, Claim, KeyRow, NewInstallation, NewKey, Store};
use reflect_types::{Environment, KeyId, ProjectSlug, Scope, Trust};
use secrecy::{ExposeSecret, SecretString};

use crate::auth_cache::AuthCache;
use crate::caller::Visitor;
use crate::credentials::same_secret;
use crate::error::EngineError;
use crate::key_text::KeyText;

const LONGEST_LABEL: usize = 200;

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
    pub expires_at: Option<DateTime<Utc>>,
}

impl KeyRequest {
    /// A key with all scopes.
    pub fn master(label: String) -> Self {
        Self {
            label,
            scopes: Scope::ALL.to_vec(),
            environment: Environment::Live,
            trust: Trust::Normal,
            expires_at: None,
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

/// Creates and revokes API keys.
#[derive(Debug, Clone)]
pub struct Keys {
    store: Store,
    cache: AuthCache,
    bootstrap_token: Option<SecretString>,
}

impl Keys {
    pub(crate) const fn new(store: Store, cache: AuthCache, bootstrap_token: Option<SecretString>) -> Self {
        Self { store, cache, bootstrap_token }
    }

    /// Creates the first project and a master key. Works once.
    pub async fn bootstrap(
        &self,
        token: &str,
        first: FirstKey,
        request_id: Option<String>,
    ) -> Result<KeyText, EngineError> {
        let expected = self.bootstrap_token.as_ref().ok_or(EngineError::WrongBootstrapToken)?;
        if !same_secret(expected.expose_secret(), token) {
            return Err(EngineError::WrongBootstrapToken);
        }
        let request = KeyRequest { environment: first.environment, ..KeyRequest::master(first.label) };
        let (text, key) = new_key(request)?;
        let actor = AuditActor { name: format!("user:{}", first.user_id), request_id };
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
        let (text, key) = new_key(request)?;
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
        let (text, key) = new_key(request)?;
        let owner = match project {
            Some(slug) => self.store.project(self.store.catalogue().ensure_project(slug, actor).await?),
            None => self.store.installation(),
        };
        let row = owner.keys().create(&key, actor, None).await?;
        Ok(NewlyMadeKey { text, row })
    }

    /// Revokes a key of the caller's project; a master key only if the caller holds one.
    pub async fn revoke(
        &self,
        visitor: &Visitor,
        key: KeyId,
        actor: &AuditActor,
        claim: Option<&Claim>,
    ) -> Result<KeyRow, EngineError> {
        let project = self.store.project(visitor.project);
        let row = project.keys().revoke(key, visitor.is_master, actor, claim).await?;
        self.cache.invalidate_key(&row.public_id).await;
        Ok(row)
    }
}

fn new_key(request: KeyRequest) -> Result<(KeyText, NewKey), EngineError> {
    let label = request.label.trim();
    if label.is_empty() || label.chars().count() > LONGEST_LABEL || label.contains(char::is_control) {
        return Err(EngineError::invalid("label", "must have 1 to 200 characters and no control characters"));
    }
    if request.expires_at.is_some_and(|at| at <= DateTime::<Utc>::from(SystemTime::now())) {
        return Err(EngineError::invalid("expires_at", "must lie in the future"));
    }
    if request.scopes.is_empty() {
        return Err(EngineError::invalid("scopes", format!("must name at least {}", Scope::EXPECTED)));
    }
    let mut scopes = request.scopes;
    scopes.sort_unstable();
    scopes.dedup();
    let text = KeyText::generate(request.environment);
    let key = NewKey {
        key_id: KeyId::generate(),
        public_id: text.public_id().to_owned(),
        digest: text.digest(),
        label: label.to_owned(),
        scopes,
        environment: request.environment,
        trust: request.trust,
        expires_at: request.expires_at,
    };
    Ok((text, key))
}

/// Whether the caller may create such a key.
fn may_grant(visitor: &Visitor, request: &KeyRequest) -> Result<(), EngineError> {
    if let Some(scope) = request.scopes.iter().find(|scope| !visitor.scopes.contains(scope)) {
        return Err(EngineError::Forbidden(format!("this key lacks the scope {scope} and cannot grant it")));
    }
    if request.trust.code() > visitor.trust.code() && !visitor.is_master {
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
        assert!(new_key(KeyRequest::master("  ".into())).is_err());
        assert!(new_key(KeyRequest { scopes: vec![], ..KeyRequest::master("x".into()) }).is_err());
    }
}
