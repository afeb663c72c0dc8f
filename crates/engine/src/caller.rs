//! Who makes a request: the holder of an API key or a member with a session, and the project they act in.

use std::sync::Arc;

use reflect_store::{AuditActor, FoundKey, FoundSession, MemberRow, StoreError};
use reflect_types::{KeyId, MemberRole, ProjectId, ProjectSlug, Scope, Trust};

use crate::error::EngineError;
use crate::reachable_projects::ReachableProjects;
use crate::role::scopes_of;

/// Why a request is not allowed.
#[derive(Debug, thiserror::Error)]
pub enum AuthError {
    /// The key does not exist, or its secret is wrong. The caller does not learn which.
    #[error("the API key is not known")]
    Unknown,
    /// The key was revoked.
    #[error("the API key has been revoked")]
    Revoked,
    /// The key has expired.
    #[error("the API key has expired")]
    Expired,
    /// The key belongs to another project, or the project does not exist. The caller does not learn which, but which
    /// projects they can use.
    #[error("no such project; {0}")]
    NoSuchProject(ReachableProjects),
    /// The key does not have this scope.
    #[error("the API key lacks the scope {0}")]
    MissingScope(Scope),
    /// The member's role does not have this scope.
    #[error("your role lacks the scope {0}")]
    RoleLacks(Scope),
    /// There is no session, or it is unknown.
    #[error("sign in first")]
    NotSignedIn,
    /// The session has ended.
    #[error("the session has ended; sign in again")]
    SessionEnded,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The holder of an API key whose secret was verified.
#[derive(Debug, Clone)]
pub struct KeyHolder(Arc<FoundKey>);

impl KeyHolder {
    pub(crate) const fn new(key: Arc<FoundKey>) -> Self {
        Self(key)
    }

    /// Checks whether the key has a scope.
    pub fn may(&self, scope: Scope) -> Result<(), AuthError> {
        if self.is_master() || self.0.scopes.contains(&scope) {
            Ok(())
        } else {
            Err(AuthError::MissingScope(scope))
        }
    }

    /// The project of the key; `None` for a master key.
    pub fn project(&self) -> Option<&ProjectSlug> {
        self.0.project.as_ref().map(|(_, slug)| slug)
    }

    /// The id and name of the key's project; `None` for a master key.
    pub(crate) fn own_project(&self) -> Option<&(ProjectId, ProjectSlug)> {
        self.0.project.as_ref()
    }

    fn is_master(&self) -> bool {
        self.0.project.is_none()
    }

    /// The name of the key in reviews and in the audit log.
    pub(crate) fn name(&self) -> String {
        format!("key:{}", self.0.public_id)
    }

    /// The key holder as a caller in a project.
    pub(crate) fn visitor(&self, project: ProjectId, slug: ProjectSlug) -> Visitor {
        Visitor {
            project,
            slug,
            key_id: self.0.key_id,
            name: self.name(),
            scopes: if self.is_master() { Scope::ALL.to_vec() } else { self.0.scopes.clone() },
            is_master: self.is_master(),
            trust: self.0.trust,
        }
    }
}

/// A member whose session was verified.
#[derive(Debug, Clone)]
pub struct MemberHolder(Arc<FoundSession>);

impl MemberHolder {
    pub(crate) const fn new(session: Arc<FoundSession>) -> Self {
        Self(session)
    }

    /// The session and its member.
    pub fn session(&self) -> &FoundSession {
        &self.0
    }

    /// The member.
    pub fn member(&self) -> &MemberRow {
        &self.0.member
    }

    /// Checks whether the member's role has a scope.
    pub fn may(&self, scope: Scope) -> Result<(), AuthError> {
        if scopes_of(self.member().role).contains(&scope) { Ok(()) } else { Err(AuthError::RoleLacks(scope)) }
    }

    /// Whether the member may add members and create projects. An admin of some projects may not, because a member
    /// they add could see more projects than they do.
    pub fn manages_members(&self) -> bool {
        manages_members(self.member())
    }

    /// Refuses members who do not manage members.
    pub(crate) fn check_manages_members(&self) -> Result<(), EngineError> {
        if self.manages_members() {
            return Ok(());
        }
        Err(EngineError::Forbidden("only an admin of all projects may do this".to_owned()))
    }

    /// The name of the member in reviews and in the audit log.
    pub fn name(&self) -> String {
        format!("member:{}", self.member().name)
    }

    /// The actor of this request in the audit log.
    pub fn actor(&self, request_id: Option<String>) -> AuditActor {
        AuditActor { name: self.name(), request_id }
    }

    /// The member as a caller in a project; `None` if they may not see it.
    pub(crate) fn visitor(&self, project: ProjectId, slug: ProjectSlug) -> Option<Visitor> {
        let member = self.member();
        if !sees(member, project) {
            return None;
        }
        Some(Visitor {
            project,
            slug,
            key_id: KeyId::from_uuid(member.member_id.as_uuid()),
            name: self.name(),
            scopes: scopes_of(member.role).to_vec(),
            is_master: manages_members(member),
            // An admin added this person by name.
            trust: Trust::Trusted,
        })
    }
}

/// Whether a member may add other members.
fn manages_members(member: &MemberRow) -> bool {
    member.role == MemberRole::Admin && member.projects.is_none()
}

/// Whether a member may see a project.
fn sees(member: &MemberRow, project: ProjectId) -> bool {
    member.projects.as_ref().is_none_or(|projects| projects.contains(&project))
}

/// A key holder or a member, inside one project.
#[derive(Debug, Clone)]
pub struct Visitor {
    /// The project.
    pub project: ProjectId,
    /// Its name.
    pub slug: ProjectSlug,
    /// The id of the key. For a member, the member's id.
    pub key_id: KeyId,
    /// The name in reviews and in the audit log: `key:` and the public part of the key, or `member:` and a name.
    pub name: String,
    /// What the caller may do.
    pub scopes: Vec<Scope>,
    /// Whether the caller may do everything in every project.
    pub is_master: bool,
    /// How far the caller is trusted.
    pub trust: Trust,
}

impl Visitor {
    /// Checks whether the caller has a scope.
    pub fn may(&self, scope: Scope) -> Result<(), AuthError> {
        if self.scopes.contains(&scope) { Ok(()) } else { Err(AuthError::MissingScope(scope)) }
    }

    /// The actor of this request in the audit log.
    pub fn actor(&self, request_id: Option<String>) -> AuditActor {
        AuditActor { name: self.name.clone(), request_id }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use reflect_types::MemberId;

    fn member(role: MemberRole, projects: Option<&[i32]>) -> MemberRow {
        MemberRow {
            member_id: MemberId::generate(),
            name: "ana".into(),
            role,
            projects: projects.map(|numbers| numbers.iter().copied().map(ProjectId::new).collect()),
            created_by: "setup".into(),
            created_at: std::time::SystemTime::now().into(),
            disabled_at: None,
            last_seen_at: None,
        }
    }

    #[test]
    fn only_an_admin_of_all_projects_adds_members() {
        assert!(manages_members(&member(MemberRole::Admin, None)));
        assert!(!manages_members(&member(MemberRole::Admin, Some(&[1]))));
        assert!(!manages_members(&member(MemberRole::Developer, None)));
    }

    #[test]
    fn a_member_sees_their_projects_and_no_other() {
        let some = member(MemberRole::Reviewer, Some(&[1, 3]));
        assert!(sees(&some, ProjectId::new(3)) && !sees(&some, ProjectId::new(2)));
        assert!(!sees(&member(MemberRole::Admin, Some(&[])), ProjectId::new(1)));
        assert!(sees(&member(MemberRole::Viewer, None), ProjectId::new(9)));
    }
}
