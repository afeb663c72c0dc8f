//! What a new key should be, and what its creator may give it. Pure rules.

use std::time::{Duration, SystemTime};

use reflect_store::{KeyRow, NewKey};
use reflect_types::{Defence, Environment, KeyId, Scope, Trust};

use crate::address_ranges;
use crate::caller::{KeyLimits, Visitor};
use crate::error::EngineError;
use crate::key_lifetime::{KeyExpiry, KeyLifetime};
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
    pub(crate) fn same_as(old: &KeyRow, expiry: KeyExpiry) -> Self {
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

/// The limits that hold for the keys that a caller creates.
pub(crate) fn limits_of(visitor: &Visitor) -> KeyLimits {
    if Defence::ChildKeys.is_on() { visitor.limits.clone() } else { KeyLimits::default() }
}

pub(crate) fn new_key(
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
pub(crate) fn may_grant(visitor: &Visitor, request: &KeyRequest) -> Result<(), EngineError> {
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
