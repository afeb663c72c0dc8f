//! Who makes a request: the holder of an API key or a member with a session, and the project they act in.

use std::net::IpAddr;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use reflect_store::{AuditActor, FoundKey, FoundSession, MemberRow, RequestOrigin, SpanSender, StoreError};
use reflect_types::{KeyId, MemberRole, ProjectId, ProjectSlug, Scope, Trust};

use crate::error::EngineError;
use crate::key_lifetime::expiry_warning;
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
    /// The key does not work from this address.
    #[error("the API key cannot be used from {}", address.map_or("an unknown address".to_owned(), |at| at.to_string()))]
    Address {
        /// The address of the client, if it is known.
        address: Option<IpAddr>,
    },
    /// The key belongs to another project, or the project does not exist. The caller does not learn which, but which
    /// projects they can use.
    #[error("no such project; {0}")]
    NoSuchProject(ReachableProjects),
    /// The key does not have this scope.
    #[error("the API key lacks the scope {0}")]
    MissingScope(Scope),
    /// The member's role in the project is too low.
    #[error("your role in this project is {role}; this needs the role {least}")]
    RoleTooLow {
        /// The role of the member.
        role: MemberRole,
        /// The least role that may do this.
        least: MemberRole,
    },
    /// The member is not an admin of all projects.
    #[error("only an admin of all projects may do this")]
    NotInstallationAdmin,
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
            limits: KeyLimits {
                key: Some(self.0.key_id),
                expires_at: self.0.expires_at,
                address_ranges: self.0.address_ranges.clone(),
            },
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

    /// Whether the member may add members and create projects. An admin of some projects may not, because a member
    /// they add could see more projects than they do.
    pub fn manages_members(&self) -> bool {
        self.member().access.is_installation_admin()
    }

    /// Refuses members who do not manage members.
    pub(crate) fn check_manages_members(&self) -> Result<(), EngineError> {
        if self.manages_members() {
            return Ok(());
        }
        Err(EngineError::Forbidden(AuthError::NotInstallationAdmin.to_string()))
    }

    /// The name of the member in reviews and in the audit log.
    pub fn name(&self) -> String {
        format!("member:{}", self.member().name)
    }

    /// The actor of this request in the audit log.
    pub fn actor(&self, origin: RequestOrigin) -> AuditActor {
        AuditActor { name: self.name(), origin }
    }

    /// The member as a caller in a project in which they have this role.
    pub(crate) fn visitor(&self, project: ProjectId, slug: ProjectSlug, role: MemberRole) -> Visitor {
        Visitor {
            project,
            slug,
            key_id: KeyId::from_uuid(self.member().member_id.as_uuid()),
            name: self.name(),
            scopes: scopes_of(role),
            is_master: self.manages_members(),
            // An admin added this person by name.
            trust: Trust::Trusted,
            limits: KeyLimits::default(),
        }
    }
}

/// The limits of a key, which also hold for the keys that it creates. A member has none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeyLimits {
    /// The key.
    pub key: Option<KeyId>,
    /// When it expires.
    pub expires_at: Option<DateTime<Utc>>,
    /// The address ranges from which it works. Empty: all.
    pub address_ranges: Vec<String>,
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
    /// The limits of the caller's key.
    pub limits: KeyLimits,
}

impl Visitor {
    /// Checks whether the caller has a scope.
    pub fn may(&self, scope: Scope) -> Result<(), AuthError> {
        if self.scopes.contains(&scope) { Ok(()) } else { Err(AuthError::MissingScope(scope)) }
    }

    /// The sender of spans, when their run is stored. The key may store runs and nothing else.
    pub(crate) fn of_spans(project: ProjectId, slug: ProjectSlug, sender: SpanSender) -> Self {
        let SpanSender { key_id, name, trust } = sender;
        let limits = KeyLimits { key: Some(key_id), ..KeyLimits::default() };
        Self { project, slug, key_id, name, scopes: vec![Scope::TraceWrite], is_master: false, trust, limits }
    }

    /// The actor of this request in the audit log.
    pub fn actor(&self, origin: RequestOrigin) -> AuditActor {
        AuditActor { name: self.name.clone(), origin }
    }

    /// The warning that the caller's key expires soon, in printable ASCII.
    pub fn expiry_warning(&self, now: DateTime<Utc>) -> Option<String> {
        expiry_warning(&self.name, self.limits.expires_at, now)
    }
}
