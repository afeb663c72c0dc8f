//! The facets of a memory that can be changed, and their state after changes and undos. Pure functions.

use std::collections::BTreeMap;

use reflect_rules::credit::Share;
use reflect_types::{Credit, MemoryId, MemoryStatus, Trust};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Row};

use crate::db::coded;
use crate::ledger::{Changed, HALVED, POOLED};

/// Whether a memory is in use, and if not, why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Presence {
    /// In use.
    Kept,
    /// Disabled by a person.
    Disabled,
    /// Deleted by a person. Can be restored.
    Deleted,
    /// Merged into this memory.
    Merged(MemoryId),
    /// Its texts are erased.
    Erased,
}

impl Presence {
    pub(super) const fn code(self) -> i16 {
        match self {
            Self::Kept => 0,
            Self::Disabled => 1,
            Self::Deleted => 2,
            Self::Merged(_) => 3,
            Self::Erased => 4,
        }
    }

    pub(super) const fn merged_into(self) -> Option<MemoryId> {
        match self {
            Self::Merged(into) => Some(into),
            _ => None,
        }
    }

    pub(super) const fn stored(code: i16, merged_into: Option<MemoryId>) -> Option<Self> {
        Some(match (code, merged_into) {
            (0, _) => Self::Kept,
            (1, _) => Self::Disabled,
            (2, _) => Self::Deleted,
            (3, Some(into)) => Self::Merged(into),
            (4, _) => Self::Erased,
            _ => return None,
        })
    }
}

/// The state of a locked memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MemoryState {
    /// The memory.
    pub memory_id: MemoryId,
    /// Whether it is there.
    pub presence: Presence,
    /// Whether it is in quarantine.
    pub quarantined: bool,
    /// Whether it is pinned: every query returns it first.
    pub pinned: bool,
    /// Whether the review behind it was withdrawn.
    pub retired: bool,
    /// The status that follows.
    pub status: MemoryStatus,
    /// The trust of its source.
    pub trust: Trust,
    /// Its utility.
    pub q: f32,
    /// How many reviews moved it.
    pub reviews: i32,
    /// How many of them were passes.
    pub passes: i32,
    /// Its credit.
    pub credit: Credit,
}

impl MemoryState {
    /// Its share if it is merged into another memory.
    pub const fn share(&self) -> Share {
        let (credit, evidence) = (self.credit.value(), self.credit.evidence());
        Share {
            memory_id: self.memory_id,
            q: self.q,
            reviews: self.reviews,
            passes: self.passes,
            credit,
            evidence,
            origin: None,
        }
    }
}

impl FromRow<'_, PgRow> for MemoryState {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            memory_id: row.try_get("memory_id")?,
            presence: coded(Presence::stored(row.try_get("presence")?, row.try_get("merged_into")?))?,
            quarantined: row.try_get("quarantined")?,
            pinned: row.try_get("pinned")?,
            retired: row.try_get("retired")?,
            status: coded(MemoryStatus::from_code(row.try_get("status")?))?,
            trust: coded(Trust::from_code(row.try_get("trust")?))?,
            q: row.try_get("q")?,
            reviews: row.try_get("reviews")?,
            passes: row.try_get("passes")?,
            credit: Credit::stored(row.try_get("credit")?, row.try_get("evidence")?),
        })
    }
}

/// One thing that is changed about a memory.
#[derive(Debug, Clone, PartialEq)]
pub enum MemoryChange {
    /// Whether it is there.
    Presence(Presence),
    /// Whether it is in quarantine.
    Quarantined(bool),
    /// Whether it is pinned: every query returns it first.
    Pinned(bool),
    /// The evidence of its credit is halved, because its text changed.
    Halved,
    /// Utilities and credits of merged memories are pooled.
    Pooled(Vec<Share>),
}

/// The facets, as they are numbered in the curation ledger.
pub(super) const PRESENCE: i16 = 0;
pub(super) const QUARANTINED: i16 = 1;
pub(super) const PINNED: i16 = 2;
pub(super) const TEXT: i16 = 3;

/// The name of a facet, for people.
pub(crate) const fn facet_name(facet: i16) -> &'static str {
    match facet {
        PRESENCE => "presence",
        QUARANTINED => "quarantined",
        PINNED => "pinned",
        TEXT => "version",
        HALVED => "evidence",
        _ => "pooled",
    }
}

/// A change as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Noted {
    pub(super) memory_id: MemoryId,
    pub(super) facet: i16,
    pub(super) before: Value,
    pub(super) after: Value,
}

impl MemoryChange {
    pub(super) fn noted(&self, state: &MemoryState) -> Noted {
        let (facet, before, after) = match self {
            Self::Presence(after) => (PRESENCE, json!(state.presence), json!(after)),
            Self::Quarantined(after) => (QUARANTINED, json!(state.quarantined), json!(after)),
            Self::Pinned(after) => (PINNED, json!(state.pinned), json!(after)),
            Self::Halved => (HALVED, Value::Null, Value::Null),
            Self::Pooled(shares) => (POOLED, Value::Null, json!(shares)),
        };
        Noted { memory_id: state.memory_id, facet, before, after }
    }
}

/// A change that was stored or undone, and its position in the ledger of utility.
#[derive(Debug, Clone, Copy, sqlx::FromRow)]
pub(super) struct ChangedRow {
    pub(super) memory_id: MemoryId,
    pub(super) facet: i16,
    entered: i64,
    credited: i32,
}

impl ChangedRow {
    /// Whether it changes utility or credit.
    pub(super) const fn moves_utility(&self) -> bool {
        matches!(self.facet, HALVED | POOLED)
    }

    /// From where the memory is folded again.
    pub(super) fn step(&self) -> Changed {
        Changed::step(self.memory_id, self.entered, self.credited)
    }
}

/// A row of the curation ledger.
#[derive(Debug, Clone, PartialEq, sqlx::FromRow)]
pub(super) struct ChangeRow {
    pub(super) memory_id: MemoryId,
    pub(super) facet: i16,
    pub(super) before: Value,
    pub(super) after: Value,
    pub(super) undone: bool,
}

/// The current facets of a memory. `None` for facets that were not read.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Facets {
    pub(super) presence: Option<Presence>,
    pub(super) quarantined: Option<bool>,
    pub(super) pinned: Option<bool>,
    pub(super) version: Option<i32>,
}

/// The current facets of memories: for each facet the last change that was not undone, or the value before the first
/// change. The rows are in the order of the changes.
pub(super) fn what_holds(rows: &[ChangeRow]) -> BTreeMap<MemoryId, Facets> {
    let mut values: BTreeMap<(MemoryId, i16), &Value> = BTreeMap::new();
    for row in rows {
        let value = values.entry((row.memory_id, row.facet)).or_insert(&row.before);
        if !row.undone {
            *value = &row.after;
        }
    }
    let mut held: BTreeMap<MemoryId, Facets> = BTreeMap::new();
    for ((memory, facet), value) in values {
        let facets = held.entry(memory).or_default();
        match facet {
            PRESENCE => facets.presence = read(value),
            QUARANTINED => facets.quarantined = read(value),
            PINNED => facets.pinned = read(value),
            TEXT => facets.version = read(value),
            _ => {}
        }
    }
    held
}

/// A value that this version cannot read changes nothing.
fn read<T: serde::de::DeserializeOwned>(value: &Value) -> Option<T> {
    T::deserialize(value).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(memory_id: MemoryId, facet: i16, before: Value, after: Value, undone: bool) -> ChangeRow {
        ChangeRow { memory_id, facet, before, after, undone }
    }

    #[test]
    fn changes_can_be_undone_in_any_order() {
        let memory = MemoryId::generate();
        let other = MemoryId::generate();
        let states = [Presence::Kept, Presence::Disabled, Presence::Deleted, Presence::Merged(other)];
        let holds = |undone: [bool; 3]| {
            let rows: Vec<ChangeRow> = (0..3)
                .map(|at| row(memory, PRESENCE, json!(states[at]), json!(states[at + 1]), undone[at]))
                .collect();
            what_holds(&rows)[&memory].presence
        };
        assert_eq!(holds([false, false, false]), Some(Presence::Merged(other)));
        assert_eq!(holds([false, false, true]), Some(Presence::Deleted));
        // Taking back what is covered by a later change shows only when that one is taken back too.
        assert_eq!(holds([false, true, false]), Some(Presence::Merged(other)));
        assert_eq!(holds([false, true, true]), Some(Presence::Disabled));
        assert_eq!(holds([true, true, true]), Some(Presence::Kept));
    }

    #[test]
    fn facets_do_not_touch_each_other() {
        let memory = MemoryId::generate();
        let rows = [
            row(memory, PINNED, json!(false), json!(true), false),
            row(memory, TEXT, json!(1), json!(2), true),
        ];
        let expected = Facets { pinned: Some(true), version: Some(1), ..Facets::default() };
        assert_eq!(what_holds(&rows)[&memory], expected);
    }
}
