//! Counts of redacted values per class. The values are not kept.

use std::collections::BTreeMap;

use crate::Class;

/// How many values were redacted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings(BTreeMap<Class, u64>);

impl Findings {
    pub(crate) fn add(&mut self, class: Class) {
        *self.0.entry(class).or_default() += 1;
    }

    /// The number of redacted values.
    pub fn total(&self) -> u64 {
        self.0.values().sum()
    }

    /// The number of redacted values of each class.
    pub fn by_class(&self) -> impl Iterator<Item = (Class, u64)> + '_ {
        self.0.iter().map(|(class, count)| (*class, *count))
    }

    /// The first class of personal data that was found, if any.
    pub fn personal(&self) -> Option<Class> {
        self.0.keys().copied().find(|class| class.is_personal())
    }
}

impl std::ops::AddAssign<&Self> for Findings {
    fn add_assign(&mut self, other: &Self) {
        for (class, count) in other.by_class() {
            *self.0.entry(class).or_default() += count;
        }
    }
}
