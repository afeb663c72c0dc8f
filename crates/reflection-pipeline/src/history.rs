//! Keeps reflections in memory and counts them.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

use crate::{ReflectionResult, ReflectionType};

/// How many reflections a history keeps unless told otherwise.
pub const DEFAULT_CAPACITY: usize = 1_000;

/// Reflections in the order in which they were added, with counts.
///
/// A history keeps the newest [`DEFAULT_CAPACITY`] reflections, so that a program may run for months. The counts are
/// of all that were ever added. It can be saved and read back with serde.
///
/// ```
/// use reflection_pipeline::{ReflectionHistory, ReflectionLevel, ReflectionResult, ReflectionType};
///
/// let mut history = ReflectionHistory::new();
/// history.add(ReflectionResult::new(ReflectionType::Failure, ReflectionLevel::Deep, "null was not handled"));
///
/// assert_eq!(history.failure_count(), 1);
/// assert_eq!(history.recent(5).next().unwrap().summary, "null was not handled");
/// assert_eq!(
///     serde_json::to_string(&history.summarize()).unwrap(),
///     r#"{"total":1,"success":0,"failure":1,"types":{"success":0,"failure":1,"optimization":0,"pattern":0,"insight":0}}"#
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReflectionHistory {
    kept: VecDeque<ReflectionResult>,
    counts: BTreeMap<ReflectionType, u64>,
    /// None keeps everything.
    capacity: Option<usize>,
}

/// Counts of all reflections that were ever added to a history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistorySummary {
    /// All of them.
    pub total: u64,
    /// Those on runs that passed.
    pub success: u64,
    /// Those on runs that failed.
    pub failure: u64,
    /// By type. All five are there, also those that never came.
    pub types: BTreeMap<ReflectionType, u64>,
}

impl Default for ReflectionHistory {
    fn default() -> Self {
        Self::new()
    }
}

impl ReflectionHistory {
    /// Keeps the newest [`DEFAULT_CAPACITY`].
    pub fn new() -> Self {
        Self::bounded(DEFAULT_CAPACITY)
    }

    /// Keeps the newest `capacity`. Nought only counts.
    pub fn bounded(capacity: usize) -> Self {
        Self { kept: VecDeque::new(), counts: BTreeMap::new(), capacity: Some(capacity) }
    }

    /// Keeps everything, for as long as the memory lasts.
    pub fn unbounded() -> Self {
        Self { kept: VecDeque::new(), counts: BTreeMap::new(), capacity: None }
    }

    /// Appends a reflection, counts it, and lets go of the oldest if there are too many.
    pub fn add(&mut self, result: ReflectionResult) {
        *self.counts.entry(result.reflection_type).or_default() += 1;
        self.kept.push_back(result);
        if let Some(capacity) = self.capacity {
            self.kept.drain(..self.kept.len().saturating_sub(capacity));
        }
    }

    /// How many were ever added.
    pub fn total_count(&self) -> u64 {
        self.counts.values().sum()
    }

    /// How many of them were on runs that passed.
    pub fn success_count(&self) -> u64 {
        self.count(ReflectionType::Success)
    }

    /// How many of them were on runs that failed.
    pub fn failure_count(&self) -> u64 {
        self.count(ReflectionType::Failure)
    }

    /// How many are kept.
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Whether none is kept.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// The `n` newest of those that are kept, the oldest of them first. `recent(0)` is empty.
    #[doc(alias = "get_recent")]
    pub fn recent(&self, n: usize) -> impl DoubleEndedIterator<Item = &ReflectionResult> + ExactSizeIterator {
        self.kept.range(self.kept.len().saturating_sub(n)..)
    }

    /// Those of one type that are kept, the oldest first.
    #[doc(alias = "get_by_type")]
    pub fn by_type(&self, kind: ReflectionType) -> impl DoubleEndedIterator<Item = &ReflectionResult> {
        self.kept.iter().filter(move |result| result.reflection_type == kind)
    }

    /// Counts of all that were ever added.
    pub fn summarize(&self) -> HistorySummary {
        HistorySummary {
            total: self.total_count(),
            success: self.success_count(),
            failure: self.failure_count(),
            types: ReflectionType::ALL.into_iter().map(|kind| (kind, self.count(kind))).collect(),
        }
    }

    fn count(&self, kind: ReflectionType) -> u64 {
        self.counts.get(&kind).copied().unwrap_or_default()
    }
}
