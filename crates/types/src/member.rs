//! Members: people who use the console, and their roles.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize};

use crate::outcome::{UnknownWord, words};
use crate::text;
use crate::{Defence, ProjectId};

words! {
    /// The role of a member in a project; it decides which scopes they have there.
    MemberRole as "role", expected "admin, maintainer, reviewer or viewer" {
        /// Manages the project: its keys, members and settings.
        Admin = 0: "admin",
        /// Builds agents and curates memories. Earlier versions called it developer.
        Maintainer = 1: "maintainer" | "developer",
        /// Reviews runs.
        Reviewer = 2: "reviewer",
        /// Reads only.
        Viewer = 3: "viewer",
    }
}

impl MemberRole {
    /// All roles, the highest first.
    pub const ALL: [Self; 4] = [Self::Admin, Self::Maintainer, Self::Reviewer, Self::Viewer];

    /// Whether a member with this role may do what requires `least`. A role includes all lower ones.
    ///
    /// ```
    /// use reflect_types::MemberRole;
    ///
    /// assert!(MemberRole::Maintainer.includes(MemberRole::Reviewer));
    /// assert!(!MemberRole::Viewer.includes(MemberRole::Reviewer));
    /// ```
    pub const fn includes(self, least: Self) -> bool {
        self.code() <= least.code()
    }
}

/// The roles of a member: in every project, and in single projects.
///
/// ```
/// use reflect_types::{MemberAccess, MemberRole, ProjectId};
///
/// let (one, other) = (ProjectId::new(1), ProjectId::new(2));
/// let access = MemberAccess::everywhere(MemberRole::Viewer).with(one, MemberRole::Admin);
/// assert_eq!(access.role_in(one), Some(MemberRole::Admin));
/// assert_eq!(access.role_in(other), Some(MemberRole::Viewer));
/// assert!(!access.is_installation_admin());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MemberAccess {
    /// The role in every project, also in future ones. `None` if the member has roles in single projects only.
    pub everywhere: Option<MemberRole>,
    /// The roles in single projects.
    pub projects: BTreeMap<ProjectId, MemberRole>,
}

impl MemberAccess {
    /// The same role in every project.
    pub const fn everywhere(role: MemberRole) -> Self {
        Self { everywhere: Some(role), projects: BTreeMap::new() }
    }

    /// Adds a role in one project.
    #[must_use]
    pub fn with(mut self, project: ProjectId, role: MemberRole) -> Self {
        self.projects.insert(project, role);
        self
    }

    /// The role in a project: the higher one of the role in every project and the role in this project. `None` if the
    /// member may not see the project.
    pub fn role_in(&self, project: ProjectId) -> Option<MemberRole> {
        let counts = |of: ProjectId| of == project || !Defence::ProjectRoles.is_on();
        let own = self.projects.iter().filter(|(of, _)| counts(**of)).map(|(_, role)| *role);
        own.chain(self.everywhere).min_by_key(|role| role.code())
    }

    /// Whether the member is an admin of every project, who also manages members and creates projects.
    pub fn is_installation_admin(&self) -> bool {
        self.everywhere == Some(MemberRole::Admin)
    }

    /// The projects that the member sees; `None` for all.
    pub fn visible(&self) -> Option<Vec<ProjectId>> {
        self.everywhere.is_none().then(|| self.projects.keys().copied().collect())
    }
}

/// The name of a member, as reviews and the audit log show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct MemberName(String);

/// A text that is not a valid name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must have 1 to 100 characters on one line and no invisible characters")]
pub struct InvalidMemberName;

impl MemberName {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for MemberName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for MemberName {
    type Err = InvalidMemberName;

    fn from_str(text: &str) -> Result<Self, InvalidMemberName> {
        let name = text.trim();
        // Two names that look the same must be the same, and a name is one line.
        let is_clear = text::visible(name) == name && !name.contains(['\n', '\t']);
        if name.is_empty() || name.chars().count() > 100 || !is_clear {
            return Err(InvalidMemberName);
        }
        Ok(Self(name.to_owned()))
    }
}

impl<'de> Deserialize<'de> for MemberName {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(from)?;
        text.parse().map_err(|error| serde::de::Error::custom(format!("name {error}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_higher_of_two_roles_counts_and_other_projects_are_not_visible() {
        let (one, other) = (ProjectId::new(1), ProjectId::new(2));
        let some = MemberAccess::default().with(one, MemberRole::Reviewer);
        assert_eq!((some.role_in(one), some.role_in(other)), (Some(MemberRole::Reviewer), None));
        assert_eq!(some.visible(), Some(vec![one]));

        let admin = MemberAccess::everywhere(MemberRole::Admin).with(one, MemberRole::Viewer);
        assert_eq!(admin.role_in(one), Some(MemberRole::Admin));
        assert_eq!(admin.visible(), None);
        assert!(admin.is_installation_admin());
        assert!(!MemberAccess::default().with(one, MemberRole::Admin).is_installation_admin());
    }

    #[test]
    fn a_name_is_trimmed_and_has_no_invisible_characters() {
        assert_eq!("  Ana Pérez ".parse::<MemberName>().unwrap().as_str(), "Ana Pérez");
        for odd in
            ["", "  ", "a\nb", "an\u{200b}a", "\u{202e}ana", "a\u{ad}na", "ana\u{fe0f}", &"x".repeat(101)]
        {
            assert_eq!(odd.parse::<MemberName>(), Err(InvalidMemberName), "{odd:?}");
        }
    }
}
