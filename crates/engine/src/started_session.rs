//! A new session: what the store keeps of it, and what the browser keeps.

use std::time::Duration;

use reflect_store::{MemberRow, NewSession};

use crate::credentials::{digest, new_secret, seconds};

/// Enough to tell browsers apart.
const LONGEST_AGENT: usize = 200;

/// A session that was just started. Its secret is not stored, so this is the only time it is known.
pub struct StartedSession {
    /// The secret, for the browser to keep.
    pub session: String,
    /// The member who signed in.
    pub member: MemberRow,
    /// After this time it ends.
    pub lasts: Duration,
}

/// Leaves out the secret.
impl std::fmt::Debug for StartedSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "StartedSession({})", self.member.name)
    }
}

/// The secret of a new session, and its row.
pub(crate) fn new_session(
    earlier: Option<&str>,
    user_agent: Option<&str>,
    lasts: Duration,
) -> (String, NewSession) {
    let session = new_secret();
    let readable =
        |agent: &str| agent.chars().filter(|letter| !letter.is_control()).take(LONGEST_AGENT).collect();
    let new = NewSession {
        digest: digest(&session),
        instead_of: earlier.map(digest),
        user_agent: user_agent.map(readable),
        lasts: seconds(lasts),
        provider: None,
        id_token: None,
    };
    (session, new)
}
