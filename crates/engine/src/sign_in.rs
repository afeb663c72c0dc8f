//! How people come in: a link is exchanged once for a session, and the session is what their browser shows with
//! every request. They never hold a key.

use std::sync::Arc;
use std::time::Duration;

use rand::distr::{Alphanumeric, SampleString};
use reflect_store::{Actor, FoundSession, MemberRow, NewMember, NewSession, SignInFacts};
use reflect_types::{KeyId, MemberName, MemberRole, ProjectId, ProjectSlug, Scope, Trust};
use sha2::{Digest, Sha256};

use crate::authenticate::{AuthError, Visitor};
use crate::role::scopes_of;
use crate::{Engine, EngineError};

/// After so long without a request a session counts no more.
pub(crate) const IDLE: Duration = Duration::from_secs(12 * 60 * 60);
/// However busy, a session ends after this.
pub const SESSION_LASTS: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// 43 characters of 62 are 256 bits.
const SECRET: usize = 43;
/// Enough to tell browsers apart.
const LONGEST_AGENT: usize = 200;

/// A member whose session was proved.
#[derive(Debug, Clone)]
pub struct MemberHolder(Arc<FoundSession>);

/// What signing in gives: the only moment at which the session's text is known.
pub struct SignedIn {
    /// For the browser to keep.
    pub session: String,
    /// Who came in.
    pub member: MemberRow,
}

/// Without the session's text.
impl std::fmt::Debug for SignedIn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SignedIn({})", self.member.name)
    }
}

impl MemberHolder {
    /// The session, and whose it is.
    pub fn session(&self) -> &FoundSession {
        &self.0
    }

    /// Who it is.
    pub fn member(&self) -> &MemberRow {
        &self.0.member
    }

    /// Whether the member may do this.
    pub fn may(&self, scope: Scope) -> Result<(), AuthError> {
        if scopes_of(self.member().role).contains(&scope) { Ok(()) } else { Err(AuthError::RoleLacks(scope)) }
    }

    /// Whether the member may let others in and make projects. An admin of some projects may not: whoever
    /// they let in could see more than they do.
    pub fn manages_members(&self) -> bool {
        manages_members(self.member())
    }

    /// How reviews and the audit log name the member.
    pub fn name(&self) -> String {
        format!("member:{}", self.member().name)
    }

    /// How the audit log names the member in this request.
    pub fn actor(&self, request_id: Option<String>) -> Actor {
        Actor { name: self.name(), request_id }
    }
}

/// Pure: whether somebody may let others in.
fn manages_members(member: &MemberRow) -> bool {
    member.role == MemberRole::Admin && member.projects.is_none()
}

/// Pure: whether somebody may see a project.
fn sees(member: &MemberRow, project: ProjectId) -> bool {
    member.projects.as_ref().is_none_or(|projects| projects.contains(&project))
}

/// A secret of 256 random bits.
pub(crate) fn new_secret() -> String {
    Alphanumeric.sample_string(&mut rand::rng(), SECRET)
}

/// What is stored in a secret's stead.
pub(crate) fn digest(secret: &str) -> [u8; 32] {
    Sha256::digest(secret.as_bytes()).into()
}

impl Engine {
    /// Finds out whose session this is.
    pub async fn authenticate_session(&self, secret: &str) -> Result<MemberHolder, AuthError> {
        // What cannot be one is turned away without a look-up.
        if secret.len() != SECRET || !secret.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return Err(AuthError::NotSignedIn);
        }
        let digest = digest(secret);
        let found = match self.known.sessions.get(&digest).await {
            Some(found) => found,
            None => {
                let found = self.store.find_session(&digest, seconds(IDLE)).await?.map(Arc::new);
                self.known.sessions.insert(digest, found.clone()).await;
                found
            }
        };
        match found {
            None => Err(AuthError::NotSignedIn),
            Some(found) if !found.live => Err(AuthError::SessionEnded),
            Some(found) => Ok(MemberHolder(found)),
        }
    }

    /// Leads a member into a project. One that they may not see looks like one that is not there.
    pub async fn enter_as_member(
        &self,
        holder: &MemberHolder,
        slug: &ProjectSlug,
    ) -> Result<Visitor, AuthError> {
        let project = match self.known.projects.get(slug).await {
            Some(project) => project,
            None => {
                let found = self.store.find_project(slug).await?.ok_or(AuthError::NoSuchProject)?;
                self.known.projects.insert(slug.clone(), found).await;
                found
            }
        };
        let member = holder.member();
        if !sees(member, project) {
            return Err(AuthError::NoSuchProject);
        }
        Ok(Visitor {
            project,
            slug: slug.clone(),
            key_id: KeyId::from_uuid(member.member_id.as_uuid()),
            name: holder.name(),
            scopes: scopes_of(member.role).to_vec(),
            is_master: manages_members(member),
            // A person who was let in by name vouches for what they do.
            trust: Trust::Trusted,
        })
    }

    /// What a link would do, without spending it.
    pub async fn link_facts(&self, link: &str) -> Result<Option<SignInFacts>, EngineError> {
        Ok(self.store.link_facts(&digest(link)).await?)
    }

    /// Exchanges a link for a session. A session that the browser had before ends.
    pub async fn sign_in(
        &self,
        link: &str,
        earlier: Option<&str>,
        user_agent: Option<&str>,
        request_id: Option<String>,
    ) -> Result<Option<SignedIn>, EngineError> {
        let (session, new) = new_session(earlier, user_agent);
        let member = self.store.sign_in(&digest(link), &new, request_id).await?;
        self.forget_earlier(&new).await;
        Ok(member.map(|member| SignedIn { session, member }))
    }

    /// Makes the first member, who may do everything, and signs them in. Works while there is nobody.
    pub async fn set_up(
        &self,
        link: &str,
        name: MemberName,
        user_agent: Option<&str>,
        request_id: Option<String>,
    ) -> Result<Option<SignedIn>, EngineError> {
        let (session, new) = new_session(None, user_agent);
        let first = NewMember { name, role: MemberRole::Admin, projects: None };
        let member = self.store.set_up(&digest(link), &first, &new, request_id).await?;
        Ok(member.map(|member| SignedIn { session, member }))
    }

    async fn forget_earlier(&self, new: &NewSession) {
        if let Some(earlier) = &new.instead_of {
            self.known.sessions.invalidate(earlier).await;
        }
    }

    /// Ends the session that the member is here by.
    pub async fn sign_out(
        &self,
        holder: &MemberHolder,
        request_id: Option<String>,
    ) -> Result<(), EngineError> {
        let actor = holder.actor(request_id);
        let member = Some(holder.member().member_id);
        let row = self.store.revoke_session(holder.session().session_id, member, &actor).await?;
        self.forget_session(&row.digest).await;
        Ok(())
    }

    pub(crate) async fn forget_session(&self, digest: &[u8]) {
        if let Ok(digest) = <[u8; 32]>::try_from(digest) {
            self.known.sessions.invalidate(&digest).await;
        }
    }
}

fn new_session(earlier: Option<&str>, user_agent: Option<&str>) -> (String, NewSession) {
    let session = new_secret();
    let readable =
        |agent: &str| agent.chars().filter(|letter| !letter.is_control()).take(LONGEST_AGENT).collect();
    let new = NewSession {
        digest: digest(&session),
        instead_of: earlier.map(digest),
        user_agent: user_agent.map(readable),
        lasts: seconds(SESSION_LASTS),
    };
    (session, new)
}

pub(crate) fn seconds(time: Duration) -> u32 {
    u32::try_from(time.as_secs()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use reflect_types::MemberId;

    fn member(role: MemberRole, projects: Option<&[i32]>) -> MemberRow {
        MemberRow {
            member_id: MemberId::generate(),
            name: "ana".into(),
            role,
            projects: projects.map(|numbers| numbers.iter().copied().map(ProjectId::new).collect()),
            created_by: "setup".into(),
            created_at: std::time::SystemTime::now().into(),
            disabled_at: None,
            last_seen_at: None,
        }
    }

    #[test]
    fn only_an_admin_of_everything_lets_others_in() {
        assert!(manages_members(&member(MemberRole::Admin, None)));
        assert!(!manages_members(&member(MemberRole::Admin, Some(&[1]))));
        assert!(!manages_members(&member(MemberRole::Developer, None)));
    }

    #[test]
    fn a_member_sees_their_projects_and_no_other() {
        let some = member(MemberRole::Reviewer, Some(&[1, 3]));
        assert!(sees(&some, ProjectId::new(3)) && !sees(&some, ProjectId::new(2)));
        assert!(!sees(&member(MemberRole::Admin, Some(&[])), ProjectId::new(1)));
        assert!(sees(&member(MemberRole::Viewer, None), ProjectId::new(9)));
    }

    #[test]
    fn secrets_differ_and_are_never_what_is_stored() {
        let (first, second) = (new_secret(), new_secret());
        assert_ne!(first, second);
        assert_eq!(first.len(), SECRET);
        assert_ne!(digest(&first).as_slice(), first.as_bytes());
    }
}
