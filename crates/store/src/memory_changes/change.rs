//! The facets of a memory that can be changed, and their state after changes and undos. Pure functions.

use std::collections::BTreeMap;

use reflect_rules::credit::Share;
use reflect_types::{Credit, LessonId, MemoryId, MemoryStatus, ReviewId, Trust};
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
    /// This memory stands for it, because it has the same advice about nearly the same task. Its numbers are its own.
    Absorbed(MemoryId),
    /// The run of this review contradicted it.
    Superseded(ReviewId),
    /// Its texts are erased.
    Erased,
}

impl Presence {
    pub(crate) const fn code(self) -> i16 {
        match self {
            Self::Kept => 0,
            Self::Disabled | Self::Superseded(_) => 1,
            Self::Deleted => 2,
            Self::Merged(_) | Self::Absorbed(_) => 3,
            Self::Erased => 4,
        }
    }

    /// The memory that it is merged into or that stands for it.
    pub const fn merged_into(self) -> Option<MemoryId> {
        match self {
            Self::Merged(into) | Self::Absorbed(into) => Some(into),
            _ => None,
        }
    }

    pub(crate) const fn superseded_by(self) -> Option<ReviewId> {
        match self {
            Self::Superseded(review) => Some(review),
            _ => None,
        }
    }

    /// From the columns. They do not tell an absorbed memory from a merged one.
    const fn stored(
        code: i16,
        merged_into: Option<MemoryId>,
        superseded_by: Option<ReviewId>,
    ) -> Option<Self> {
        Some(match (code, merged_into, superseded_by) {
            (0, ..) => Self::Kept,
            (1, _, Some(review)) => Self::Superseded(review),
            (1, ..) => Self::Disabled,
            (2, ..) => Self::Deleted,
            (3, Some(into), _) => Self::Merged(into),
            (4, ..) => Self::Erased,
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
    /// Its lesson. `None` if it is not grouped.
    pub lesson_id: Option<LessonId>,
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
        let presence = Presence::stored(
            row.try_get("presence")?,
            row.try_get("merged_into")?,
            row.try_get("superseded_by")?,
        );
        Ok(Self {
            memory_id: row.try_get("memory_id")?,
            presence: coded(presence)?,
            quarantined: row.try_get("quarantined")?,
            pinned: row.try_get("pinned")?,
            retired: row.try_get("retired")?,
            status: coded(MemoryStatus::from_code(row.try_get("status")?))?,
            trust: coded(Trust::from_code(row.try_get("trust")?))?,
            q: row.try_get("q")?,
            reviews: row.try_get("reviews")?,
            passes: row.try_get("passes")?,
            credit: Credit::stored(row.try_get("credit")?, row.try_get("evidence")?),
            lesson_id: row.try_get("lesson_id")?,
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
    /// Which lesson it belongs to. `None`: it is not grouped.
    Lesson(Option<LessonId>),
}

/// The facets, as they are numbered in the curation ledger.
pub(crate) const PRESENCE: i16 = 0;
pub(crate) const QUARANTINED: i16 = 1;
pub(crate) const PINNED: i16 = 2;
pub(crate) const TEXT: i16 = 3;
pub(crate) const LESSON: i16 = 6;

/// The name of a facet, for people.
pub(crate) const fn facet_name(facet: i16) -> &'static str {
    match facet {
        PRESENCE => "presence",
        QUARANTINED => "quarantined",
        PINNED => "pinned",
        TEXT => "version",
        HALVED => "evidence",
        LESSON => "lesson",
        _ => "pooled",
    }
}

/// A change as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Noted {
    pub(crate) memory_id: MemoryId,
    pub(crate) facet: i16,
    pub(crate) before: Value,
    pub(crate) after: Value,
}

impl Noted {
    pub(crate) fn presence(memory_id: MemoryId, before: Presence, after: Presence) -> Self {
        Self { memory_id, facet: PRESENCE, before: json!(before), after: json!(after) }
    }

    pub(crate) fn lesson(memory_id: MemoryId, before: Option<LessonId>, after: Option<LessonId>) -> Self {
        Self { memory_id, facet: LESSON, before: json!(before), after: json!(after) }
    }
}

impl MemoryChange {
    pub(crate) fn noted(&self, state: &MemoryState) -> Noted {
        let (facet, before, after) = match self {
            Self::Presence(after) => return Noted::presence(state.memory_id, state.presence, *after),
            Self::Lesson(after) => return Noted::lesson(state.memory_id, state.lesson_id, *after),
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
pub(crate) struct ChangedRow {
    pub(crate) memory_id: MemoryId,
    pub(crate) facet: i16,
    entered: i64,
    credited: i32,
}

impl ChangedRow {
    /// Whether it changes utility or credit.
    pub(crate) const fn moves_utility(&self) -> bool {
        matches!(self.facet, HALVED | POOLED)
    }

    /// From where the memory is folded again.
    pub(crate) fn step(&self) -> Changed {
        Changed::step(self.memory_id, self.entered, self.credited)
    }
}

/// A row of the curation ledger.
#[derive(Debug, Clone, PartialEq, sqlx::FromRow)]
pub(crate) struct ChangeRow {
    pub(crate) memory_id: MemoryId,
    pub(crate) facet: i16,
    pub(crate) before: Value,
    pub(crate) after: Value,
    pub(crate) undone: bool,
}

/// The current facets of a memory. `None` for facets that were not read.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Facets {
    pub(crate) presence: Option<Presence>,
    pub(crate) quarantined: Option<bool>,
    pub(crate) pinned: Option<bool>,
    pub(crate) version: Option<i32>,
    pub(crate) lesson: Option<Option<LessonId>>,
}

/// The current facets of memories: for each facet the last change that was not undone, or the value before the first
/// change. The rows are in the order of the changes.
pub(crate) fn what_holds(rows: &[ChangeRow]) -> BTreeMap<MemoryId, Facets> {
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
            LESSON => facets.lesson = read(value),
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

    #[test]
    fn a_lesson_can_be_none_and_an_absorbed_memory_returns() {
        let (memory, into) = (MemoryId::generate(), MemoryId::generate());
        let (own, lesson) = (LessonId::from(memory), LessonId::from(into));
        let holds = |undone: bool| {
            let stored = |noted: Noted| row(memory, noted.facet, noted.before, noted.after, undone);
            let rows = [
                stored(Noted::lesson(memory, Some(own), Some(lesson))),
                stored(Noted::presence(memory, Presence::Kept, Presence::Absorbed(into))),
            ];
            what_holds(&rows)[&memory]
        };
        let (joined, apart) = (holds(false), holds(true));
        assert_eq!((joined.lesson, joined.presence), (Some(Some(lesson)), Some(Presence::Absorbed(into))));
        assert_eq!((apart.lesson, apart.presence), (Some(Some(own)), Some(Presence::Kept)));
        assert_eq!(read::<Option<LessonId>>(&Value::Null), Some(None));
    }

    #[test]
    fn stored_presences_are_named_by_their_columns() {
        let (into, review) = (MemoryId::generate(), ReviewId::generate());
        for presence in [Presence::Disabled, Presence::Superseded(review), Presence::Merged(into)] {
            let stored = Presence::stored(presence.code(), presence.merged_into(), presence.superseded_by());
            assert_eq!(stored, Some(presence));
        }
        assert_eq!(json!(Presence::Superseded(review)), json!({ "superseded": review }));
        assert_eq!(json!(Presence::Absorbed(into)), json!({ "absorbed": into }));
    }
}
