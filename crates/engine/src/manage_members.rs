//! Letting people in and shutting them out. Who holds a link is its member, so it is made once and shown once.

use std::time::Duration;

use chrono::{DateTime, Utc};
use reflect_store::{Actor, MemberRow, NewMember, ProjectRow, SessionRow, StoreError};
use reflect_types::{MemberId, MemberName, MemberRole, ProjectId, ProjectSlug, SessionId};

use crate::sign_in::{IDLE, MemberHolder, digest, new_secret, seconds};
use crate::{Engine, EngineError};

/// Long enough for a message to be read the next morning.
const LINK_LASTS: Duration = Duration::from_secs(24 * 60 * 60);
const MOST_PROJECTS: usize = 1000;

/// Who is to be let in.
#[derive(Debug, Clone)]
pub struct MemberRequest {
    /// What they are called.
    pub name: MemberName,
    /// What they are there for.
    pub role: MemberRole,
    /// The projects they may see; none inside means all.
    pub projects: Option<Vec<ProjectSlug>>,
}

/// A link that was just made: the only moment at which its text is known.
pub struct MadeLink {
    /// To be handed over once.
    pub secret: String,
    /// Until when it works.
    pub expires_at: DateTime<Utc>,
}

/// Without the link's text.
impl std::fmt::Debug for MadeLink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "MadeLink(until {})", self.expires_at)
    }
}

impl Engine {
    /// Makes a member and the link by which they come in.
    pub async fn add_member(
        &self,
        holder: &MemberHolder,
        request: MemberRequest,
        actor: &Actor,
    ) -> Result<(MemberRow, MadeLink), EngineError> {
        may_manage(holder)?;
        let projects = match request.projects {
            None => None,
            Some(slugs) => Some(self.numbers(&slugs).await?),
        };
        let secret = new_secret();
        let new = NewMember { name: request.name, role: request.role, projects };
        let (row, expires_at) =
            self.store.create_member(&new, &digest(&secret), seconds(LINK_LASTS), actor).await?;
        Ok((row, MadeLink { secret, expires_at }))
    }

    async fn numbers(&self, slugs: &[ProjectSlug]) -> Result<Vec<ProjectId>, EngineError> {
        if slugs.len() > MOST_PROJECTS {
            return Err(EngineError::invalid("projects", "must not have more than 1000 entries"));
        }
        let known = self.store.project_rows(None).await?;
        let number = |slug: &ProjectSlug| {
            let found = known.iter().find(|row| row.slug == slug.as_str()).map(|row| row.project_id);
            found.ok_or_else(|| {
                EngineError::invalid("projects", format!("has \"{slug}\", which does not exist"))
            })
        };
        slugs.iter().map(number).collect()
    }

    /// Another link for a member who has lost theirs, or comes with another browser.
    pub async fn link_member(
        &self,
        holder: &MemberHolder,
        member: MemberId,
        actor: &Actor,
    ) -> Result<MadeLink, EngineError> {
        may_manage(holder)?;
        let secret = new_secret();
        let expires_at = self.store.create_link(member, &digest(&secret), seconds(LINK_LASTS), actor).await?;
        Ok(MadeLink { secret, expires_at })
    }

    /// Lets somebody in for the operator, who stands outside all roles: found by name or made.
    pub async fn link_as_operator(
        &self,
        name: &MemberName,
        role: Option<MemberRole>,
        actor: &Actor,
    ) -> Result<(MemberRow, MadeLink), EngineError> {
        let secret = new_secret();
        let (row, expires_at) =
            self.store.readmit_member(name, role, &digest(&secret), seconds(LINK_LASTS), actor).await?;
        Ok((row, MadeLink { secret, expires_at }))
    }

    /// A link by which a new installation gets its first member; none when it has one.
    pub async fn setup_link(&self, actor: &Actor) -> Result<Option<MadeLink>, EngineError> {
        if self.store.has_members().await? {
            return Ok(None);
        }
        let secret = new_secret();
        let expires_at = self.store.create_setup_link(&digest(&secret), seconds(LINK_LASTS), actor).await?;
        Ok(Some(MadeLink { secret, expires_at }))
    }

    /// Everybody.
    pub async fn members(&self, holder: &MemberHolder) -> Result<Vec<MemberRow>, EngineError> {
        may_manage(holder)?;
        Ok(self.store.members().await?)
    }

    /// Shuts a member out, which ends their sessions, or lets them in again.
    pub async fn disable_member(
        &self,
        holder: &MemberHolder,
        member: MemberId,
        disabled: bool,
        actor: &Actor,
    ) -> Result<MemberRow, EngineError> {
        may_manage(holder)?;
        if disabled && member == holder.member().member_id {
            return Err(EngineError::invalid(
                "member_id",
                "must not be your own: somebody else has to do this",
            ));
        }
        let (row, ended) = self.store.set_member_disabled(member, disabled, actor).await?;
        for digest in ended {
            self.forget_session(&digest).await;
        }
        Ok(row)
    }

    /// The member's live sessions; everybody's for whoever manages members and asks for them.
    pub async fn sessions(&self, holder: &MemberHolder, all: bool) -> Result<Vec<SessionRow>, EngineError> {
        if all {
            may_manage(holder)?;
        }
        let of = (!all).then_some(holder.member().member_id);
        Ok(self.store.sessions(of, seconds(IDLE)).await?)
    }

    /// Ends a session: one's own, or anybody's for whoever manages members.
    pub async fn revoke_session(
        &self,
        holder: &MemberHolder,
        session: SessionId,
        actor: &Actor,
    ) -> Result<SessionRow, EngineError> {
        let of = (!holder.manages_members()).then_some(holder.member().member_id);
        let row = self.store.revoke_session(session, of, actor).await?;
        self.forget_session(&row.digest).await;
        Ok(row)
    }

    /// The projects that the member sees, by name.
    pub async fn visible_projects(&self, holder: &MemberHolder) -> Result<Vec<ProjectRow>, EngineError> {
        Ok(self.store.project_rows(holder.member().projects.as_deref()).await?)
    }

    /// Makes a project.
    pub async fn make_project(
        &self,
        holder: &MemberHolder,
        slug: &ProjectSlug,
        actor: &Actor,
    ) -> Result<ProjectRow, EngineError> {
        may_manage(holder)?;
        if self.store.find_project(slug).await?.is_some() {
            return Err(StoreError::Conflict { what: "there is a project of this name" }.into());
        }
        let project = self.store.ensure_project(slug, actor).await?;
        let mut rows = self.store.project_rows(Some(&[project])).await?;
        rows.pop().ok_or_else(|| StoreError::NotFound { what: "project" }.into())
    }
}

fn may_manage(holder: &MemberHolder) -> Result<(), EngineError> {
    if holder.manages_members() {
        return Ok(());
    }
    Err(EngineError::Forbidden("only an admin of all projects may do this".to_owned()))
}
