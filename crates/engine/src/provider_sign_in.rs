//! Sign-in with identity providers, in addition to links.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use reflect_oidc::{OidcClient, PendingSignIn, ProviderAnswer, VerifiedIdentity};
use reflect_rules::sign_in::{GrantedRoles, IdentityClaims, SignInPolicy, SignInRefusal, granted_roles};
use reflect_store::{AuditActor, IdentityKey, IdentitySignIn, MemberRow, RequestOrigin, Store, StoreError};
use reflect_types::{MemberAccess, MemberName, ProjectId};

use crate::auth_cache::AuthCache;
use crate::caller::MemberHolder;
use crate::sign_in_error::{SignInError, reason};
use crate::started_session::{StartedSession, new_session};

/// An identity provider, and who may sign in with it.
#[derive(Debug, Clone)]
pub struct SignInProvider {
    /// The name on the button.
    pub label: String,
    /// The client of the provider.
    pub client: OidcClient,
    /// Who may sign in, and with which roles.
    pub policy: SignInPolicy,
    /// How long a session lasts. After that the provider is asked again.
    pub session_lasts: Duration,
}

/// A sign-in that was just started.
pub struct StartedSignIn {
    /// Where to send the browser.
    pub url: String,
    /// The secret, for the browser to keep.
    pub secret: String,
}

/// Leaves out the secret.
impl std::fmt::Debug for StartedSignIn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "StartedSignIn({})", self.url.split('?').next().unwrap_or_default())
    }
}

/// Where a member can also sign out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderSignOut {
    /// The name of the provider.
    pub label: String,
    /// Its address.
    pub url: String,
}

/// The browser that signs in.
#[derive(Debug, Clone, Copy, Default)]
pub struct SigningInBrowser<'a> {
    /// The secret of the started sign-in.
    pub secret: Option<&'a str>,
    /// The secret of the earlier session, which ends.
    pub earlier: Option<&'a str>,
    /// The user agent.
    pub user_agent: Option<&'a str>,
}

/// Signs members in with identity providers.
#[derive(Debug, Clone)]
pub struct ProviderSignIn {
    store: Store,
    cache: AuthCache,
    providers: Arc<[SignInProvider]>,
}

impl ProviderSignIn {
    pub(crate) fn new(store: Store, cache: AuthCache, providers: Vec<SignInProvider>) -> Self {
        Self { store, cache, providers: providers.into() }
    }

    /// The providers, in the order of the configuration.
    pub fn providers(&self) -> &[SignInProvider] {
        &self.providers
    }

    fn provider(&self, name: &str) -> Result<&SignInProvider, SignInError> {
        let found = self.providers.iter().find(|provider| provider.client.name() == name);
        found.ok_or(SignInError::UnknownProvider)
    }

    /// Starts a sign-in.
    pub async fn start(&self, name: &str) -> Result<StartedSignIn, SignInError> {
        let provider = self.provider(name)?;
        let pending = PendingSignIn::start(name);
        let url = provider.client.authorize_url(&pending).await;
        let url =
            url.map_err(|error| SignInError::of_provider(provider.client.name(), &provider.label, &error))?;
        Ok(StartedSignIn { url, secret: pending.secret().to_owned() })
    }

    /// Finishes a sign-in with the provider's answer. A person who gets no role any more loses their access.
    pub async fn finish(
        &self,
        name: &str,
        browser: SigningInBrowser<'_>,
        answer: &ProviderAnswer,
        origin: RequestOrigin,
    ) -> Result<StartedSession, SignInError> {
        let provider = self.provider(name)?;
        let pending = browser.secret.and_then(|secret| PendingSignIn::resume(name, secret));
        let pending = pending.ok_or(SignInError::NotStarted)?;
        let identity = provider.client.identity(&pending, answer).await;
        let identity = identity
            .map_err(|error| SignInError::of_provider(provider.client.name(), &provider.label, &error))?;
        let actor = AuditActor { name: format!("provider:{name}"), origin };
        let access = match self.access(provider, &identity).await? {
            Ok(access) => access,
            Err(refusal) => return Err(self.refuse(provider, &identity, refusal, &actor).await?),
        };
        let (session, mut new) = new_session(browser.earlier, browser.user_agent, provider.session_lasts);
        new.provider = Some(name.to_owned());
        new.id_token.clone_from(&identity.id_token);
        let names = member_names(&identity, name);
        let signed_in =
            self.store.identities().sign_in(key(&identity), &access, &names, &new, &actor).await?;
        if let Some(earlier) = &new.instead_of {
            self.cache.invalidate_session(earlier).await;
        }
        match signed_in {
            IdentitySignIn::SignedIn(member) => {
                Ok(StartedSession { session, member, lasts: provider.session_lasts })
            }
            IdentitySignIn::Disabled(member) => Err(SignInError::Disabled(member.name)),
            IdentitySignIn::NameTaken => Err(SignInError::NameTaken),
        }
    }

    /// Where the member of a session can also sign out. `None` for a session of a link, or if the provider has no such
    /// page.
    pub async fn sign_out(&self, holder: &MemberHolder) -> Result<Option<ProviderSignOut>, StoreError> {
        let session = holder.session();
        let Some(provider) = session.provider.as_deref().and_then(|name| self.provider(name).ok()) else {
            return Ok(None);
        };
        let id_token = self.store.sessions().id_token(session.session_id).await?;
        let url = provider.client.sign_out_url(id_token.as_deref()).await;
        Ok(url.map(|url| ProviderSignOut { label: provider.label.clone(), url }))
    }

    /// Connects an existing member to an identity. Only the operator does this: an e-mail address proves nothing about a
    /// member who was created by name.
    pub async fn connect(
        &self,
        name: &MemberName,
        issuer: &str,
        subject: &str,
        actor: &AuditActor,
    ) -> Result<MemberRow, StoreError> {
        let member = self.store.members().named(name.as_str()).await?;
        self.store.identities().connect(member, IdentityKey { issuer, subject }, actor).await
    }

    /// Connects an existing member to the identities of `from`, the member that a first sign-in created.
    pub async fn take_over(
        &self,
        name: &MemberName,
        from: &MemberName,
        actor: &AuditActor,
    ) -> Result<MemberRow, StoreError> {
        let member = self.store.members().named(name.as_str()).await?;
        let from = self.store.members().named(from.as_str()).await?;
        self.store.identities().take_over(member, from, actor).await
    }

    /// The roles that the provider's policy gives, in projects that exist.
    async fn access(
        &self,
        provider: &SignInProvider,
        identity: &VerifiedIdentity,
    ) -> Result<Result<MemberAccess, SignInRefusal>, StoreError> {
        let claims = IdentityClaims {
            verified_email: identity.verified_email.as_deref(),
            groups: &identity.groups,
            texts: &identity.texts,
        };
        let granted = match granted_roles(&provider.policy, &claims) {
            Ok(granted) => granted,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let projects = match granted.projects.is_empty() {
            true => Vec::new(),
            false => self.store.catalogue().project_rows(None).await?,
        };
        let projects = projects.into_iter().map(|row| (row.slug, row.project_id)).collect();
        let access = access_of(&granted, &projects);
        match access == MemberAccess::default() {
            true => {
                let name = provider.client.name();
                tracing::warn!("the groups of {name} give a role only in projects that do not exist");
                Ok(Err(SignInRefusal::NoGroup))
            }
            false => Ok(Ok(access)),
        }
    }

    /// Removes the access of a person that the policy refuses.
    async fn refuse(
        &self,
        provider: &SignInProvider,
        identity: &VerifiedIdentity,
        refusal: SignInRefusal,
        actor: &AuditActor,
    ) -> Result<SignInError, StoreError> {
        let reason = reason(&refusal);
        if let Some(disabled) = self.store.identities().remove_roles(key(identity), reason, actor).await? {
            self.cache.invalidate_member(&disabled).await;
        }
        Ok(SignInError::NotAllowed { label: provider.label.clone(), refusal })
    }
}

fn key(identity: &VerifiedIdentity) -> IdentityKey<'_> {
    IdentityKey { issuer: &identity.issuer, subject: &identity.subject }
}

/// The roles in projects that exist.
fn access_of(granted: &GrantedRoles, projects: &BTreeMap<String, ProjectId>) -> MemberAccess {
    let known =
        granted.projects.iter().filter_map(|(slug, role)| Some((*projects.get(slug.as_str())?, *role)));
    MemberAccess { everywhere: granted.everywhere, projects: known.collect() }
}

/// The names for a new member, the best one first. A name is not proof of anything, so a taken one gets an addition.
fn member_names(identity: &VerifiedIdentity, provider: &str) -> Vec<MemberName> {
    let email = identity.verified_email.as_deref();
    let subject: String = identity.subject.chars().take(40).collect();
    let unique = email.map_or_else(|| format!("{provider} {subject}"), str::to_owned);
    let named = identity.name.as_ref();
    let texts =
        named.into_iter().cloned().chain(named.map(|name| format!("{name} ({unique})"))).chain([unique]);
    texts.filter_map(|text| text.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use reflect_types::MemberRole;

    use super::*;

    fn identity(name: Option<&str>, email: Option<&str>) -> VerifiedIdentity {
        VerifiedIdentity {
            issuer: "https://sso.example".to_owned(),
            subject: "1234".to_owned(),
            name: name.map(str::to_owned),
            verified_email: email.map(str::to_owned),
            groups: Vec::new(),
            texts: BTreeMap::new(),
            id_token: None,
        }
    }

    fn names(name: Option<&str>, email: Option<&str>) -> Vec<String> {
        member_names(&identity(name, email), "corp").iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_new_member_gets_the_name_or_the_name_with_the_address() {
        let both = names(Some("Ana Pérez"), Some("ana@example.com"));
        assert_eq!(both, ["Ana Pérez", "Ana Pérez (ana@example.com)", "ana@example.com"]);
        assert_eq!(names(None, None), ["corp 1234"]);
        assert_eq!(names(Some("A\u{200b}na"), None), ["corp 1234"], "an invisible character");
    }

    #[test]
    fn roles_in_projects_that_do_not_exist_give_nothing() {
        let roles = BTreeMap::from([
            ("a".parse().unwrap(), MemberRole::Admin),
            ("b".parse().unwrap(), MemberRole::Viewer),
        ]);
        let granted = GrantedRoles { everywhere: None, projects: roles };

        let known = BTreeMap::from([("b".to_owned(), ProjectId::new(7))]);
        let access = access_of(&granted, &known);
        assert_eq!(access.projects, BTreeMap::from([(ProjectId::new(7), MemberRole::Viewer)]));
        assert_eq!(access_of(&granted, &BTreeMap::new()), MemberAccess::default());
    }
}
