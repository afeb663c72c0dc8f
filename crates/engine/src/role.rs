//! The scopes of the members' roles.

use reflect_types::{MemberRole, Scope};

/// The least role that has a scope.
///
/// A maintainer may do everything that agents and their developers need. Creating keys is excluded: a key outlives the
/// session, so only an admin creates one. The same holds for everything that cannot be undone. A webhook outlives the session too,
/// but it cannot call the API, and the list of webhooks says who created it.
pub const fn least_role(scope: Scope) -> MemberRole {
    match scope {
        Scope::MemoryRead | Scope::TraceRead => MemberRole::Viewer,
        Scope::ReviewWrite | Scope::SignalWrite => MemberRole::Reviewer,
        Scope::MemoryWrite | Scope::TraceWrite | Scope::SkillWrite | Scope::WebhookManage => {
            MemberRole::Maintainer
        }
        Scope::KeyManage | Scope::ProjectAdmin => MemberRole::Admin,
    }
}

/// The scopes of a role.
pub fn scopes_of(role: MemberRole) -> Vec<Scope> {
    Scope::ALL.iter().copied().filter(|scope| role.includes(least_role(*scope))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_admin_manages_keys_and_the_project() {
        for role in [MemberRole::Maintainer, MemberRole::Reviewer, MemberRole::Viewer] {
            assert!(!scopes_of(role).contains(&Scope::KeyManage), "{role}");
            assert!(!scopes_of(role).contains(&Scope::ProjectAdmin), "{role}");
        }
        assert_eq!(scopes_of(MemberRole::Admin), Scope::ALL);
    }

    #[test]
    fn a_viewer_changes_nothing_and_a_reviewer_only_verdicts() {
        let writes = |role| -> Vec<Scope> {
            let scopes = scopes_of(role).into_iter();
            scopes.filter(|scope| !matches!(scope, Scope::MemoryRead | Scope::TraceRead)).collect()
        };
        assert!(writes(MemberRole::Viewer).is_empty());
        assert_eq!(writes(MemberRole::Reviewer), [Scope::ReviewWrite, Scope::SignalWrite]);
    }
}
