//! The name of a reviewer, as stored with reviews, leases and deferrals.

use std::time::Duration;

use crate::caller::Visitor;
use crate::error::EngineError;

const LONGEST_NAME: usize = 100;
/// A longer delay would keep learning too far behind.
const LONGEST_GRACE: Duration = Duration::from_secs(300);

/// The key, `key:<public id>`, or with a name from the caller `key:<public id>/ana`. The name is not verified;
/// permissions depend on the key only.
pub(crate) fn reviewer(visitor: &Visitor, named: Option<&str>) -> Result<String, EngineError> {
    let Some(name) = named else { return Ok(visitor.name.clone()) };
    let name = name.trim();
    if name.is_empty() || name.chars().count() > LONGEST_NAME || name.chars().any(char::is_control) {
        let problem = format!("must have 1 to {LONGEST_NAME} characters, none of them a control character");
        return Err(EngineError::invalid("reviewer", problem));
    }
    Ok(format!("{}/{name}", visitor.name))
}

pub(crate) fn check_grace(grace: Duration) -> Result<(), EngineError> {
    if grace > LONGEST_GRACE {
        let problem = format!("must be from 0 to {}", LONGEST_GRACE.as_secs());
        return Err(EngineError::invalid("grace_seconds", problem));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use reflect_types::{KeyId, ProjectId, Trust};

    fn visitor() -> Visitor {
        Visitor {
            project: ProjectId::new(1),
            slug: "p".parse().unwrap(),
            key_id: KeyId::generate(),
            name: "key:abcdefgh".to_owned(),
            scopes: Vec::new(),
            is_master: false,
            trust: Trust::Normal,
            limits: crate::caller::KeyLimits::default(),
        }
    }

    #[test]
    fn two_people_behind_one_key_are_two_reviewers() {
        assert_eq!(reviewer(&visitor(), None).unwrap(), "key:abcdefgh");
        assert_eq!(reviewer(&visitor(), Some(" ana ")).unwrap(), "key:abcdefgh/ana");
    }

    #[test]
    fn a_name_that_cannot_be_read_is_refused() {
        for name in ["", "  ", "a\nb", &"x".repeat(101)] {
            assert!(reviewer(&visitor(), Some(name)).is_err(), "{name:?}");
        }
    }
}
