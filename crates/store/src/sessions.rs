//! Sessions: browsers that are signed in. What a browser keeps is known here by its digest alone.

use chrono::{DateTime, Utc};
use reflect_types::{MemberId, SessionId};
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Postgres, Row, Transaction};

use crate::audit::Actor;
use crate::error::StoreError;
use crate::members::{MemberRow, NewMember};
use crate::store::Store;

/// A session to begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSession {
    /// Digest of what the browser will keep.
    pub digest: [u8; 32],
    /// Digest of what it kept before, whose session ends.
    pub instead_of: Option<[u8; 32]>,
    /// How the browser names itself, shortened.
    pub user_agent: Option<String>,
    /// After how many seconds it ends by itself.
    pub lasts: u32,
}

/// A session as the doors need it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundSession {
    /// Its id.
    pub session_id: SessionId,
    /// Whose it is.
    pub member: MemberRow,
    /// Whether it lets anybody in: neither ended, nor too old, nor unused for too long.
    pub live: bool,
    /// When it began.
    pub created_at: DateTime<Utc>,
    /// When it ends by itself.
    pub expires_at: DateTime<Utc>,
}

impl FromRow<'_, PgRow> for FoundSession {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            session_id: row.try_get("session_id")?,
            member: MemberRow::from_row(row)?,
            live: row.try_get("live")?,
            created_at: row.try_get("session_created_at")?,
            expires_at: row.try_get("expires_at")?,
        })
    }
}

/// A session, without anything secret but its digest, by which a process forgets it.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct SessionRow {
    /// Its id.
    pub session_id: SessionId,
    /// Digest of what the browser keeps.
    pub digest: Vec<u8>,
    /// Whose it is.
    pub member_id: MemberId,
    /// Their name.
    pub name: String,
    /// How the browser names itself.
    pub user_agent: Option<String>,
    /// When it began.
    pub created_at: DateTime<Utc>,
    /// When it was last used, to the minute.
    pub last_seen_at: DateTime<Utc>,
    /// When it ends by itself.
    pub expires_at: DateTime<Utc>,
}

impl Store {
    /// Spends a link and begins the session of the member it was made for. Nothing happens, and nobody is
    /// let in, when the link does not work.
    pub async fn sign_in(
        &self,
        link: &[u8; 32],
        session: &NewSession,
        request_id: Option<String>,
    ) -> Result<Option<MemberRow>, StoreError> {
        let installation = self.installation();
        let mut transaction = installation.write().await?;
        let member: Option<MemberRow> = sqlx::query_as(include_str!("../sql/catalogue/use_link.sql"))
            .bind(link)
            .fetch_optional(&mut *transaction)
            .await?;
        let Some(member) = member else { return Ok(None) };
        self.begin_session(&mut transaction, &member, session, request_id).await?;
        installation.commit(transaction).await?;
        Ok(Some(member))
    }

    /// Spends the setup link: the first member, signed in. Nothing happens when the link does not work or
    /// somebody was first.
    pub async fn set_up(
        &self,
        link: &[u8; 32],
        new: &NewMember,
        session: &NewSession,
        request_id: Option<String>,
    ) -> Result<Option<MemberRow>, StoreError> {
        let installation = self.installation();
        let mut transaction = installation.write().await?;
        sqlx::query(include_str!("../sql/catalogue/lock_members.sql")).execute(&mut *transaction).await?;
        let spent: Option<bool> = sqlx::query_scalar(include_str!("../sql/catalogue/use_setup_link.sql"))
            .bind(link)
            .fetch_optional(&mut *transaction)
            .await?;
        if spent.is_none() {
            return Ok(None);
        }
        let actor = Actor { name: "setup".to_owned(), request_id: request_id.clone() };
        let member = self.insert_member(&mut transaction, new, &actor).await?;
        self.begin_session(&mut transaction, &member, session, request_id).await?;
        installation.commit(transaction).await?;
        Ok(Some(member))
    }

    async fn begin_session(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        member: &MemberRow,
        session: &NewSession,
        request_id: Option<String>,
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
            .execute(&mut **transaction)
            .await?;
        let actor = Actor { name: format!("member:{}", member.name), request_id };
        self.installation().note(transaction, &actor, "session.begin", &session_id.to_string()).await
    }

    /// Finds a session by what the browser keeps, and notes that it was used. `idle` is after how many
    /// seconds without use it counts no more.
    pub async fn find_session(
        &self,
        digest: &[u8; 32],
        idle: u32,
    ) -> Result<Option<FoundSession>, StoreError> {
        let found = sqlx::query_as(include_str!("../sql/catalogue/find_session.sql"))
            .bind(digest)
            .bind(f64::from(idle));
        Ok(found.fetch_optional(&self.pools.reads).await?)
    }

    /// Live sessions, newest first: of one member, or of everybody.
    pub async fn sessions(&self, of: Option<MemberId>, idle: u32) -> Result<Vec<SessionRow>, StoreError> {
        let rows =
            sqlx::query_as(include_str!("../sql/catalogue/list_sessions.sql")).bind(of).bind(f64::from(idle));
        Ok(rows.fetch_all(&self.pools.reads).await?)
    }

    /// Ends a session: of this member, or of anybody.
    pub async fn revoke_session(
        &self,
        session: SessionId,
        of: Option<MemberId>,
        actor: &Actor,
    ) -> Result<SessionRow, StoreError> {
        let installation = self.installation();
        let mut transaction = installation.write().await?;
        let row: Option<SessionRow> = sqlx::query_as(include_str!("../sql/catalogue/revoke_session.sql"))
            .bind(session)
            .bind(of)
            .fetch_optional(&mut *transaction)
            .await?;
        let row = row.ok_or(StoreError::NotFound { what: "session" })?;
        installation.note(&mut transaction, actor, "session.revoke", &session.to_string()).await?;
        installation.commit(transaction).await?;
        Ok(row)
    }

    /// Removes sessions and links that have long ended. Says how many sessions went.
    pub(crate) async fn forget_sessions(&self) -> Result<u64, StoreError> {
        let forget = sqlx::query(include_str!("../sql/catalogue/forget_sessions.sql"));
        Ok(forget.execute(&self.pools.writes).await?.rows_affected())
    }
}
