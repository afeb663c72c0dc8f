//! Keeps reflections in memory and counts them.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

use crate::reflection_type::ReflectionType;
use crate::result::ReflectionResult;

/// The default capacity of a history.
pub const DEFAULT_CAPACITY: usize = 1_000;

/// Reflections in the order in which they were added, with counts.
///
/// A history keeps the newest [`DEFAULT_CAPACITY`] reflections, so its memory use is bounded. The counts
/// include all reflections that were ever added. It can be serialised with serde.
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
    /// The capacity. `None` for no limit.
    capacity: Option<usize>,
}

/// Counts of all reflections that were ever added to a history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistorySummary {
    /// The total.
    pub total: u64,
    /// Reflections of type success.
    pub success: u64,
    /// Reflections of type failure.
    pub failure: u64,
    /// The count of each type, including types with 0.
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

    /// Keeps the newest `capacity` reflections. With 0 it only counts.
    pub fn bounded(capacity: usize) -> Self {
        Self { kept: VecDeque::new(), counts: BTreeMap::new(), capacity: Some(capacity) }
    }

    /// Keeps all reflections.
    pub fn unbounded() -> Self {
        Self { kept: VecDeque::new(), counts: BTreeMap::new(), capacity: None }
    }

    /// Appends a reflection, counts it, and drops the oldest if there are too many.
    pub fn add(&mut self, result: ReflectionResult) {
        *self.counts.entry(result.reflection_type).or_default() += 1;
        self.kept.push_back(result);
        if let Some(capacity) = self.capacity {
            self.kept.drain(..self.kept.len().saturating_sub(capacity));
        }
    }

    /// The number of reflections that were ever added.
    pub fn total_count(&self) -> u64 {
        self.counts.values().sum()
    }

    /// The number of those of type success.
    pub fn success_count(&self) -> u64 {
        self.count(ReflectionType::Success)
    }

    /// The number of those of type failure.
    pub fn failure_count(&self) -> u64 {
        self.count(ReflectionType::Failure)
    }

    /// The number of stored reflections.
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Whether no reflection is stored.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// The `n` newest stored reflections, oldest first. `recent(0)` is empty.
    #[doc(alias = "get_recent")]
    pub fn recent(&self, n: usize) -> impl DoubleEndedIterator<Item = &ReflectionResult> + ExactSizeIterator {
        self.kept.range(self.kept.len().saturating_sub(n)..)
    }

    /// The stored reflections of one type, oldest first.
    #[doc(alias = "get_by_type")]
    pub fn by_type(&self, kind: ReflectionType) -> impl DoubleEndedIterator<Item = &ReflectionResult> {
        self.kept.iter().filter(move |result| result.reflection_type == kind)
    }

    /// Counts of all reflections that were ever added.
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
