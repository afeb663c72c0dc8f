//! Sessions of members: a link is exchanged once for a session, and the browser sends the session with every request.
//! Members hold no API key.

use reflect_store::{AuditActor, NewMember, RequestOrigin, SessionRow, SignInFacts, Store};
use reflect_types::{MemberAccess, MemberName, MemberRole, SessionId};

use crate::auth_cache::AuthCache;
use crate::caller::MemberHolder;
use crate::credentials::{SESSION_IDLE, SESSION_LASTS, digest, seconds};
use crate::error::EngineError;
use crate::started_session::{StartedSession, new_session};

/// Signs members in and out.
#[derive(Debug, Clone)]
pub struct Sessions {
    store: Store,
    cache: AuthCache,
}

impl Sessions {
    pub(crate) const fn new(store: Store, cache: AuthCache) -> Self {
        Self { store, cache }
    }

    /// What a link would do. Does not use it up.
    pub async fn link_facts(&self, link: &str) -> Result<Option<SignInFacts>, EngineError> {
        Ok(self.store.members().link_facts(&digest(link)).await?)
    }

    /// Exchanges a link for a session. An earlier session of the same browser ends.
    pub async fn sign_in(
        &self,
        link: &str,
        earlier: Option<&str>,
        user_agent: Option<&str>,
        origin: RequestOrigin,
    ) -> Result<Option<StartedSession>, EngineError> {
        let (session, new) = new_session(earlier, user_agent, SESSION_LASTS);
        let member = self.store.sessions().sign_in(&digest(link), &new, origin).await?;
        if let Some(earlier) = &new.instead_of {
            self.cache.invalidate_session(earlier).await;
        }
        Ok(member.map(|member| StartedSession { session, member, lasts: SESSION_LASTS }))
    }

    /// Creates the first member, an admin, and signs them in. Works only while there is no member.
    pub async fn set_up(
        &self,
        link: &str,
        name: MemberName,
        user_agent: Option<&str>,
        origin: RequestOrigin,
    ) -> Result<Option<StartedSession>, EngineError> {
        let (session, new) = new_session(None, user_agent, SESSION_LASTS);
        let first = NewMember { name, access: MemberAccess::everywhere(MemberRole::Admin) };
        let member = self.store.sessions().set_up(&digest(link), &first, &new, origin).await?;
        Ok(member.map(|member| StartedSession { session, member, lasts: SESSION_LASTS }))
    }

    /// Ends the session of this request.
    pub async fn sign_out(&self, holder: &MemberHolder, origin: RequestOrigin) -> Result<(), EngineError> {
        let actor = holder.actor(origin);
        let member = Some(holder.member().member_id);
        let row = self.store.sessions().revoke(holder.session().session_id, member, &actor).await?;
        self.cache.invalidate_session(&row.digest).await;
        Ok(())
    }

    /// The live sessions of the member, or with `all` of every member, for those who manage members.
    pub async fn list(&self, holder: &MemberHolder, all: bool) -> Result<Vec<SessionRow>, EngineError> {
        if all {
            holder.check_manages_members()?;
        }
        let of = (!all).then_some(holder.member().member_id);
        Ok(self.store.sessions().list(of, seconds(SESSION_IDLE)).await?)
    }

    /// Ends a session: the member's own, or any session for those who manage members.
    pub async fn revoke(
        &self,
        holder: &MemberHolder,
        session: SessionId,
        actor: &AuditActor,
    ) -> Result<SessionRow, EngineError> {
        let of = (!holder.manages_members()).then_some(holder.member().member_id);
        let row = self.store.sessions().revoke(session, of, actor).await?;
        self.cache.invalidate_session(&row.digest).await;
        Ok(row)
    }
}
