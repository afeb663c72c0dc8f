//! Bodies of the console: the session, the members and their projects.

use chrono::{DateTime, Utc};
use reflect_types::{MemberId, MemberName, MemberRole, ProjectSlug, Scope, SessionId};
use serde::{Deserialize, Serialize};

/// The session, with everything a page needs before its first request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ConsoleSession {
    /// The member.
    pub member: SignedInMember,
    /// The projects that the member can see, by name.
    pub projects: Vec<ConsoleProject>,
    /// The session.
    pub session: SessionTimes,
    /// The version of the server.
    pub version: String,
    /// What every request that changes something must send.
    pub unsafe_requests: UnsafeRequests,
}

/// The signed-in member.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SignedInMember {
    /// The member's id.
    pub id: MemberId,
    /// The member's name. Reviews name the reviewer `member:` followed by this name.
    pub name: String,
    /// The role in every project. Null if the member has roles in single projects only.
    pub role: Option<MemberRole>,
    /// Whether the member sees every project, including future ones.
    pub all_projects: bool,
    /// Whether the member may invite members and create projects.
    pub manages_members: bool,
}

/// The times of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SessionTimes {
    /// The session's id.
    pub id: SessionId,
    /// When the session started.
    pub created_at: DateTime<Utc>,
    /// When the session ends, even if it is in use.
    pub expires_at: DateTime<Utc>,
    /// The name of the identity provider that the member signed in with. Null for a sign-in link.
    pub provider: Option<String>,
}

/// What a request other than GET must send. Otherwise the server rejects it as a cross-site request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct UnsafeRequests {
    /// The header `Content-Type`, if there is a body.
    pub content_type: String,
    /// The header `Sec-Fetch-Site`, which browsers set. Without it, `Origin` must be the server's address.
    pub sec_fetch_site: String,
}

/// A project in the console's list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ConsoleProject {
    /// The project's name in paths.
    pub project_id: String,
    /// The role of the member in this project.
    pub role: MemberRole,
    /// The scopes of that role.
    pub scopes: Vec<Scope>,
    /// Traces that wait for a review: without one and not deferred. Counted up to 1000. Not counted for projects after
    /// the first 100.
    pub pending: u32,
    /// Whether there are more.
    pub pending_more: bool,
    /// When the project was created.
    pub created_at: DateTime<Utc>,
}

/// Creates a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CreateProject {
    /// The project's name in paths, 1 to 200 characters.
    pub project_id: ProjectSlug,
}

/// A person who may sign in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Member {
    /// The member's id.
    pub id: MemberId,
    /// The name.
    pub name: String,
    /// The role in every project, also in future ones. Null if the member has roles in single projects only.
    pub role: Option<MemberRole>,
    /// The roles in single projects, by name of the project. The higher one of both counts.
    pub projects: Vec<ProjectRole>,
    /// Who created the member.
    pub created_by: String,
    /// When the member was created.
    pub created_at: DateTime<Utc>,
    /// When the member was disabled. Null while the member may sign in.
    pub disabled_at: Option<DateTime<Utc>>,
    /// When the member was last active, to the minute.
    pub last_seen_at: Option<DateTime<Utc>>,
}

/// Creates a member.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CreateMember {
    /// The name, 1 to 100 characters. It must be unique.
    #[cfg_attr(feature = "openapi", schema(value_type = String, min_length = 1, max_length = 100))]
    pub name: MemberName,
    /// The role.
    pub role: MemberRole,
    /// The projects in which the member has the role. Default: all projects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub projects: Option<Vec<ProjectSlug>>,
}

/// The role of a member in one project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ProjectRole {
    /// The project's name in paths.
    pub project_id: String,
    /// The role.
    pub role: MemberRole,
}

/// Sets the role of a member in every project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SetMemberRole {
    /// The role in every project. Absent or null: the member keeps only the roles in single projects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<MemberRole>,
}

/// A member of a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ProjectMember {
    /// The member's id.
    pub id: MemberId,
    /// The name.
    pub name: String,
    /// The role in the project: the higher one of `own_role` and the role in every project. Null if the member has none
    /// any more.
    pub role: Option<MemberRole>,
    /// The role that was given for this project. Null if the member has a role in every project only.
    pub own_role: Option<MemberRole>,
    /// When the member was disabled. Null while the member may sign in.
    pub disabled_at: Option<DateTime<Utc>>,
    /// When the member was last active, to the minute.
    pub last_seen_at: Option<DateTime<Utc>>,
}

/// Sets the role of a member in a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SetProjectRole {
    /// The role.
    pub role: MemberRole,
}

/// A new member and the sign-in link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CreatedMember {
    /// The member.
    pub member: Member,
    /// The link for the member. It is returned only once.
    pub link: SignInLink,
}

/// A link that signs its member in. It works once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SignInLink {
    /// The path on this server.
    pub path: String,
    /// The full address, if the server knows its public address.
    pub url: Option<String>,
    /// When the link expires.
    pub expires_at: DateTime<Utc>,
}

/// A session of a member's browser.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Session {
    /// The session's id.
    pub id: SessionId,
    /// The member.
    pub member_id: MemberId,
    /// The member's name.
    pub member: String,
    /// Whether it is the session of this request.
    pub current: bool,
    /// The browser's `User-Agent`.
    pub user_agent: Option<String>,
    /// When the session started.
    pub created_at: DateTime<Utc>,
    /// When it was last used, to the minute.
    pub last_seen_at: DateTime<Utc>,
    /// When the session ends, even if it is in use.
    pub expires_at: DateTime<Utc>,
}
