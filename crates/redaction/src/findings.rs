//! How much was found, by class. Never what.

use std::collections::BTreeMap;

use crate::Class;

/// How much was taken out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings(BTreeMap<Class, u64>);

impl Findings {
    pub(crate) fn add(&mut self, class: Class) {
        *self.0.entry(class).or_default() += 1;
    }

    /// How many places.
    pub fn total(&self) -> u64 {
        self.0.values().sum()
    }

    /// How many places of each class that was found.
    pub fn by_class(&self) -> impl Iterator<Item = (Class, u64)> + '_ {
        self.0.iter().map(|(class, count)| (*class, *count))
    }

    /// A class of personal data that was found.
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
