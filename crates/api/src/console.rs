//! The console's own bodies: who is signed in, who may, and which projects they see.

use chrono::{DateTime, Utc};
use reflect_types::{MemberId, MemberName, MemberRole, ProjectSlug, Scope, SessionId};
use serde::{Deserialize, Serialize};

/// Who is signed in, and all that a page has to know before it asks for anything.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ConsoleSession {
    /// Who it is.
    pub member: SignedInMember,
    /// The projects they see, by name.
    pub projects: Vec<ConsoleProject>,
    /// The session itself.
    pub session: SessionTimes,
    /// The version of the server.
    pub version: String,
    /// What every request that changes something has to bring.
    pub unsafe_requests: UnsafeRequests,
}

/// The member who is signed in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SignedInMember {
    /// Their id.
    pub id: MemberId,
    /// What they are called; reviews name them `member:` and this.
    pub name: String,
    /// What they are there for.
    pub role: MemberRole,
    /// What they may do in the projects they see.
    pub scopes: Vec<Scope>,
    /// Whether they see every project, also those that will be made later.
    pub all_projects: bool,
    /// Whether they may let others in and make projects.
    pub manages_members: bool,
}

/// A session's times.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SessionTimes {
    /// The session's id.
    pub id: SessionId,
    /// When it began.
    pub created_at: DateTime<Utc>,
    /// When it ends, however busy.
    pub expires_at: DateTime<Utc>,
}

/// What a request other than GET has to bring, or it is taken for one of another site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct UnsafeRequests {
    /// The header `Content-Type`, where there is a body.
    pub content_type: String,
    /// The header `Sec-Fetch-Site`, which browsers set by themselves; without it `Origin` must be the server's.
    pub sec_fetch_site: String,
}

/// A project as the console lists it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ConsoleProject {
    /// Its name in paths.
    pub project_id: String,
    /// Runs that wait for a verdict; counted to 1000, and not at all beyond the first 100 projects.
    pub pending: u32,
    /// Whether there are more than that.
    pub pending_more: bool,
    /// When it was made.
    pub created_at: DateTime<Utc>,
}

/// Makes a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CreateProject {
    /// Its name in paths: 1 to 200 characters.
    pub project_id: ProjectSlug,
}

/// Somebody who may sign in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Member {
    /// Their id.
    pub id: MemberId,
    /// What they are called.
    pub name: String,
    /// What they are there for.
    pub role: MemberRole,
    /// The projects they see; null for all of them.
    pub projects: Option<Vec<String>>,
    /// Who let them in.
    pub created_by: String,
    /// When.
    pub created_at: DateTime<Utc>,
    /// Since when they may not come in.
    pub disabled_at: Option<DateTime<Utc>>,
    /// When they were last there, to the minute.
    pub last_seen_at: Option<DateTime<Utc>>,
}

/// Lets somebody in.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CreateMember {
    /// What they are called: 1 to 100 characters, and nobody else's name.
    #[cfg_attr(feature = "openapi", schema(value_type = String, min_length = 1, max_length = 100))]
    pub name: MemberName,
    /// What they are there for.
    pub role: MemberRole,
    /// The projects they see; all of them when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub projects: Option<Vec<ProjectSlug>>,
}

/// A member who was just made, and the way in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CreatedMember {
    /// The member.
    pub member: Member,
    /// To be handed to them; shown this once.
    pub link: SignInLink,
}

/// Lets its member in, once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SignInLink {
    /// Its path on this server.
    pub path: String,
    /// The whole address, when the server knows its own.
    pub url: Option<String>,
    /// Until when it works.
    pub expires_at: DateTime<Utc>,
}

/// A browser that is signed in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Session {
    /// The session's id.
    pub id: SessionId,
    /// Whose it is.
    pub member_id: MemberId,
    /// Their name.
    pub member: String,
    /// Whether it is the one that asks.
    pub current: bool,
    /// How the browser names itself.
    pub user_agent: Option<String>,
    /// When it began.
    pub created_at: DateTime<Utc>,
    /// When it was last used, to the minute.
    pub last_seen_at: DateTime<Utc>,
    /// When it ends, however busy.
    pub expires_at: DateTime<Utc>,
}
