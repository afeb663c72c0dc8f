//! Members: people who may sign in, and their sign-in links.

use chrono::{DateTime, Utc};
use reflect_types::{Defence, MemberAccess, MemberId, MemberName, MemberRole, ProjectId};

use crate::audit::{self, AuditActor};
use crate::codes::project_numbers;
use crate::db::{Db, ProjectTx};
use crate::error::{StoreError, violates};
use crate::keys;
use crate::member_roles::{MemberRow, find, set_access, set_project_roles, stored_role, with_role};

/// A member to create.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMember {
    /// The name.
    pub name: MemberName,
    /// The roles.
    pub access: MemberAccess,
}

/// A disabled or enabled member, and what ended with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DisabledMember {
    /// The member.
    pub member: MemberRow,
    /// The digests of the ended sessions.
    pub sessions: Vec<Vec<u8>>,
    /// The public ids of the revoked keys.
    pub keys: Vec<String>,
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

    /// Enables a member by name, or creates the member if a role is given. The role applies to every project, or to the
    /// projects of a member of single projects. Returns when the new link expires.
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
        let found: Option<MemberId> = sqlx::query_scalar(include_str!("../sql/catalogue/restore_member.sql"))
            .bind(name.as_str())
            .fetch_optional(&mut *transaction)
            .await?;
        let row = match (found, role) {
            (Some(member), role) => {
                let row = find(&mut transaction, member).await?;
                audit::record(&mut transaction, actor, "member.readmit", &row.name).await?;
                match role {
                    Some(role) => {
                        let access = with_role(&row.access, role);
                        set_access(&mut transaction, &row, &access, actor).await?
                    }
                    None => row,
                }
            }
            (None, Some(role)) => {
                let new = NewMember { name: name.clone(), access: MemberAccess::everywhere(role) };
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
        let row = find(&mut transaction, member).await?;
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

    /// The members with a role in a project, oldest first.
    pub async fn list_of(&self, project: ProjectId) -> Result<Vec<MemberRow>, StoreError> {
        let rows = sqlx::query_as(include_str!("../sql/catalogue/list_project_members.sql")).bind(project);
        Ok(rows.fetch_all(&self.db.pools.reads).await?)
    }

    /// The member with this id or name.
    pub async fn named(&self, id_or_name: &str) -> Result<MemberId, StoreError> {
        let found = sqlx::query_scalar(include_str!("../sql/catalogue/find_member_named.sql"));
        let found = found.bind(id_or_name).fetch_optional(&self.db.pools.reads).await?;
        found.ok_or(StoreError::NotFound { what: "member" })
    }

    /// Sets all roles of a member.
    pub async fn set_access(
        &self,
        member: MemberId,
        access: &MemberAccess,
        actor: &AuditActor,
    ) -> Result<MemberRow, StoreError> {
        let mut transaction = self.db.installation().write().await?;
        let row = find(&mut transaction, member).await?;
        let row = set_access(&mut transaction, &row, access, actor).await?;
        transaction.commit().await?;
        Ok(row)
    }

    /// Sets or removes the role of a member in one project. The entry of the audit log belongs to the project.
    pub async fn set_project_role(
        &self,
        member: MemberId,
        project: ProjectId,
        role: Option<MemberRole>,
        actor: &AuditActor,
    ) -> Result<MemberRow, StoreError> {
        let mut transaction = self.db.project(project).write().await?;
        let row = find(&mut transaction, member).await?;
        match role {
            Some(role) => {
                let access = MemberAccess::default().with(project, role);
                set_project_roles(&mut transaction, member, &access, actor).await?;
            }
            None => {
                let removed = sqlx::query(include_str!("../sql/catalogue/remove_project_role.sql"));
                removed.bind(project).bind(member).execute(&mut *transaction).await?;
            }
        }
        let word = role.map_or("none", MemberRole::as_str);
        audit::record(&mut transaction, actor, "member.role", &format!("{}: {word}", row.name)).await?;
        let row = find(&mut transaction, member).await?;
        transaction.commit().await?;
        Ok(row)
    }

    /// Disables a member, ends the sessions and revokes the keys that the member created, or enables the member again.
    pub async fn set_disabled(
        &self,
        member: MemberId,
        disabled: bool,
        actor: &AuditActor,
    ) -> Result<DisabledMember, StoreError> {
        let installation = self.db.installation();
        let mut transaction = installation.write().await?;
        let changed = switch(&mut transaction, member, disabled, actor).await?;
        transaction.commit().await?;
        Ok(changed)
    }
}

/// Disables or enables a member.
pub(crate) async fn switch(
    transaction: &mut ProjectTx,
    member: MemberId,
    disabled: bool,
    actor: &AuditActor,
) -> Result<DisabledMember, StoreError> {
    let row: Option<MemberRow> = sqlx::query_as(include_str!("../sql/catalogue/set_member_disabled.sql"))
        .bind(member)
        .bind(disabled)
        .fetch_optional(&mut **transaction)
        .await?;
    let row = row.ok_or(StoreError::NotFound { what: "member" })?;
    let (mut ended, mut revoked) = (Vec::new(), Vec::new());
    if disabled {
        if Defence::MemberKeys.is_on() {
            let creator = format!("member:{}", row.name);
            revoked = keys::revoke_created_by(transaction, &creator, actor).await?;
        }
        let revoke = sqlx::query_scalar(include_str!("../sql/catalogue/revoke_sessions.sql"));
        ended = revoke.bind(member).fetch_all(&mut **transaction).await?;
        let links = sqlx::query(include_str!("../sql/catalogue/end_links.sql")).bind(member);
        links.execute(&mut **transaction).await?;
    }
    let action = if disabled { "member.disable" } else { "member.enable" };
    audit::record(transaction, actor, action, &row.name).await?;
    Ok(DisabledMember { member: row, sessions: ended, keys: revoked })
}

pub(crate) async fn insert(
    transaction: &mut ProjectTx,
    new: &NewMember,
    actor: &AuditActor,
) -> Result<MemberRow, StoreError> {
    let member = MemberId::generate();
    let made = sqlx::query(include_str!("../sql/catalogue/create_member.sql"))
        .bind(member)
        .bind(new.name.as_str())
        .bind(stored_role(&new.access).code())
        .bind(project_numbers(new.access.visible().as_deref()))
        .bind(&actor.name)
        .execute(&mut **transaction)
        .await;
    made.map_err(|error| match violates(&error, "member_name") {
        true => StoreError::Conflict { what: "another member has this name" },
        false => error.into(),
    })?;
    set_project_roles(transaction, member, &new.access, actor).await?;
    audit::record(transaction, actor, "member.create", new.name.as_str()).await?;
    find(transaction, member).await
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
