//! The scopes of the members' roles.

use reflect_types::{MemberRole, Scope};

/// The scopes of a role.
///
/// A developer may do everything that agents and their developers need. Creating keys is excluded: a key outlives the
/// session, so only an admin creates one. The same holds for everything that cannot be undone.
pub const fn scopes_of(role: MemberRole) -> &'static [Scope] {
    match role {
        MemberRole::Admin => Scope::ALL,
        MemberRole::Developer => &[
            Scope::MemoryRead,
            Scope::MemoryWrite,
            Scope::TraceRead,
            Scope::TraceWrite,
            Scope::ReviewWrite,
            Scope::SkillWrite,
        ],
        MemberRole::Reviewer => &[Scope::MemoryRead, Scope::TraceRead, Scope::ReviewWrite],
        MemberRole::Viewer => &[Scope::MemoryRead, Scope::TraceRead],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_admin_manages_keys_and_the_project() {
        for role in [MemberRole::Developer, MemberRole::Reviewer, MemberRole::Viewer] {
            assert!(!scopes_of(role).contains(&Scope::KeyManage), "{role}");
            assert!(!scopes_of(role).contains(&Scope::ProjectAdmin), "{role}");
        }
        assert_eq!(scopes_of(MemberRole::Admin), Scope::ALL);
    }

    #[test]
    fn a_viewer_changes_nothing_and_a_reviewer_only_verdicts() {
        let writes = |role| -> Vec<Scope> {
            let scopes = scopes_of(role).iter().copied();
            scopes.filter(|scope| !matches!(scope, Scope::MemoryRead | Scope::TraceRead)).collect()
        };
        assert!(writes(MemberRole::Viewer).is_empty());
        assert_eq!(writes(MemberRole::Reviewer), [Scope::ReviewWrite]);
    }
}
