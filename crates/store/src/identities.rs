//! Identities of members at identity providers.

use reflect_types::{MemberAccess, MemberId, MemberName};

use crate::audit::{self, AuditActor};
use crate::db::{Db, ProjectTx};
use crate::error::StoreError;
use crate::member_roles::{self, MemberRow};
use crate::members::{self, DisabledMember, NewMember};
use crate::sessions::{self, NewSession};

/// What identifies a person at an identity provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IdentityKey<'a> {
    /// The issuer.
    pub issuer: &'a str,
    /// The subject.
    pub subject: &'a str,
}

/// The result of a sign-in with an identity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IdentitySignIn {
    /// The session was started.
    SignedIn(MemberRow),
    /// An admin disabled the member.
    Disabled(MemberRow),
    /// The identity is new, and other members have all the names that it could get.
    NameTaken,
}

/// The member of an identity.
#[derive(sqlx::FromRow)]
struct KnownIdentity {
    member_id: MemberId,
    /// Whether the provider removed the roles.
    removed: bool,
}

/// Identities at identity providers.
#[derive(Debug, Clone, Copy)]
pub struct IdentityStore<'a> {
    pub(crate) db: &'a Db,
}

impl IdentityStore<'_> {
    /// Starts a session of the identity's member with these roles. A new identity becomes a member with the first free
    /// one of `names`.
    pub async fn sign_in(
        &self,
        key: IdentityKey<'_>,
        access: &MemberAccess,
        names: &[MemberName],
        session: &NewSession,
        actor: &AuditActor,
    ) -> Result<IdentitySignIn, StoreError> {
        let mut transaction = self.db.installation().write().await?;
        let lock = sqlx::query(include_str!("../sql/catalogue/lock_identity.sql"));
        lock.bind(key.issuer).bind(key.subject).execute(&mut *transaction).await?;
        let known: Option<KnownIdentity> = sqlx::query_as(include_str!("../sql/catalogue/find_identity.sql"))
            .bind(key.issuer)
            .bind(key.subject)
            .fetch_optional(&mut *transaction)
            .await?;
        let member = match known {
            None => match create(&mut transaction, key, access, names, actor).await? {
                Some(member) => member,
                None => return Ok(IdentitySignIn::NameTaken),
            },
            Some(known) => {
                let mut member = member_roles::find(&mut transaction, known.member_id).await?;
                if member.disabled_at.is_some() {
                    if !known.removed {
                        return Ok(IdentitySignIn::Disabled(member));
                    }
                    member = members::switch(&mut transaction, known.member_id, false, actor).await?.member;
                }
                // The audit log contains changes only.
                match member.access == *access {
                    true => member,
                    false => member_roles::set_access(&mut transaction, &member, access, actor).await?,
                }
            }
        };
        let used = sqlx::query(include_str!("../sql/catalogue/use_identity.sql"));
        used.bind(key.issuer).bind(key.subject).execute(&mut *transaction).await?;
        sessions::begin_session(&mut transaction, &member, session, actor.origin.clone()).await?;
        transaction.commit().await?;
        Ok(IdentitySignIn::SignedIn(member))
    }

    /// Records that a provider gives an identity no role. If it has a member, the member is disabled.
    pub async fn remove_roles(
        &self,
        key: IdentityKey<'_>,
        reason: &str,
        actor: &AuditActor,
    ) -> Result<Option<DisabledMember>, StoreError> {
        let mut transaction = self.db.installation().write().await?;
        let member: Option<MemberId> =
            sqlx::query_scalar(include_str!("../sql/catalogue/remove_identity_roles.sql"))
                .bind(key.issuer)
                .bind(key.subject)
                .fetch_optional(&mut *transaction)
                .await?;
        let disabled = match member {
            Some(member) => Some(members::switch(&mut transaction, member, true, actor).await?),
            None => None,
        };
        let target = format!("{}: {reason}", key.subject);
        audit::record(&mut transaction, actor, "sign_in.refuse", &target).await?;
        transaction.commit().await?;
        Ok(disabled)
    }

    /// Connects an identity to an existing member.
    pub async fn connect(
        &self,
        member: MemberId,
        key: IdentityKey<'_>,
        actor: &AuditActor,
    ) -> Result<MemberRow, StoreError> {
        let mut transaction = self.db.installation().write().await?;
        let row = member_roles::find(&mut transaction, member).await?;
        insert(&mut transaction, key, member, actor).await?;
        audit::record(&mut transaction, actor, "member.connect", &row.name).await?;
        transaction.commit().await?;
        Ok(row)
    }

    /// Moves the identities of the member `from` to another member, and disables `from`.
    pub async fn take_over(
        &self,
        member: MemberId,
        from: MemberId,
        actor: &AuditActor,
    ) -> Result<MemberRow, StoreError> {
        if member == from {
            return Err(StoreError::Conflict { what: "both names are the same member" });
        }
        let mut transaction = self.db.installation().write().await?;
        let row = member_roles::find(&mut transaction, member).await?;
        let moved = sqlx::query(include_str!("../sql/catalogue/move_identities.sql"))
            .bind(from)
            .bind(member)
            .bind(&actor.name)
            .execute(&mut *transaction)
            .await?;
        if moved.rows_affected() == 0 {
            let what = "that member has not signed in with an identity provider";
            return Err(StoreError::Conflict { what });
        }
        members::switch(&mut transaction, from, true, actor).await?;
        audit::record(&mut transaction, actor, "member.connect", &row.name).await?;
        transaction.commit().await?;
        Ok(row)
    }
}

/// Creates the member of a new identity. `None` if all names are taken.
async fn create(
    transaction: &mut ProjectTx,
    key: IdentityKey<'_>,
    access: &MemberAccess,
    names: &[MemberName],
    actor: &AuditActor,
) -> Result<Option<MemberRow>, StoreError> {
    let wanted: Vec<&str> = names.iter().map(MemberName::as_str).collect();
    let free: Option<String> = sqlx::query_scalar(include_str!("../sql/catalogue/free_member_name.sql"))
        .bind(wanted)
        .fetch_optional(&mut **transaction)
        .await?;
    let Some(name) = names.iter().find(|name| Some(name.as_str()) == free.as_deref()) else {
        return Ok(None);
    };
    let new = NewMember { name: name.clone(), access: access.clone() };
    let member = members::insert(transaction, &new, actor).await?;
    insert(transaction, key, member.member_id, actor).await?;
    Ok(Some(member))
}

async fn insert(
    transaction: &mut ProjectTx,
    key: IdentityKey<'_>,
    member: MemberId,
    actor: &AuditActor,
) -> Result<(), StoreError> {
    sqlx::query(include_str!("../sql/catalogue/connect_identity.sql"))
        .bind(key.issuer)
        .bind(key.subject)
        .bind(member)
        .bind(&actor.name)
        .execute(&mut **transaction)
        .await?;
    Ok(())
}
