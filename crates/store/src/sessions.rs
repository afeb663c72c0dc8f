//! Sessions of browsers. Only the digest of the session cookie is stored.

use chrono::{DateTime, Utc};
use reflect_types::{Defence, MemberId, SessionId};
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Row};

use crate::audit::{self, AuditActor, RequestOrigin};
use crate::db::{Db, ProjectTx};
use crate::error::StoreError;
use crate::member_roles::MemberRow;
use crate::members;
use crate::members::NewMember;

/// A session to start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSession {
    /// Digest of the new cookie.
    pub digest: [u8; 32],
    /// Digest of the earlier cookie, whose session ends.
    pub instead_of: Option<[u8; 32]>,
    /// The user agent, shortened.
    pub user_agent: Option<String>,
    /// After how many seconds it expires.
    pub lasts: u32,
    /// The identity provider, if the member signed in with one.
    pub provider: Option<String>,
    /// The provider's ID token.
    pub id_token: Option<String>,
}

/// A session, as authentication needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundSession {
    /// Its id.
    pub session_id: SessionId,
    /// Its member.
    pub member: MemberRow,
    /// Whether it is valid: not ended, not expired, not idle for too long.
    pub live: bool,
    /// Whether the time of its last use is older than a minute.
    pub unnoted: bool,
    /// When it began.
    pub created_at: DateTime<Utc>,
    /// When it expires.
    pub expires_at: DateTime<Utc>,
    /// The identity provider, if the member signed in with one.
    pub provider: Option<String>,
}

impl FromRow<'_, PgRow> for FoundSession {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            session_id: row.try_get("session_id")?,
            member: MemberRow::from_row(row)?,
            live: row.try_get("live")?,
            unnoted: row.try_get("unnoted")?,
            created_at: row.try_get("session_created_at")?,
            expires_at: row.try_get("expires_at")?,
            provider: row.try_get("provider")?,
        })
    }
}

/// A session with its digest, which processes need to remove it from their caches.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct SessionRow {
    /// Its id.
    pub session_id: SessionId,
    /// Digest of the cookie.
    pub digest: Vec<u8>,
    /// Its member.
    pub member_id: MemberId,
    /// Their name.
    pub name: String,
    /// The user agent.
    pub user_agent: Option<String>,
    /// When it began.
    pub created_at: DateTime<Utc>,
    /// When it was last used, to the minute.
    pub last_seen_at: DateTime<Utc>,
    /// When it expires.
    pub expires_at: DateTime<Utc>,
}

/// Browsers that are signed in.
#[derive(Debug, Clone, Copy)]
pub struct SessionStore<'a> {
    pub(crate) db: &'a Db,
}

impl SessionStore<'_> {
    /// Uses a link and starts a session of its member. Returns `None` if the link is not valid.
    pub async fn sign_in(
        &self,
        link: &[u8; 32],
        session: &NewSession,
        origin: RequestOrigin,
    ) -> Result<Option<MemberRow>, StoreError> {
        let installation = self.db.installation();
        let mut transaction = installation.write().await?;
        let member: Option<MemberRow> = sqlx::query_as(include_str!("../sql/catalogue/use_link.sql"))
            .bind(link)
            .bind(Defence::LinkOnce.is_on())
            .fetch_optional(&mut *transaction)
            .await?;
        let Some(member) = member else { return Ok(None) };
        begin_session(&mut transaction, &member, session, origin).await?;
        transaction.commit().await?;
        Ok(Some(member))
    }

    /// Uses the setup link: creates the first member and starts a session. Returns `None` if the link is not valid or
    /// there is a member.
    pub async fn set_up(
        &self,
        link: &[u8; 32],
        new: &NewMember,
        session: &NewSession,
        origin: RequestOrigin,
    ) -> Result<Option<MemberRow>, StoreError> {
        let installation = self.db.installation();
        let mut transaction = installation.write().await?;
        sqlx::query(include_str!("../sql/catalogue/lock_members.sql")).execute(&mut *transaction).await?;
        let spent: Option<bool> = sqlx::query_scalar(include_str!("../sql/catalogue/use_setup_link.sql"))
            .bind(link)
            .fetch_optional(&mut *transaction)
            .await?;
        if spent.is_none() {
            return Ok(None);
        }
        let actor = AuditActor { name: "setup".to_owned(), origin: origin.clone() };
        let member = members::insert(&mut transaction, new, &actor).await?;
        begin_session(&mut transaction, &member, session, origin).await?;
        transaction.commit().await?;
        Ok(Some(member))
    }

    /// Finds a session by its cookie. It is invalid after `idle` seconds without use.
    pub async fn find(&self, digest: &[u8; 32], idle: u32) -> Result<Option<FoundSession>, StoreError> {
        let found = sqlx::query_as(include_str!("../sql/catalogue/find_session.sql"))
            .bind(digest)
            .bind(f64::from(idle));
        Ok(found.fetch_optional(&self.db.pools.lookups).await?)
    }

    /// Notes that a valid session was used.
    pub async fn note_use(&self, session: SessionId) -> Result<(), StoreError> {
        let noted = sqlx::query(include_str!("../sql/catalogue/note_session_use.sql")).bind(session);
        noted.execute(&self.db.pools.writes).await?;
        Ok(())
    }

    /// Live sessions, newest first: of one member, or of all.
    pub async fn list(&self, of: Option<MemberId>, idle: u32) -> Result<Vec<SessionRow>, StoreError> {
        let rows =
            sqlx::query_as(include_str!("../sql/catalogue/list_sessions.sql")).bind(of).bind(f64::from(idle));
        Ok(rows.fetch_all(&self.db.pools.reads).await?)
    }

    /// The ID token of a session.
    pub async fn id_token(&self, session: SessionId) -> Result<Option<String>, StoreError> {
        let found = sqlx::query_scalar(include_str!("../sql/catalogue/session_id_token.sql")).bind(session);
        let found: Option<Option<String>> = found.fetch_optional(&self.db.pools.reads).await?;
        Ok(found.flatten())
    }

    /// Ends a session: of this member, or of any member.
    pub async fn revoke(
        &self,
        session: SessionId,
        of: Option<MemberId>,
        actor: &AuditActor,
    ) -> Result<SessionRow, StoreError> {
        let installation = self.db.installation();
        let mut transaction = installation.write().await?;
        let row: Option<SessionRow> = sqlx::query_as(include_str!("../sql/catalogue/revoke_session.sql"))
            .bind(session)
            .bind(of)
            .fetch_optional(&mut *transaction)
            .await?;
        let row = row.ok_or(StoreError::NotFound { what: "session" })?;
        audit::record(&mut transaction, actor, "session.revoke", &session.to_string()).await?;
        transaction.commit().await?;
        Ok(row)
    }
}

pub(crate) async fn begin_session(
    transaction: &mut ProjectTx,
    member: &MemberRow,
    session: &NewSession,
    origin: RequestOrigin,
) -> Result<(), StoreError> {
    if let Some(earlier) = &session.instead_of {
        let end = sqlx::query(include_str!("../sql/catalogue/revoke_session_by_digest.sql"));
        end.bind(earlier).execute(&mut **transaction).await?;
    }
    let session_id = SessionId::generate();
    sqlx::query(include_str!("../sql/catalogue/create_session.sql"))
        .bind(session_id)
        .bind(session.digest)
        .bind(member.member_id)
        .bind(&session.user_agent)
        .bind(f64::from(session.lasts))
        .bind(&session.provider)
        .bind(&session.id_token)
        .execute(&mut **transaction)
        .await?;
    let actor = AuditActor { name: format!("member:{}", member.name), origin };
    audit::record(transaction, &actor, "session.begin", &session_id.to_string()).await
}

/// Removes sessions and links that ended long ago. Returns how many sessions.
pub(crate) async fn forget(db: &Db) -> Result<u64, StoreError> {
    let forget = sqlx::query(include_str!("../sql/catalogue/remove_sessions.sql"));
    Ok(forget.execute(&db.pools.writes).await?.rows_affected())
}
