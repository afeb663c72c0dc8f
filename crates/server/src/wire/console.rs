//! Members, sessions and projects of the console.

use std::collections::HashMap;

use reflect_api::{
    ConsoleProject, ConsoleSession, Member, ProjectMember, ProjectRole, Session, SessionTimes, SignInLink,
    SignedInMember, UnsafeRequests,
};
use reflect_engine::{MadeLink, MemberHolder, scopes_of};
use reflect_store::{MemberRow, PendingCount, ProjectRow, SessionRow};
use reflect_types::{MemberRole, ProjectId, SessionId};

use crate::app::ServerSettings;

pub(crate) fn console_session(holder: &MemberHolder, projects: Vec<ConsoleProject>) -> ConsoleSession {
    let (session, member) = (holder.session(), holder.member());
    ConsoleSession {
        member: SignedInMember {
            id: member.member_id,
            name: member.name.clone(),
            role: member.access.everywhere,
            all_projects: member.access.everywhere.is_some(),
            manages_members: holder.manages_members(),
        },
        projects,
        session: SessionTimes {
            id: session.session_id,
            created_at: session.created_at,
            expires_at: session.expires_at,
            provider: session.provider.clone(),
        },
        version: env!("CARGO_PKG_VERSION").to_owned(),
        unsafe_requests: UnsafeRequests {
            content_type: "application/json".to_owned(),
            sec_fetch_site: "same-origin".to_owned(),
        },
    }
}

pub(crate) fn console_project(
    row: ProjectRow,
    role: MemberRole,
    pending: Option<PendingCount>,
) -> ConsoleProject {
    let pending = pending.unwrap_or(PendingCount { runs: 0, more: false });
    ConsoleProject {
        project_id: row.slug,
        role,
        scopes: scopes_of(role),
        pending: u32::try_from(pending.runs).unwrap_or(u32::MAX),
        pending_more: pending.more,
        created_at: row.created_at,
    }
}

/// `slugs` contains the existing projects. Deleted projects are omitted.
pub(crate) fn member(row: MemberRow, slugs: &HashMap<ProjectId, String>) -> Member {
    let roles = row.access.projects.into_iter();
    let mut projects: Vec<ProjectRole> = roles
        .filter_map(|(id, role)| Some(ProjectRole { project_id: slugs.get(&id)?.clone(), role }))
        .collect();
    projects.sort_by(|one, other| one.project_id.cmp(&other.project_id));
    Member {
        id: row.member_id,
        name: row.name,
        role: row.access.everywhere,
        projects,
        created_by: row.created_by,
        created_at: row.created_at,
        disabled_at: row.disabled_at,
        last_seen_at: row.last_seen_at,
    }
}

pub(crate) fn project_member(row: MemberRow, project: ProjectId) -> ProjectMember {
    ProjectMember {
        id: row.member_id,
        name: row.name,
        role: row.access.role_in(project),
        own_role: row.access.projects.get(&project).copied(),
        disabled_at: row.disabled_at,
        last_seen_at: row.last_seen_at,
    }
}

pub(crate) fn session(row: SessionRow, current: SessionId) -> Session {
    Session {
        id: row.session_id,
        member_id: row.member_id,
        member: row.name,
        current: row.session_id == current,
        user_agent: row.user_agent,
        created_at: row.created_at,
        last_seen_at: row.last_seen_at,
        expires_at: row.expires_at,
    }
}

pub(crate) fn sign_in_link(link: &MadeLink, settings: &ServerSettings) -> SignInLink {
    let path = settings.path_of(&format!("/login?t={}", link.secret));
    let url = settings.public_url.as_ref().map(|url| format!("{url}{path}"));
    SignInLink { path, url, expires_at: link.expires_at }
}
