//! Members and their roles: in every project, and in single projects.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use reflect_types::{MemberAccess, MemberId, MemberRole, ProjectId};
use sqlx::postgres::PgRow;
use sqlx::types::Json;
use sqlx::{FromRow, Row};

use crate::audit::{self, AuditActor};
use crate::codes::project_numbers;
use crate::db::{ProjectTx, coded};
use crate::error::StoreError;

/// A person who may sign in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberRow {
    /// Their id.
    pub member_id: MemberId,
    /// The name.
    pub name: String,
    /// The roles.
    pub access: MemberAccess,
    /// The creator.
    pub created_by: String,
    /// When.
    pub created_at: DateTime<Utc>,
    /// Since when the member is disabled.
    pub disabled_at: Option<DateTime<Utc>>,
    /// The last activity, if it was read.
    pub last_seen_at: Option<DateTime<Utc>>,
}

impl FromRow<'_, PgRow> for MemberRow {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            member_id: row.try_get("member_id")?,
            name: row.try_get("name")?,
            access: access(row)?,
            created_by: row.try_get("created_by")?,
            created_at: row.try_get("created_at")?,
            disabled_at: row.try_get("disabled_at")?,
            last_seen_at: row.try_get("last_seen_at")?,
        })
    }
}

/// The column `role` is the role in every project if `projects` is null, else it means nothing.
fn access(row: &PgRow) -> Result<MemberAccess, sqlx::Error> {
    let role = coded(MemberRole::from_code(row.try_get("role")?))?;
    let limited: Option<Vec<i32>> = row.try_get("projects")?;
    let Json(roles): Json<BTreeMap<ProjectId, i16>> = row.try_get("project_roles")?;
    let projects =
        roles.into_iter().map(|(project, code)| Ok((project, coded(MemberRole::from_code(code))?)));
    Ok(MemberAccess {
        everywhere: limited.is_none().then_some(role),
        projects: projects.collect::<Result<_, sqlx::Error>>()?,
    })
}

/// This role in the single projects of a member who has only such, else in every project.
pub(crate) fn with_role(access: &MemberAccess, role: MemberRole) -> MemberAccess {
    if access.everywhere.is_none() && !access.projects.is_empty() {
        let projects = access.projects.keys().map(|project| (*project, role)).collect();
        return MemberAccess { everywhere: None, projects };
    }
    MemberAccess { everywhere: Some(role), projects: access.projects.clone() }
}

pub(crate) async fn find(transaction: &mut ProjectTx, member: MemberId) -> Result<MemberRow, StoreError> {
    let found = sqlx::query_as(include_str!("../sql/catalogue/find_member.sql")).bind(member);
    found.fetch_optional(&mut **transaction).await?.ok_or(StoreError::NotFound { what: "member" })
}

/// Sets all roles of a member and returns the member.
pub(crate) async fn set_access(
    transaction: &mut ProjectTx,
    member: &MemberRow,
    access: &MemberAccess,
    actor: &AuditActor,
) -> Result<MemberRow, StoreError> {
    sqlx::query(include_str!("../sql/catalogue/set_member_access.sql"))
        .bind(member.member_id)
        .bind(stored_role(access).code())
        .bind(project_numbers(access.visible().as_deref()))
        .execute(&mut **transaction)
        .await?;
    set_project_roles(transaction, member.member_id, access, actor).await?;
    let word = access.everywhere.map_or("single projects", MemberRole::as_str);
    audit::record(transaction, actor, "member.role", &format!("{}: {word}", member.name)).await?;
    find(transaction, member.member_id).await
}

pub(crate) async fn set_project_roles(
    transaction: &mut ProjectTx,
    member: MemberId,
    access: &MemberAccess,
    actor: &AuditActor,
) -> Result<(), StoreError> {
    sqlx::query(include_str!("../sql/catalogue/set_project_roles.sql"))
        .bind(member)
        .bind(access.projects.keys().map(|project| project.number()).collect::<Vec<_>>())
        .bind(access.projects.values().map(|role| role.code()).collect::<Vec<_>>())
        .bind(&actor.name)
        .execute(&mut **transaction)
        .await?;
    Ok(())
}

/// The column requires a role also for members of single projects.
pub(crate) fn stored_role(access: &MemberAccess) -> MemberRole {
    access.everywhere.unwrap_or(MemberRole::Viewer)
}
