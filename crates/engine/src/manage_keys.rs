//! Making and ending keys. Nobody hands out more than they have.

use std::time::SystemTime;

use chrono::{DateTime, Utc};
use reflect_store::{Actor, Claim, KeyRow, NewKey};
use reflect_types::{Environment, KeyId, Scope, Trust};

use crate::authenticate::Visitor;
use crate::key_text::KeyText;
use crate::{Engine, EngineError};

const LONGEST_LABEL: usize = 200;

/// What a new key is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRequest {
    /// What it is for.
    pub label: String,
    /// What it may do.
    pub scopes: Vec<Scope>,
    /// Where it is meant to be used.
    pub environment: Environment,
    /// How far its word is trusted.
    pub trust: Trust,
    /// When it stops working by itself.
    pub expires_at: Option<DateTime<Utc>>,
}

impl KeyRequest {
    /// A key that may do everything.
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

/// A key that was just made: the only moment at which its text is known.
#[derive(Debug)]
pub struct NewlyMadeKey {
    /// To be handed over once.
    pub text: KeyText,
    /// What is kept of it.
    pub row: KeyRow,
}

impl Engine {
    /// Makes a key of the visitor's project.
    pub async fn create_key(
        &self,
        visitor: &Visitor,
        request: KeyRequest,
        actor: &Actor,
        claim: Option<&Claim>,
    ) -> Result<NewlyMadeKey, EngineError> {
        may_grant(visitor, &request)?;
        let (text, key) = new_key(request)?;
        let row = self.store.project(visitor.project).create_key(&key, actor, claim).await?;
        Ok(NewlyMadeKey { text, row })
    }

    /// Makes a key for the operator, who stands outside all keys.
    pub async fn create_key_as_operator(
        &self,
        project: Option<&reflect_types::ProjectSlug>,
        request: KeyRequest,
        actor: &Actor,
    ) -> Result<NewlyMadeKey, EngineError> {
        let (text, key) = new_key(request)?;
        let owner = match project {
            Some(slug) => self.store.project(self.store.ensure_project(slug, actor).await?),
            None => self.store.installation(),
        };
        let row = owner.create_key(&key, actor, None).await?;
        Ok(NewlyMadeKey { text, row })
    }

    /// Ends a key of the visitor's project; a master key too when the visitor holds one.
    pub async fn revoke_key(
        &self,
        visitor: &Visitor,
        key: KeyId,
        actor: &Actor,
        claim: Option<&Claim>,
    ) -> Result<KeyRow, EngineError> {
        let project = self.store.project(visitor.project);
        let row = project.revoke_key(key, visitor.is_master, actor, claim).await?;
        self.known.forget_key(&row.public_id).await;
        Ok(row)
    }
}

pub(crate) fn new_key(request: KeyRequest) -> Result<(KeyText, NewKey), EngineError> {
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

/// Pure: whether this visitor may hand out such a key.
fn may_grant(visitor: &Visitor, request: &KeyRequest) -> Result<(), EngineError> {
    if let Some(scope) = request.scopes.iter().find(|scope| !visitor.scopes.contains(scope)) {
        return Err(EngineError::Forbidden(format!(
            "this key lacks the scope {scope} and cannot hand it out"
        )));
    }
    if request.trust.code() > visitor.trust.code() && !visitor.is_master {
        return Err(EngineError::Forbidden("a key cannot be trusted more than the key that makes it".into()));
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
