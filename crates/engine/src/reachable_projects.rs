//! The projects that a caller can use, for the message of an error.

use std::fmt;

/// Further projects are counted.
const MAX_NAMED: usize = 10;

/// The names of the projects that the holder of a key, or a member, can use. Other projects are never in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReachableProjects {
    owner: &'static str,
    names: Vec<String>,
    others: usize,
}

impl ReachableProjects {
    pub(crate) fn of_key(names: Vec<String>) -> Self {
        Self::new("this key", names)
    }

    pub(crate) fn of_member(names: Vec<String>) -> Self {
        Self::new("your account", names)
    }

    fn new(owner: &'static str, mut names: Vec<String>) -> Self {
        let others = names.len().saturating_sub(MAX_NAMED);
        names.truncate(MAX_NAMED);
        Self { owner, names, others }
    }
}

/// A clause such as `this key can use: a, b and 2 more`.
impl fmt::Display for ReachableProjects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.names.is_empty() {
            return write!(f, "{} can use no project", self.owner);
        }
        write!(f, "{} can use: {}", self.owner, self.names.join(", "))?;
        if self.others > 0 {
            write!(f, " and {} more", self.others)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_names_are_written_and_the_rest_is_counted() {
        let names = |count: usize| (1..=count).map(|number| format!("p{number}")).collect();
        assert_eq!(ReachableProjects::of_key(names(1)).to_string(), "this key can use: p1");
        assert_eq!(ReachableProjects::of_member(names(0)).to_string(), "your account can use no project");
        let many = ReachableProjects::of_key(names(12)).to_string();
        assert_eq!(many, "this key can use: p1, p2, p3, p4, p5, p6, p7, p8, p9, p10 and 2 more");
    }
}
