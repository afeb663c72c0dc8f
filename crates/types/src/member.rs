//! People who use the console, and what they are there for.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize};

use crate::outcome::{UnknownWord, words};

words! {
    /// What a member is there for; it decides which scopes they have.
    MemberRole as "role", expected "admin, developer, reviewer or viewer" {
        /// Runs the installation.
        Admin = 0: "admin",
        /// Builds agents.
        Developer = 1: "developer",
        /// Judges runs.
        Reviewer = 2: "reviewer",
        /// Looks on.
        Viewer = 3: "viewer",
    }
}

/// What a member is called, in reviews and in the audit log too.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct MemberName(String);

/// Why a text is no name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must have 1 to 100 characters and no control characters")]
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
        // Invisible characters too: two names that look the same must be the same.
        let odd = |letter: char| {
            letter.is_control()
                || matches!(letter, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
        };
        if name.is_empty() || name.chars().count() > 100 || name.contains(odd) {
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
    fn a_name_is_trimmed_and_shows_all_it_has() {
        assert_eq!("  Ana Pérez ".parse::<MemberName>().unwrap().as_str(), "Ana Pérez");
        for odd in ["", "  ", "a\nb", "an\u{200b}a", "\u{202e}ana", &"x".repeat(101)] {
            assert_eq!(odd.parse::<MemberName>(), Err(InvalidMemberName), "{odd:?}");
        }
    }
}
