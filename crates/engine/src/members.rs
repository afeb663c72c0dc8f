//! Members: add, list, disable. The holder of a link signs in as its member, so a link is shown only once.

use std::time::Duration;

use chrono::{DateTime, Utc};
use reflect_store::{AuditActor, MemberRow, NewMember, Store};
use reflect_types::{MemberId, MemberName, MemberRole, ProjectId, ProjectSlug};

use crate::auth_cache::AuthCache;
use crate::caller::MemberHolder;
use crate::credentials::{digest, new_secret, seconds};
use crate::error::EngineError;

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
    /// The projects that the member may see; `None` for all.
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
        let projects = match request.projects {
            None => None,
            Some(slugs) => Some(self.project_ids(&slugs).await?),
        };
        let secret = new_secret();
        let new = NewMember { name: request.name, role: request.role, projects };
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

    /// Disables a member, which ends their sessions, or enables them again.
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
        let (row, ended) = self.store.members().set_disabled(member, disabled, actor).await?;
        for digest in ended {
            self.cache.invalidate_session(&digest).await;
        }
        Ok(row)
    }
}
