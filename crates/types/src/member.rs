//! Members: people who use the console, and their roles.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize};

use crate::outcome::{UnknownWord, words};
use crate::text;

words! {
    /// The role of a member; it decides which scopes they have.
    MemberRole as "role", expected "admin, developer, reviewer or viewer" {
        /// Runs the installation.
        Admin = 0: "admin",
        /// Builds agents.
        Developer = 1: "developer",
        /// Reviews runs.
        Reviewer = 2: "reviewer",
        /// Reads only.
        Viewer = 3: "viewer",
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
    fn a_name_is_trimmed_and_has_no_invisible_characters() {
        assert_eq!("  Ana Pérez ".parse::<MemberName>().unwrap().as_str(), "Ana Pérez");
        for odd in
            ["", "  ", "a\nb", "an\u{200b}a", "\u{202e}ana", "a\u{ad}na", "ana\u{fe0f}", &"x".repeat(101)]
        {
            assert_eq!(odd.parse::<MemberName>(), Err(InvalidMemberName), "{odd:?}");
        }
    }
}
