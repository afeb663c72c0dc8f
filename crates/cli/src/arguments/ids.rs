//! Ids on the command line: a whole id, or its first characters.

use std::fmt;
use std::str::FromStr;

use uuid::Uuid;

/// The shortest accepted prefix. All ids of the same minute start with the same 8 characters.
const MIN_DIGITS: usize = 8;
/// The digits of an id.
const DIGITS: usize = 32;

/// An id, or its first characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum IdArgument<T> {
    Whole(T),
    Prefix(IdPrefix),
}

/// The first characters of an id, without hyphens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct IdPrefix(String);

/// Parses an id or the first characters of one.
pub(crate) fn id<T: FromStr>(text: &str) -> Result<IdArgument<T>, String> {
    let text = text.trim().trim_end_matches('…');
    if let Ok(whole) = text.parse() {
        return Ok(IdArgument::Whole(whole));
    }
    let digits = text.replace('-', "").to_ascii_lowercase();
    let is_prefix =
        (MIN_DIGITS..DIGITS).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_hexdigit());
    if is_prefix {
        return Ok(IdArgument::Prefix(IdPrefix(digits)));
    }
    Err(format!(
        "not an id; an id looks like 01a1dd7e-3ee9-72ee-8967-c21adbd96373, {MIN_DIGITS} or more of its first characters are \
         enough, and `list` shows the ids"
    ))
}

impl IdPrefix {
    pub(crate) fn matches(&self, id: Uuid) -> bool {
        id.simple().to_string().starts_with(&self.0)
    }

    /// The smallest id with this prefix.
    pub(crate) fn first(&self) -> Uuid {
        self.padded('0')
    }

    /// The largest id with this prefix.
    pub(crate) fn last(&self) -> Uuid {
        self.padded('f')
    }

    fn padded(&self, digit: char) -> Uuid {
        let rest = digit.to_string().repeat(DIGITS - self.0.len());
        // Always valid: 32 hexadecimal digits.
        Uuid::try_parse(&format!("{}{rest}", self.0)).unwrap_or_default()
    }
}

/// With hyphens where an id has them.
impl fmt::Display for IdPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hyphens = [8, 12, 16, 20].iter().filter(|place| **place < self.0.len()).count();
        f.write_str(&self.first().to_string()[..self.0.len() + hyphens])
    }
}

#[cfg(test)]
mod tests {
    use reflect_types::TraceId;

    use super::*;

    #[test]
    fn the_error_shows_an_example_id() {
        let whole = id::<TraceId>(" 01a1dd7e-3ee9-72ee-8967-c21adbd96373 ");
        assert!(matches!(whole, Ok(IdArgument::Whole(_))));
        for bad in ["abc", "01a1dd7", "01a1dd7e-3eeg", "refund-order"] {
            assert!(id::<TraceId>(bad).unwrap_err().contains("01a1dd7e-"), "{bad}");
        }
    }

    #[test]
    fn a_prefix_covers_the_ids_that_start_with_it() {
        let Ok(IdArgument::Prefix(prefix)) = id::<TraceId>("01A1DD7E-3ee9-7…") else {
            panic!("not a prefix")
        };
        assert_eq!(prefix.to_string(), "01a1dd7e-3ee9-7");
        assert_eq!(prefix.first().to_string(), "01a1dd7e-3ee9-7000-0000-000000000000");
        assert_eq!(prefix.last().to_string(), "01a1dd7e-3ee9-7fff-ffff-ffffffffffff");
        assert!(prefix.matches(prefix.first()) && prefix.matches(prefix.last()));
        assert!(!prefix.matches(Uuid::nil()));
    }
}
