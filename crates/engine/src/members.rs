//! Members: add, list, disable, change roles. The holder of a link signs in as its member, so a link is shown only once.

use std::time::Duration;

use chrono::{DateTime, Utc};
use reflect_store::{AuditActor, MemberRow, NewMember, Store, StoreError};
use reflect_types::{MemberAccess, MemberId, MemberName, MemberRole, ProjectId, ProjectSlug, Trust};

use crate::auth_cache::AuthCache;
use crate::caller::{MemberHolder, Visitor};
use crate::credentials::{digest, new_secret, seconds};
use crate::error::EngineError;
use crate::role::scopes_of;

/// Long enough for a message that is read the next morning.
const LINK_LASTS: Duration = Duration::from_secs(24 * 60 * 60);
const MOST_PROJECTS: usize = 1000;

/// A member to add.
#[derive(Debug, Clone)]
pub struct MemberRequest {
    /// The name.
    pub name: MemberName,
    /// The role.
    pub role: MemberRole,
    /// The projects in which the member has the role; `None` for all.
    pub projects: Option<Vec<ProjectSlug>>,
}

/// A link that was just created. Its secret is not stored, so this is the only time it is known.
pub struct MadeLink {
    /// The secret, to be shown once.
    pub secret: String,
    /// When the link expires.
    pub expires_at: DateTime<Utc>,
}

/// Leaves out the secret.
impl std::fmt::Debug for MadeLink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "MadeLink(until {})", self.expires_at)
    }
}

/// Manages members and their sign-in links.
#[derive(Debug, Clone)]
pub struct Members {
    store: Store,
    cache: AuthCache,
}

impl Members {
    pub(crate) const fn new(store: Store, cache: AuthCache) -> Self {
        Self { store, cache }
    }

    /// Adds a member and creates their sign-in link.
    pub async fn add(
        &self,
        holder: &MemberHolder,
        request: MemberRequest,
        actor: &AuditActor,
    ) -> Result<(MemberRow, MadeLink), EngineError> {
        holder.check_manages_members()?;
        let access = match request.projects {
            None => MemberAccess::everywhere(request.role),
            Some(slugs) => MemberAccess {
                everywhere: None,
                projects: self.project_ids(&slugs).await?.into_iter().map(|id| (id, request.role)).collect(),
            },
        };
        let secret = new_secret();
        let new = NewMember { name: request.name, access };
        let (row, expires_at) =
            self.store.members().create(&new, &digest(&secret), seconds(LINK_LASTS), actor).await?;
        Ok((row, MadeLink { secret, expires_at }))
    }

    async fn project_ids(&self, slugs: &[ProjectSlug]) -> Result<Vec<ProjectId>, EngineError> {
        if slugs.len() > MOST_PROJECTS {
            return Err(EngineError::invalid("projects", "must not have more than 1000 entries"));
        }
        let known = self.store.catalogue().project_rows(None).await?;
        let id = |slug: &ProjectSlug| {
            let found = known.iter().find(|row| row.slug == slug.as_str()).map(|row| row.project_id);
            found.ok_or_else(|| {
                EngineError::invalid("projects", format!("has \"{slug}\", which does not exist"))
            })
        };
        slugs.iter().map(id).collect()
    }

    /// Creates another link for a member.
    pub async fn create_link(
        &self,
        holder: &MemberHolder,
        member: MemberId,
        actor: &AuditActor,
    ) -> Result<MadeLink, EngineError> {
        holder.check_manages_members()?;
        let secret = new_secret();
        let expires_at =
            self.store.members().create_link(member, &digest(&secret), seconds(LINK_LASTS), actor).await?;
        Ok(MadeLink { secret, expires_at })
    }

    /// Creates a link for the operator, who needs no role. The member is found by name or created.
    pub async fn create_link_as_operator(
        &self,
        name: &MemberName,
        role: Option<MemberRole>,
        actor: &AuditActor,
    ) -> Result<(MemberRow, MadeLink), EngineError> {
        let secret = new_secret();
        let (row, expires_at) =
            self.store.members().readmit(name, role, &digest(&secret), seconds(LINK_LASTS), actor).await?;
        Ok((row, MadeLink { secret, expires_at }))
    }

    /// A link to create the first member of an installation; `None` if there is a member.
    pub async fn create_setup_link(&self, actor: &AuditActor) -> Result<Option<MadeLink>, EngineError> {
        if self.store.members().any().await? {
            return Ok(None);
        }
        let secret = new_secret();
        let expires_at =
            self.store.members().create_setup_link(&digest(&secret), seconds(LINK_LASTS), actor).await?;
        Ok(Some(MadeLink { secret, expires_at }))
    }

    /// All members.
    pub async fn list(&self, holder: &MemberHolder) -> Result<Vec<MemberRow>, EngineError> {
        holder.check_manages_members()?;
        Ok(self.store.members().list().await?)
    }

    /// The members with a role in the caller's project.
    pub async fn list_of(&self, visitor: &Visitor) -> Result<Vec<MemberRow>, EngineError> {
        Ok(self.store.members().list_of(visitor.project).await?)
    }

    /// Sets or removes the role of a member in every project. Roles in single projects stay.
    pub async fn set_role(
        &self,
        holder: &MemberHolder,
        member: MemberId,
        role: Option<MemberRole>,
        actor: &AuditActor,
    ) -> Result<MemberRow, EngineError> {
        holder.check_manages_members()?;
        if member == holder.member().member_id && role != Some(MemberRole::Admin) {
            return Err(EngineError::invalid("member_id", "must not be your own: ask another admin"));
        }
        let known = self.store.members().list().await?;
        let known = known.into_iter().find(|known| known.member_id == member);
        let known = known.ok_or(StoreError::NotFound { what: "member" })?;
        self.set_access(member, MemberAccess { everywhere: role, ..known.access }, actor).await
    }

    /// Sets or removes the role of a member, by id or name, in the caller's project. A caller cannot give a role that
    /// has more scopes than the caller.
    pub async fn set_project_role(
        &self,
        visitor: &Visitor,
        member: &str,
        role: Option<MemberRole>,
        actor: &AuditActor,
    ) -> Result<MemberRow, EngineError> {
        if visitor.trust == Trust::Untrusted {
            return Err(EngineError::Forbidden("an untrusted key cannot change roles".to_owned()));
        }
        let granted = role.map(scopes_of).unwrap_or_default();
        if let Some(scope) = granted.iter().find(|scope| !visitor.scopes.contains(scope)) {
            let message = format!("the role has the scope {scope}, which the caller lacks and cannot grant");
            return Err(EngineError::Forbidden(message));
        }
        let member = self.store.members().named(member).await?;
        let row = self.store.members().set_project_role(member, visitor.project, role, actor).await?;
        self.cache.invalidate_sessions();
        Ok(row)
    }

    /// Sets all roles of a member, for the operator and for sign-in providers that map groups to roles.
    pub async fn set_access(
        &self,
        member: MemberId,
        access: MemberAccess,
        actor: &AuditActor,
    ) -> Result<MemberRow, EngineError> {
        let row = self.store.members().set_access(member, &access, actor).await?;
        self.cache.invalidate_sessions();
        Ok(row)
    }

    /// Disables a member, which ends their sessions and revokes the keys that they created, or enables them again.
    pub async fn set_disabled(
        &self,
        holder: &MemberHolder,
        member: MemberId,
        disabled: bool,
        actor: &AuditActor,
    ) -> Result<MemberRow, EngineError> {
        holder.check_manages_members()?;
        if disabled && member == holder.member().member_id {
            return Err(EngineError::invalid("member_id", "must not be your own: ask another admin"));
        }
        let ended = self.store.members().set_disabled(member, disabled, actor).await?;
        self.cache.invalidate_member(&ended).await;
        Ok(ended.member)
    }
}
