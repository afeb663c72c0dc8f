//! The claims of a person: those of the ID token, completed by those of the userinfo endpoint.

use std::collections::BTreeMap;

use openidconnect::AdditionalClaims;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Longer ID tokens are not kept for the sign-out, because they do not fit into a URL.
const LONGEST_HINT: usize = 6000;

/// Claims that the standard does not define.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct OtherClaims {
    #[serde(flatten)]
    pub(crate) all: BTreeMap<String, Value>,
}

impl AdditionalClaims for OtherClaims {}

/// A person whose ID token was checked. The issuer and the subject identify them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifiedIdentity {
    /// The issuer.
    pub issuer: String,
    /// The subject: the person's permanent id at the issuer.
    pub subject: String,
    /// A name to show. Names are not unique and the person may choose it.
    pub name: Option<String>,
    /// The e-mail address, if the provider says that it is verified.
    pub verified_email: Option<String>,
    /// The groups.
    pub groups: Vec<String>,
    /// The other claims that are texts.
    pub texts: BTreeMap<String, String>,
    /// The ID token as it was sent, for the sign-out at the provider.
    pub id_token: Option<String>,
}

/// The parts of a person's claims, from one or two sources.
#[derive(Debug, Default)]
pub(crate) struct CollectedClaims {
    name: Option<String>,
    verified_email: Option<String>,
    other: BTreeMap<String, Value>,
}

impl CollectedClaims {
    /// Adds the claims of a source. Claims of an earlier source are not replaced.
    pub(crate) fn add(&mut self, name: Option<String>, verified_email: Option<String>, other: &OtherClaims) {
        self.name = self.name.take().or(name);
        self.verified_email = self.verified_email.take().or(verified_email);
        for (name, value) in &other.all {
            self.other.entry(name.clone()).or_insert_with(|| value.clone());
        }
    }

    /// Whether the userinfo endpoint may add something.
    pub(crate) fn is_incomplete(&self, groups_claim: &str) -> bool {
        self.name.is_none() || self.verified_email.is_none() || find(&self.other, groups_claim).is_none()
    }

    pub(crate) fn identity(
        self,
        issuer: String,
        subject: String,
        groups_claim: &str,
        id_token: String,
    ) -> VerifiedIdentity {
        let texts = self.other.iter();
        let texts = texts.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())));
        VerifiedIdentity {
            issuer,
            subject,
            name: self.name,
            verified_email: self.verified_email,
            groups: find(&self.other, groups_claim).map(names).unwrap_or_default(),
            texts: texts.collect(),
            id_token: Some(id_token).filter(|token| token.len() <= LONGEST_HINT),
        }
    }
}

/// Adds the claims of an ID token or of the userinfo endpoint. The two types have the same methods, but no common trait.
macro_rules! add_claims {
    ($collected:expr, $claims:expr) => {{
        let claims = $claims;
        let full = claims.name().and_then(|name| name.get(None)).map(|name| name.to_string());
        let user = claims.preferred_username().map(|name| name.to_string());
        let is_verified = claims.email_verified() == Some(true);
        let email = claims.email().filter(|_| is_verified).map(|email| email.to_string());
        $collected.add(full.or(user), email, claims.additional_claims());
    }};
}
pub(crate) use add_claims;

/// A claim by its name, or by a path with dots.
fn find<'a>(claims: &'a BTreeMap<String, Value>, name: &str) -> Option<&'a Value> {
    if let Some(value) = claims.get(name) {
        return Some(value);
    }
    let (first, rest) = name.split_once('.')?;
    rest.split('.').try_fold(claims.get(first)?, |value, part| value.get(part))
}

/// Some providers send one group as a text.
fn names(groups: &Value) -> Vec<String> {
    match groups {
        Value::String(one) => vec![one.clone()],
        Value::Array(many) => many.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn other(claims: Value) -> BTreeMap<String, Value> {
        serde_json::from_value(claims).unwrap()
    }

    #[test]
    fn groups_are_a_list_or_one_text_and_may_be_inside_an_object() {
        let claims = other(json!({
            "groups": ["a", 1, "b"],
            "role": "c",
            "https://x.example/groups": ["d"],
            "realm_access": { "roles": ["e"] },
        }));
        let groups = |name: &str| find(&claims, name).map(names);

        assert_eq!(groups("groups").unwrap(), ["a", "b"]);
        assert_eq!(groups("role").unwrap(), ["c"]);
        assert_eq!(groups("https://x.example/groups").unwrap(), ["d"]);
        assert_eq!(groups("realm_access.roles").unwrap(), ["e"]);
        assert_eq!(groups("none"), None);
    }

    #[test]
    fn a_later_source_completes_but_replaces_nothing() {
        let mut claims = CollectedClaims::default();
        claims.add(Some("Ana".to_owned()), None, &OtherClaims::default());
        assert!(claims.is_incomplete("groups"));
        let more = OtherClaims { all: other(json!({ "groups": ["a"], "hd": "b.example" })) };
        claims.add(Some("Eve".to_owned()), Some("a@b.example".to_owned()), &more);

        assert!(!claims.is_incomplete("groups"));
        let ana = claims.identity("i".into(), "1".into(), "groups", "t".into());
        assert_eq!((ana.name.as_deref(), ana.groups), (Some("Ana"), vec!["a".to_owned()]));
        assert_eq!(ana.verified_email.as_deref(), Some("a@b.example"));
        assert_eq!(ana.texts["hd"], "b.example");
    }
}
