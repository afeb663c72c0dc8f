//! Members: people who may sign in, and their sign-in links.
//!
//! They belong to no project.

use chrono::{DateTime, Utc};
use reflect_types::{MemberId, MemberName, MemberRole, ProjectId};
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Row};

use crate::audit::{self, AuditActor};
use crate::codes::project_numbers;
use crate::db::{Db, ProjectTx, coded};
use crate::error::{StoreError, violates};

/// A person who may sign in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberRow {
    /// Their id.
    pub member_id: MemberId,
    /// The name.
    pub name: String,
    /// The role.
    pub role: MemberRole,
    /// The visible projects. `None` means all.
    pub projects: Option<Vec<ProjectId>>,
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

/// A member to create.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMember {
    /// The name.
    pub name: MemberName,
    /// The role.
    pub role: MemberRole,
    /// The visible projects. `None` means all.
    pub projects: Option<Vec<ProjectId>>,
}

/// The effect of a link, without using it.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct SignInFacts {
    /// The member. `None` if the link creates the first member.
    pub name: Option<String>,
    /// Whether it creates the first member.
    pub for_setup: bool,
}

/// People who may sign in.
#[derive(Debug, Clone, Copy)]
pub struct MemberStore<'a> {
    pub(crate) db: &'a Db,
}

impl MemberStore<'_> {
    /// Whether there is any member.
    pub async fn any(&self) -> Result<bool, StoreError> {
        let any = sqlx::query_scalar(include_str!("../sql/catalogue/has_members.sql"));
        Ok(any.fetch_one(&self.db.pools.reads).await?)
    }

    /// Creates a member and a sign-in link. Returns when the link expires.
    pub async fn create(
        &self,
        new: &NewMember,
        link: &[u8; 32],
        lasts: u32,
        actor: &AuditActor,
    ) -> Result<(MemberRow, DateTime<Utc>), StoreError> {
        let installation = self.db.installation();
        let mut transaction = installation.write().await?;
        let row = insert(&mut transaction, new, actor).await?;
        let until = insert_link(&mut transaction, link, Some(row.member_id), lasts, actor).await?;
        transaction.commit().await?;
        Ok((row, until))
    }

    /// Enables a member by name, or creates the member if a role is given. Returns when the new link expires.
    pub async fn readmit(
        &self,
        name: &MemberName,
        role: Option<MemberRole>,
        link: &[u8; 32],
        lasts: u32,
        actor: &AuditActor,
    ) -> Result<(MemberRow, DateTime<Utc>), StoreError> {
        let installation = self.db.installation();
        let mut transaction = installation.write().await?;
        let found: Option<MemberRow> = sqlx::query_as(include_str!("../sql/catalogue/restore_member.sql"))
            .bind(name.as_str())
            .bind(role.map(MemberRole::code))
            .fetch_optional(&mut *transaction)
            .await?;
        let row = match (found, role) {
            (Some(row), _) => {
                audit::record(&mut transaction, actor, "member.readmit", &row.name).await?;
                row
            }
            (None, Some(role)) => {
                let new = NewMember { name: name.clone(), role, projects: None };
                insert(&mut transaction, &new, actor).await?
            }
            (None, None) => return Err(StoreError::NotFound { what: "member" }),
        };
        let until = insert_link(&mut transaction, link, Some(row.member_id), lasts, actor).await?;
        transaction.commit().await?;
        Ok((row, until))
    }

    /// Creates another link for a member. Unused links end.
    pub async fn create_link(
        &self,
        member: MemberId,
        link: &[u8; 32],
        lasts: u32,
        actor: &AuditActor,
    ) -> Result<DateTime<Utc>, StoreError> {
        let installation = self.db.installation();
        let mut transaction = installation.write().await?;
        let found: Option<MemberRow> = sqlx::query_as(include_str!("../sql/catalogue/find_member.sql"))
            .bind(member)
            .fetch_optional(&mut *transaction)
            .await?;
        let row = found.ok_or(StoreError::NotFound { what: "member" })?;
        if row.disabled_at.is_some() {
            return Err(StoreError::Conflict { what: "the member is disabled; enable the member first" });
        }
        let until = insert_link(&mut transaction, link, Some(member), lasts, actor).await?;
        audit::record(&mut transaction, actor, "member.link", &row.name).await?;
        transaction.commit().await?;
        Ok(until)
    }

    /// Creates the link for the first member of an installation.
    pub async fn create_setup_link(
        &self,
        link: &[u8; 32],
        lasts: u32,
        actor: &AuditActor,
    ) -> Result<DateTime<Utc>, StoreError> {
        let installation = self.db.installation();
        let mut transaction = installation.write().await?;
        let until = insert_link(&mut transaction, link, None, lasts, actor).await?;
        transaction.commit().await?;
        Ok(until)
    }

    /// The effect of a link, without using it.
    pub async fn link_facts(&self, link: &[u8; 32]) -> Result<Option<SignInFacts>, StoreError> {
        let facts = sqlx::query_as(include_str!("../sql/catalogue/link_works.sql")).bind(link);
        Ok(facts.fetch_optional(&self.db.pools.reads).await?)
    }

    /// All members, oldest first.
    pub async fn list(&self) -> Result<Vec<MemberRow>, StoreError> {
        let rows = sqlx::query_as(include_str!("../sql/catalogue/list_members.sql"));
        Ok(rows.fetch_all(&self.db.pools.reads).await?)
    }

    /// Disables a member and ends the sessions, or enables the member again. Returns the digests of the ended
    /// sessions.
    pub async fn set_disabled(
        &self,
        member: MemberId,
        disabled: bool,
        actor: &AuditActor,
    ) -> Result<(MemberRow, Vec<Vec<u8>>), StoreError> {
        let installation = self.db.installation();
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
        audit::record(&mut transaction, actor, action, &row.name).await?;
        transaction.commit().await?;
        Ok((row, ended))
    }
}

pub(crate) async fn insert(
    transaction: &mut ProjectTx,
    new: &NewMember,
    actor: &AuditActor,
) -> Result<MemberRow, StoreError> {
    let made = sqlx::query_as(include_str!("../sql/catalogue/create_member.sql"))
        .bind(MemberId::generate())
        .bind(new.name.as_str())
        .bind(new.role.code())
        .bind(project_numbers(new.projects.as_deref()))
        .bind(&actor.name)
        .fetch_one(&mut **transaction)
        .await;
    let row = made.map_err(|error| match violates(&error, "member_name") {
        true => StoreError::Conflict { what: "another member has this name" },
        false => error.into(),
    })?;
    audit::record(transaction, actor, "member.create", new.name.as_str()).await?;
    Ok(row)
}

async fn insert_link(
    transaction: &mut ProjectTx,
    digest: &[u8; 32],
    member: Option<MemberId>,
    lasts: u32,
    actor: &AuditActor,
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
