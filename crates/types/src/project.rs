//! A project: the tenant, and the first column of every key.
//!
//! On the wire, a project is named by a slug that its owner chose; in the database, by a small number.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The number of a project inside one installation. Never shown outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "sqlx", derive(sqlx::Type), sqlx(transparent))]
pub struct ProjectId(i32);

impl ProjectId {
    /// Owns what belongs to no project: the audit entries of the installation itself.
    pub const INSTALLATION: Self = Self(0);

    /// The project stored under this number.
    pub const fn new(number: i32) -> Self {
        Self(number)
    }

    /// The number.
    pub const fn number(self) -> i32 {
        self.0
    }
}

/// The name of a project as its users write it, in paths and in settings.
///
/// Any text is accepted, also with spaces and slashes, because old clients do not check it.
///
/// ```
/// use reflect_types::ProjectSlug;
///
/// assert!("a b/c".parse::<ProjectSlug>().is_ok());
/// assert!("".parse::<ProjectSlug>().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(try_from = "String", into = "String")]
#[cfg_attr(feature = "openapi", schema(value_type = String, max_length = 200))]
pub struct ProjectSlug(String);

/// Why a text cannot name a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a project id has 1 to 200 characters and no control characters")]
pub struct InvalidSlug;

impl ProjectSlug {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for ProjectSlug {
    type Error = InvalidSlug;
    fn try_from(text: String) -> Result<Self, InvalidSlug> {
        let length = text.chars().count();
        if length == 0 || length > 200 || text.chars().any(char::is_control) {
            return Err(InvalidSlug);
        }
        Ok(Self(text))
    }
}

impl FromStr for ProjectSlug {
    type Err = InvalidSlug;
    fn from_str(text: &str) -> Result<Self, InvalidSlug> {
        Self::try_from(text.to_owned())
    }
}

impl From<ProjectSlug> for String {
    fn from(slug: ProjectSlug) -> String {
        slug.0
    }
}

impl fmt::Display for ProjectSlug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_and_long_names_are_refused() {
        assert!("a\0b".parse::<ProjectSlug>().is_err());
        assert!("x".repeat(201).parse::<ProjectSlug>().is_err());
        assert!("é".repeat(200).parse::<ProjectSlug>().is_ok());
    }
}
