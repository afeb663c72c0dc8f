//! Sign-in with an identity provider: which roles the claims of a person give.

use std::collections::BTreeMap;
use std::str::FromStr;

use reflect_types::{Defence, MemberRole, ProjectSlug};

/// The role that a group gives: in every project, or in one.
///
/// ```
/// use reflect_rules::sign_in::GroupRole;
///
/// assert!("admin".parse::<GroupRole>().unwrap().project.is_none());
/// assert_eq!("reviewer@support".parse::<GroupRole>().unwrap().project.unwrap().as_str(), "support");
/// assert!("owner".parse::<GroupRole>().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupRole {
    /// The role.
    pub role: MemberRole,
    /// The only project that it applies to.
    pub project: Option<ProjectSlug>,
}

impl FromStr for GroupRole {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (role, project) = match text.split_once('@') {
            Some((role, project)) => (role, Some(project)),
            None => (text, None),
        };
        let role = role.trim().parse::<MemberRole>().map_err(|error| format!("{text:?}: {error}"))?;
        let project = project.map(|slug| slug.trim().parse::<ProjectSlug>()).transpose();
        Ok(Self { role, project: project.map_err(|error| format!("{text:?}: {error}"))? })
    }
}

/// Who may sign in with a provider, and with which roles.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SignInPolicy {
    /// The domains of verified e-mail addresses, in lower case. Empty: the address does not matter.
    pub allowed_domains: Vec<String>,
    /// Claims that must have these values.
    pub required_claims: BTreeMap<String, String>,
    /// The roles of groups.
    pub groups: BTreeMap<String, GroupRole>,
    /// The role of a person without a mapped group.
    pub default_role: Option<GroupRole>,
}

/// What a provider says about a person, after its signature was checked.
#[derive(Debug, Clone, Copy)]
pub struct IdentityClaims<'a> {
    /// The e-mail address, if the provider says that it is verified.
    pub verified_email: Option<&'a str>,
    /// The groups.
    pub groups: &'a [String],
    /// The claims that are texts.
    pub texts: &'a BTreeMap<String, String>,
}

/// The roles that a person gets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GrantedRoles {
    /// The role in every project.
    pub everywhere: Option<MemberRole>,
    /// The roles in single projects.
    pub projects: BTreeMap<ProjectSlug, MemberRole>,
}

/// Why a person may not sign in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SignInRefusal {
    /// The domain matters, and there is no verified e-mail address.
    UnverifiedEmail,
    /// The domain of the e-mail address is not allowed.
    ForeignDomain(String),
    /// A required claim is missing or has another value.
    MissingClaim(String),
    /// No group of the person gives a role.
    NoGroup,
}

/// The roles that a policy gives to a person. Of two roles in the same project, the higher one counts.
pub fn granted_roles(
    policy: &SignInPolicy,
    claims: &IdentityClaims<'_>,
) -> Result<GrantedRoles, SignInRefusal> {
    check_domain(policy, claims)?;
    for (name, value) in &policy.required_claims {
        if claims.texts.get(name) != Some(value) {
            return Err(SignInRefusal::MissingClaim(name.clone()));
        }
    }
    let mut granted = GrantedRoles::default();
    for group in claims.groups.iter().filter_map(|name| policy.groups.get(name)) {
        granted.add(group);
    }
    if granted == GrantedRoles::default() {
        granted.add(policy.default_role.as_ref().ok_or(SignInRefusal::NoGroup)?);
    }
    Ok(granted)
}

fn check_domain(policy: &SignInPolicy, claims: &IdentityClaims<'_>) -> Result<(), SignInRefusal> {
    if policy.allowed_domains.is_empty() || !Defence::SignInDomain.is_on() {
        return Ok(());
    }
    let (_, domain) = claims
        .verified_email
        .and_then(|email| email.rsplit_once('@'))
        .ok_or(SignInRefusal::UnverifiedEmail)?;
    let domain = domain.to_ascii_lowercase();
    if policy.allowed_domains.contains(&domain) { Ok(()) } else { Err(SignInRefusal::ForeignDomain(domain)) }
}

impl GrantedRoles {
    fn add(&mut self, group: &GroupRole) {
        let higher = |known: Option<MemberRole>| {
            known.into_iter().chain([group.role]).min_by_key(|role| role.code()).unwrap_or(group.role)
        };
        match &group.project {
            None => self.everywhere = Some(higher(self.everywhere)),
            Some(project) => {
                let role = higher(self.projects.get(project).copied());
                self.projects.insert(project.clone(), role);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy() -> SignInPolicy {
        let group = |name: &str, role: &str| (name.to_owned(), role.parse().unwrap());
        SignInPolicy {
            allowed_domains: vec!["example.com".to_owned()],
            groups: BTreeMap::from([
                group("admins", "admin"),
                group("staff", "viewer"),
                group("support", "reviewer@support"),
                group("leads", "admin@support"),
            ]),
            ..SignInPolicy::default()
        }
    }

    fn decide(
        policy: &SignInPolicy,
        email: Option<&str>,
        groups: &[&str],
    ) -> Result<GrantedRoles, SignInRefusal> {
        let groups: Vec<String> = groups.iter().map(|&name| name.to_owned()).collect();
        let texts = BTreeMap::from([("hd".to_owned(), "example.com".to_owned())]);
        granted_roles(policy, &IdentityClaims { verified_email: email, groups: &groups, texts: &texts })
    }

    #[test]
    fn groups_give_roles_and_the_higher_role_counts() {
        let granted = |groups: &[&str]| decide(&policy(), Some("ana@Example.com"), groups).unwrap();

        assert_eq!(granted(&["staff", "admins", "other"]).everywhere, Some(MemberRole::Admin));
        let support = granted(&["leads", "support"]);
        assert_eq!(support.everywhere, None);
        assert_eq!(support.projects.values().collect::<Vec<_>>(), [&MemberRole::Admin]);
    }

    #[test]
    fn a_person_without_a_mapped_group_is_refused_unless_there_is_a_default() {
        let email = Some("ana@example.com");
        assert_eq!(decide(&policy(), email, &["other"]), Err(SignInRefusal::NoGroup));

        let lenient = SignInPolicy { default_role: Some("viewer".parse().unwrap()), ..policy() };
        assert_eq!(decide(&lenient, email, &[]).unwrap().everywhere, Some(MemberRole::Viewer));
        assert_eq!(decide(&lenient, email, &["support"]).unwrap().everywhere, None);
    }

    #[test]
    fn only_verified_addresses_of_allowed_domains_sign_in() {
        assert_eq!(decide(&policy(), None, &["admins"]), Err(SignInRefusal::UnverifiedEmail));
        for email in ["eve@evil.example", "eve@example.com.evil.example", "eve@sub.example.com"] {
            let refusal = decide(&policy(), Some(email), &["admins"]).unwrap_err();
            assert!(matches!(refusal, SignInRefusal::ForeignDomain(_)), "{email}");
        }
        let odd = decide(&policy(), Some("\"a@example.com\"@evil.example"), &["admins"]);
        assert_eq!(odd, Err(SignInRefusal::ForeignDomain("evil.example".to_owned())));
        let anywhere = SignInPolicy { allowed_domains: Vec::new(), ..policy() };
        assert!(decide(&anywhere, None, &["admins"]).is_ok());
    }

    #[test]
    fn a_required_claim_must_have_its_value() {
        let required = |value: &str| SignInPolicy {
            required_claims: BTreeMap::from([("hd".to_owned(), value.to_owned())]),
            ..policy()
        };
        assert!(decide(&required("example.com"), Some("ana@example.com"), &["staff"]).is_ok());
        let refused = decide(&required("other.example"), Some("ana@example.com"), &["staff"]);
        assert_eq!(refused, Err(SignInRefusal::MissingClaim("hd".to_owned())));
    }
}
