//! Members: people who may sign in, and the links by which they do.
//!
//! Like keys they come before any project is known, so nothing here belongs to one.

use chrono::{DateTime, Utc};
use reflect_types::{MemberId, MemberName, MemberRole, ProjectId};
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Postgres, Row, Transaction};

use crate::audit::Actor;
use crate::error::{StoreError, violates};
use crate::keys::coded;
use crate::store::Store;

/// Somebody who may sign in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberRow {
    /// Their id.
    pub member_id: MemberId,
    /// What they are called.
    pub name: String,
    /// What they are there for.
    pub role: MemberRole,
    /// The projects they see; none inside means all.
    pub projects: Option<Vec<ProjectId>>,
    /// Who let them in.
    pub created_by: String,
    /// When.
    pub created_at: DateTime<Utc>,
    /// Since when they may not come in.
    pub disabled_at: Option<DateTime<Utc>>,
    /// When they were last there, where that was asked for.
    pub last_seen_at: Option<DateTime<Utc>>,
}

impl FromRow<'_, PgRow> for MemberRow {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            member_id: row.try_get("member_id")?,
            name: row.try_get("name")?,
            role: coded(MemberRole::from_code(row.try_get("role")?))?,
            projects: projects(row)?,
            created_by: row.try_get("created_by")?,
            created_at: row.try_get("created_at")?,
            disabled_at: row.try_get("disabled_at")?,
            last_seen_at: row.try_get("last_seen_at")?,
        })
    }
}

fn projects(row: &PgRow) -> Result<Option<Vec<ProjectId>>, sqlx::Error> {
    let numbers: Option<Vec<i32>> = row.try_get("projects")?;
    Ok(numbers.map(|numbers| numbers.into_iter().map(ProjectId::new).collect()))
}

fn numbers(projects: Option<&[ProjectId]>) -> Option<Vec<i32>> {
    projects.map(|projects| projects.iter().map(|project| project.number()).collect())
}

/// A member to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMember {
    /// What they are called.
    pub name: MemberName,
    /// What they are there for.
    pub role: MemberRole,
    /// The projects they see; none inside means all.
    pub projects: Option<Vec<ProjectId>>,
}

/// What a link would do, found without spending it.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct SignInFacts {
    /// Whom it would let in; nobody when it makes the first member.
    pub name: Option<String>,
    /// Whether it makes the first member.
    pub for_setup: bool,
}

/// A project by its number and its name.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct ProjectRow {
    /// Its number.
    pub project_id: ProjectId,
    /// Its name.
    pub slug: String,
    /// When it was made.
    pub created_at: DateTime<Utc>,
}

impl Store {
    /// Whether there is anybody who could sign in.
    pub async fn has_members(&self) -> Result<bool, StoreError> {
        let any = sqlx::query_scalar(include_str!("../sql/catalogue/has_members.sql"));
        Ok(any.fetch_one(&self.pools.reads).await?)
    }

    /// Makes a member and their first link. Says until when the link lets them in.
    pub async fn create_member(
        &self,
        new: &NewMember,
        link: &[u8; 32],
        lasts: u32,
        actor: &Actor,
    ) -> Result<(MemberRow, DateTime<Utc>), StoreError> {
        let installation = self.installation();
        let mut transaction = installation.write().await?;
        let row = self.insert_member(&mut transaction, new, actor).await?;
        let until = insert_link(&mut transaction, link, Some(row.member_id), lasts, actor).await?;
        installation.commit(transaction).await?;
        Ok((row, until))
    }

    pub(crate) async fn insert_member(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        new: &NewMember,
        actor: &Actor,
    ) -> Result<MemberRow, StoreError> {
        let made = sqlx::query_as(include_str!("../sql/catalogue/create_member.sql"))
            .bind(MemberId::generate())
            .bind(new.name.as_str())
            .bind(new.role.code())
            .bind(numbers(new.projects.as_deref()))
            .bind(&actor.name)
            .fetch_one(&mut **transaction)
            .await;
        let row = made.map_err(|error| match violates(&error, "member_name") {
            true => StoreError::Conflict { what: "somebody has this name already" },
            false => error.into(),
        })?;
        self.installation().note(transaction, actor, "member.create", new.name.as_str()).await?;
        Ok(row)
    }

    /// Lets somebody in by name, whoever that was: found or made, with this role when one is given.
    pub async fn readmit_member(
        &self,
        name: &MemberName,
        role: Option<MemberRole>,
        link: &[u8; 32],
        lasts: u32,
        actor: &Actor,
    ) -> Result<(MemberRow, DateTime<Utc>), StoreError> {
        let installation = self.installation();
        let mut transaction = installation.write().await?;
        let found: Option<MemberRow> = sqlx::query_as(include_str!("../sql/catalogue/restore_member.sql"))
            .bind(name.as_str())
            .bind(role.map(MemberRole::code))
            .fetch_optional(&mut *transaction)
            .await?;
        let row = match (found, role) {
            (Some(row), _) => {
                installation.note(&mut transaction, actor, "member.readmit", &row.name).await?;
                row
            }
            (None, Some(role)) => {
                let new = NewMember { name: name.clone(), role, projects: None };
                self.insert_member(&mut transaction, &new, actor).await?
            }
            (None, None) => return Err(StoreError::NotFound { what: "member" }),
        };
        let until = insert_link(&mut transaction, link, Some(row.member_id), lasts, actor).await?;
        installation.commit(transaction).await?;
        Ok((row, until))
    }

    /// Another link for a member; those that were not used end.
    pub async fn create_link(
        &self,
        member: MemberId,
        link: &[u8; 32],
        lasts: u32,
        actor: &Actor,
    ) -> Result<DateTime<Utc>, StoreError> {
        let installation = self.installation();
        let mut transaction = installation.write().await?;
        let found: Option<MemberRow> = sqlx::query_as(include_str!("../sql/catalogue/find_member.sql"))
            .bind(member)
            .fetch_optional(&mut *transaction)
            .await?;
        let row = found.ok_or(StoreError::NotFound { what: "member" })?;
        if row.disabled_at.is_some() {
            return Err(StoreError::Conflict { what: "the member may not come in; let them in first" });
        }
        let until = insert_link(&mut transaction, link, Some(member), lasts, actor).await?;
        installation.note(&mut transaction, actor, "member.link", &row.name).await?;
        installation.commit(transaction).await?;
        Ok(until)
    }

    /// The link by which a new installation gets its first member.
    pub async fn create_setup_link(
        &self,
        link: &[u8; 32],
        lasts: u32,
        actor: &Actor,
    ) -> Result<DateTime<Utc>, StoreError> {
        let installation = self.installation();
        let mut transaction = installation.write().await?;
        let until = insert_link(&mut transaction, link, None, lasts, actor).await?;
        installation.commit(transaction).await?;
        Ok(until)
    }

    /// What a link would do, without spending it.
    pub async fn link_facts(&self, link: &[u8; 32]) -> Result<Option<SignInFacts>, StoreError> {
        let facts = sqlx::query_as(include_str!("../sql/catalogue/link_works.sql")).bind(link);
        Ok(facts.fetch_optional(&self.pools.reads).await?)
    }

    /// Everybody, oldest first.
    pub async fn members(&self) -> Result<Vec<MemberRow>, StoreError> {
        let rows = sqlx::query_as(include_str!("../sql/catalogue/list_members.sql"));
        Ok(rows.fetch_all(&self.pools.reads).await?)
    }

    /// Shuts somebody out, which ends their sessions, or lets them in again. Also gives the digests of the
    /// sessions that ended.
    pub async fn set_member_disabled(
        &self,
        member: MemberId,
        disabled: bool,
        actor: &Actor,
    ) -> Result<(MemberRow, Vec<Vec<u8>>), StoreError> {
        let installation = self.installation();
        let mut transaction = installation.write().await?;
        let row: Option<MemberRow> = sqlx::query_as(include_str!("../sql/catalogue/set_member_disabled.sql"))
            .bind(member)
            .bind(disabled)
            .fetch_optional(&mut *transaction)
            .await?;
        let row = row.ok_or(StoreError::NotFound { what: "member" })?;
        let mut ended = Vec::new();
        if disabled {
            let revoke = sqlx::query_scalar(include_str!("../sql/catalogue/revoke_sessions.sql"));
            ended = revoke.bind(member).fetch_all(&mut *transaction).await?;
            let links = sqlx::query(include_str!("../sql/catalogue/end_links.sql")).bind(member);
            links.execute(&mut *transaction).await?;
        }
        let action = if disabled { "member.disable" } else { "member.enable" };
        installation.note(&mut transaction, actor, action, &row.name).await?;
        installation.commit(transaction).await?;
        Ok((row, ended))
    }

    /// The projects in use, by name: of these numbers, or all.
    pub async fn project_rows(&self, of: Option<&[ProjectId]>) -> Result<Vec<ProjectRow>, StoreError> {
        let rows = sqlx::query_as(include_str!("../sql/catalogue/project_slugs.sql")).bind(numbers(of));
        Ok(rows.fetch_all(&self.pools.reads).await?)
    }
}

async fn insert_link(
    transaction: &mut Transaction<'static, Postgres>,
    digest: &[u8; 32],
    member: Option<MemberId>,
    lasts: u32,
    actor: &Actor,
) -> Result<DateTime<Utc>, StoreError> {
    if let Some(member) = member {
        let end = sqlx::query(include_str!("../sql/catalogue/end_links.sql")).bind(member);
        end.execute(&mut **transaction).await?;
    }
    let until = sqlx::query_scalar(include_str!("../sql/catalogue/create_link.sql"))
        .bind(digest)
        .bind(member)
        .bind(&actor.name)
        .bind(f64::from(lasts))
        .fetch_one(&mut **transaction)
        .await?;
    Ok(until)
}
