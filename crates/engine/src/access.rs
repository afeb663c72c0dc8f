//! Authentication of API keys and sessions, and entry into a project.

use std::net::IpAddr;
use std::sync::Arc;

use reflect_store::{AuditActor, FoundKey, RequestOrigin, Store};
use reflect_types::{Defence, MemberRole, ProjectId, ProjectSlug};
use subtle::ConstantTimeEq;

use crate::address_ranges;
use crate::auth_cache::AuthCache;
use crate::caller::{AuthError, KeyHolder, MemberHolder, Visitor};
use crate::credentials::{digest, is_secret};
use crate::key_text::KeyText;
use crate::reachable_projects::ReachableProjects;

/// Authenticates callers.
#[derive(Debug, Clone)]
pub struct Access {
    store: Store,
    cache: AuthCache,
}

impl Access {
    pub(crate) const fn new(store: Store, cache: AuthCache) -> Self {
        Self { store, cache }
    }

    /// Authenticates an API key that a client with this address sent.
    pub async fn authenticate(&self, bearer: &str, address: Option<IpAddr>) -> Result<KeyHolder, AuthError> {
        let found = self.verified_key(bearer).await?;
        match (found.revoked, found.expired) {
            (true, _) => Err(AuthError::Revoked),
            (_, true) => Err(AuthError::Expired),
            _ if !address_ranges::allow(&found.address_ranges, address) => {
                Err(AuthError::Address { address })
            }
            _ => Ok(KeyHolder::new(found)),
        }
    }

    /// The key whose secret was presented, also if it does not work any more.
    async fn verified_key(&self, bearer: &str) -> Result<Arc<FoundKey>, AuthError> {
        let text = KeyText::parse(bearer).map_err(|_| AuthError::Unknown)?;
        let found = self.cache.key(text.public_id()).await?.ok_or(AuthError::Unknown)?;
        let is_right = bool::from(text.digest().as_slice().ct_eq(&found.digest));
        if is_right || !Defence::LastUsed.is_on() {
            self.cache.note_use(found.key_id).await;
        }
        if is_right { Ok(found) } else { Err(AuthError::Unknown) }
    }

    /// The holder of a key whose request was denied, by name, and the project whose audit log gets the entry: the key's own,
    /// or for a master key the project of the path. `None` if the secret is wrong.
    pub async fn denied_key(&self, bearer: &str, slug: Option<&ProjectSlug>) -> Option<(ProjectId, String)> {
        let holder = KeyHolder::new(self.verified_key(bearer).await.ok()?);
        let project = match holder.own_project() {
            Some((project, _)) => *project,
            None => self.existing_project(slug).await.unwrap_or(ProjectId::INSTALLATION),
        };
        Some((project, holder.name()))
    }

    /// The same for a session. The entry is in the log of the project of the path if the member may see that project.
    pub async fn denied_member(
        &self,
        secret: &str,
        slug: Option<&ProjectSlug>,
    ) -> Option<(ProjectId, String)> {
        let holder = self.authenticate_session(secret).await.ok()?;
        let project = self.existing_project(slug).await;
        let entered = project.filter(|project| holder.member().access.role_in(*project).is_some());
        Some((entered.unwrap_or(ProjectId::INSTALLATION), holder.name()))
    }

    async fn existing_project(&self, slug: Option<&ProjectSlug>) -> Option<ProjectId> {
        self.cache.project(slug?).await.ok().flatten()
    }

    /// Authenticates a session.
    pub async fn authenticate_session(&self, secret: &str) -> Result<MemberHolder, AuthError> {
        if !is_secret(secret) {
            return Err(AuthError::NotSignedIn);
        }
        match self.cache.session(digest(secret)).await? {
            None => Err(AuthError::NotSignedIn),
            Some(found) if !found.live => Err(AuthError::SessionEnded),
            Some(found) => Ok(MemberHolder::new(found)),
        }
    }

    /// Enters a project with a key. With `may_make`, a master key creates a project that does not exist.
    pub async fn enter(
        &self,
        holder: &KeyHolder,
        slug: &ProjectSlug,
        may_make: bool,
        origin: &RequestOrigin,
    ) -> Result<Visitor, AuthError> {
        if let Some((project, own_slug)) = holder.own_project() {
            if own_slug != slug {
                let own = ReachableProjects::of_key(vec![own_slug.as_str().to_owned()]);
                return Err(AuthError::NoSuchProject(own));
            }
            return Ok(holder.visitor(*project, own_slug.clone()));
        }
        let project = match self.cache.project(slug).await? {
            Some(project) => project,
            None if !may_make => {
                let all = self.project_names(None).await?;
                return Err(AuthError::NoSuchProject(ReachableProjects::of_key(all)));
            }
            None => {
                let actor = AuditActor { name: holder.name(), origin: origin.clone() };
                self.store.catalogue().ensure_project(slug, &actor).await?
            }
        };
        Ok(holder.visitor(project, slug.clone()))
    }

    /// Enters a project as a member whose role there is at least `least`. A project that the member may not see looks
    /// like one that does not exist.
    pub async fn enter_as_member(
        &self,
        holder: &MemberHolder,
        slug: &ProjectSlug,
        least: MemberRole,
    ) -> Result<Visitor, AuthError> {
        let project = self.cache.project(slug).await?;
        let found = project.and_then(|project| Some((project, holder.member().access.role_in(project)?)));
        match found {
            Some((project, role)) if role.includes(least) => {
                return Ok(holder.visitor(project, slug.clone(), role));
            }
            Some((_, role)) => return Err(AuthError::RoleTooLow { role, least }),
            None => {}
        }
        let own = self.project_names(holder.member().access.visible().as_deref()).await?;
        Err(AuthError::NoSuchProject(ReachableProjects::of_member(own)))
    }

    /// The names of these projects, or of all.
    async fn project_names(&self, of: Option<&[ProjectId]>) -> Result<Vec<String>, AuthError> {
        let rows = self.store.catalogue().project_rows(of).await?;
        Ok(rows.into_iter().map(|row| row.slug).collect())
    }
}
