//! Selects and orders pending runs.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, HashSet};

use reflect_store::{LinkedMemory, ProjectCtx, QueueFilter, Reach, Store, TraceRow, WaitingRun};
use reflect_types::{MemoryId, QueueOrder, TraceId};

use super::digest::{Digest, Subject, digest};
use super::order::{JudgeView, Prospect, Scored, most_informative_first};
use super::request::PendingRunFilter;
use super::signals::SignalKind;
use crate::caller::Visitor;
use crate::client_text::{storable, storable_fields};
use crate::error::EngineError;

/// How many runs are ordered.
const POOL: u16 = 300;
/// The most bytes of trajectories to read for one request, in total and for each.
const MOST_BYTES: i64 = 16 * 1024 * 1024;
const MOST_BYTES_EACH: i64 = 4 * 1024 * 1024;
const MOST_CLAUSES: usize = 20;
const LONGEST_TEXT: usize = 1000;

/// The matching runs, in order.
pub(super) struct Arranged {
    pub(super) runs: Vec<(WaitingRun, Scored)>,
    /// How many runs match, including those beyond the pool.
    pub(super) total: usize,
}

/// Runs that match a filter.
pub(super) struct Matching {
    pub(super) traces: Vec<TraceId>,
    /// How many more runs match.
    pub(super) left: usize,
}

/// A validated filter.
pub(super) struct CheckedFilter {
    stored: QueueFilter,
    signal: Option<SignalKind>,
    judged: Option<bool>,
}

impl CheckedFilter {
    pub(super) fn new(filter: &PendingRunFilter) -> Result<Self, EngineError> {
        let signal = match &filter.signal {
            None => None,
            Some(word) => Some(SignalKind::from_word(word).ok_or_else(|| {
                let words: Vec<&str> = SignalKind::ALL.iter().map(|signal| signal.as_str()).collect();
                EngineError::invalid("filter.signal", format!("must be one of {}", words.join(", ")))
            })?),
        };
        if filter.metadata.len() > MOST_CLAUSES {
            return Err(EngineError::invalid("filter.metadata", "must not have more than 20 keys"));
        }
        for (field, text) in [("filter.model", &filter.model), ("filter.task", &filter.task)] {
            if text.as_ref().is_some_and(|text| text.len() > LONGEST_TEXT) {
                return Err(EngineError::invalid(field, "must not be longer than 1000 bytes"));
            }
        }
        let metadata = storable_fields(filter.metadata.clone());
        let stored = QueueFilter {
            model: filter.model.clone().map(storable),
            metadata,
            task: filter.task.clone().map(storable),
        };
        Ok(Self { stored, signal, judged: filter.judged })
    }
}

/// Which part of the queue an order has to read.
pub(super) const fn reach(order: QueueOrder) -> Reach {
    match order {
        QueueOrder::Informative => Reach { newest: POOL / 2, oldest: POOL / 2, sampled: 0 },
        QueueOrder::Newest | QueueOrder::Errors => Reach { newest: POOL, oldest: 0, sampled: 0 },
        QueueOrder::Oldest => Reach { newest: 0, oldest: POOL, sampled: 0 },
        QueueOrder::Random => Reach { newest: 0, oldest: 0, sampled: POOL },
    }
}

/// Finds runs that wait for a review.
#[derive(Debug, Clone)]
pub(crate) struct WaitingRuns {
    store: Store,
}

impl WaitingRuns {
    pub(crate) const fn new(store: Store) -> Self {
        Self { store }
    }

    /// Pending runs that match a filter, newest first.
    pub(super) async fn matching(
        &self,
        visitor: &Visitor,
        holder: &str,
        filter: &PendingRunFilter,
        reach: Reach,
    ) -> Result<Matching, EngineError> {
        let filter = CheckedFilter::new(filter)?;
        // The caller's own leases count as free: a bulk review includes them.
        let arranged = self.arrange(visitor, holder, &filter, QueueOrder::Newest, reach, &[], true).await?;
        let traces: Vec<TraceId> = arranged.runs.iter().map(|(run, _)| run.trace_id).collect();
        Ok(Matching { left: arranged.total.saturating_sub(traces.len()), traces })
    }

    /// The runs that this holder could get, in order.
    #[expect(clippy::too_many_arguments, reason = "one question, asked in two places")]
    pub(super) async fn arrange(
        &self,
        visitor: &Visitor,
        holder: &str,
        filter: &CheckedFilter,
        order: QueueOrder,
        reach: Reach,
        skip: &[TraceId],
        renew: bool,
    ) -> Result<Arranged, EngineError> {
        let project = self.store.project(visitor.project);
        let waiting = project.queue().waiting(holder, &filter.stored, reach, skip, renew).await?;
        let mut runs = waiting.runs;
        let mut total = usize::try_from(waiting.total).unwrap_or(0);
        // Signals are found in trajectories, which have to be read.
        let mut seen: HashMap<TraceId, Digest> = HashMap::new();
        let judged = order == QueueOrder::Informative && runs.iter().any(|run| judge_of(run).is_some());
        if filter.signal.is_some() || order == QueueOrder::Errors || judged {
            seen = self.inspect(&project, &runs).await?;
        }
        if filter.signal.is_some() || filter.judged.is_some() {
            let has =
                |run: &WaitingRun, kind| seen.get(&run.trace_id).is_some_and(|seen| count(seen, kind) > 0);
            runs.retain(|run| {
                filter.signal.is_none_or(|kind| has(run, kind))
                    && filter.judged.is_none_or(|judged| judge_of(run).is_some() == judged)
            });
            total = runs.len();
        }
        let scored = self.score(&project, &runs, &seen).await?;
        let place: HashMap<TraceId, usize> =
            scored.iter().enumerate().map(|(at, scored)| (scored.trace_id, at)).collect();
        match order {
            QueueOrder::Informative => runs.sort_by_key(|run| place.get(&run.trace_id).copied()),
            // The store returns the newest first.
            QueueOrder::Newest => {}
            QueueOrder::Oldest => runs.reverse(),
            QueueOrder::Errors => {
                let errors = |run: &WaitingRun| seen.get(&run.trace_id).map_or(0, errors);
                runs.sort_by_key(|run| Reverse(errors(run)));
            }
            QueueOrder::Random => runs.sort_by_cached_key(|_| rand::random::<u64>()),
        }
        runs.sort_by_key(|run| Reverse(run.mine));
        let mut scored: HashMap<TraceId, Scored> =
            scored.into_iter().map(|scored| (scored.trace_id, scored)).collect();
        let runs =
            runs.into_iter().filter_map(|run| scored.remove(&run.trace_id).map(|scored| (run, scored)));
        Ok(Arranged { runs: runs.collect(), total })
    }

    async fn score(
        &self,
        project: &ProjectCtx,
        runs: &[WaitingRun],
        seen: &HashMap<TraceId, Digest>,
    ) -> Result<Vec<Scored>, EngineError> {
        let linked: BTreeSet<MemoryId> = runs.iter().flat_map(|run| run.linked.iter().copied()).collect();
        let linked: Vec<MemoryId> = linked.into_iter().collect();
        let standings = project.queue().standings(&linked).await?;
        let standings: HashMap<MemoryId, _> =
            standings.into_iter().map(|standing| (standing.memory_id, standing)).collect();
        let prospects = runs.iter().map(|run| {
            let memories: BTreeSet<MemoryId> = run.linked.iter().copied().collect();
            let digest = seen.get(&run.trace_id);
            Prospect {
                trace_id: run.trace_id,
                memories: memories.iter().filter_map(|memory| standings.get(memory).copied()).collect(),
                judge: judge_of(run),
                troubled: digest.is_some_and(|digest| digest.signals.iter().any(|s| s.kind.is_trouble())),
                nothing_near: run.nothing_near,
                age: run.age,
            }
        });
        Ok(most_informative_first(&prospects.collect::<Vec<_>>()))
    }

    /// The digests of runs, as far as their trajectories may be read.
    async fn inspect(
        &self,
        project: &ProjectCtx,
        runs: &[WaitingRun],
    ) -> Result<HashMap<TraceId, Digest>, EngineError> {
        let seen = self.digests(project, runs, &[]).await?;
        Ok(seen.into_iter().map(|(run, digest)| (run.trace_id, digest)).collect())
    }

    /// The digests of runs, in the given order. If there is too much to read, the first runs are read.
    pub(super) async fn digests(
        &self,
        project: &ProjectCtx,
        runs: &[WaitingRun],
        memories: &[LinkedMemory],
    ) -> Result<Vec<(TraceRow, Digest)>, EngineError> {
        let ids: Vec<TraceId> = runs.iter().map(|run| run.trace_id).collect();
        let read = readable(runs);
        let traces = project.traces().get_many(&ids, &read).await?;
        let degraded: HashSet<TraceId> = project.queue().degraded(&ids).await?.into_iter().collect();
        let usual = project.queue().typical().await?;
        let (memories, read) = (memories.to_vec(), read.into_iter().collect::<HashSet<_>>());
        let made = tokio::task::spawn_blocking(move || {
            let made = traces.into_iter().map(|trace| {
                let made = digest(&Subject {
                    task: &trace.task,
                    trajectory: read.contains(&trace.trace_id).then_some(trace.trajectory.as_str()),
                    answer: trace.final_response.as_deref(),
                    metadata: &trace.metadata,
                    linked: &trace.linked,
                    memories: &memories,
                    degraded: degraded.contains(&trace.trace_id),
                    usual,
                });
                (trace, made)
            });
            made.collect()
        });
        Ok(made.await.unwrap_or_else(|ended| std::panic::resume_unwind(ended.into_panic())))
    }
}

/// The verdict of the project's judge, if reviewers may see it.
fn judge_of(run: &WaitingRun) -> Option<JudgeView> {
    run.judged.map(|judged| JudgeView { passed: judged.passed, confidence: judged.confidence })
}

/// The runs whose trajectories are read: the first ones within the limit, and none that is too large.
fn readable(runs: &[WaitingRun]) -> Vec<TraceId> {
    let mut room = MOST_BYTES;
    let mut read = Vec::new();
    for run in runs {
        let length = i64::from(run.body_length);
        if length <= MOST_BYTES_EACH && length <= room {
            room -= length;
            read.push(run.trace_id);
        }
    }
    read
}

fn count(digest: &Digest, kind: SignalKind) -> usize {
    digest.signals.iter().filter(|signal| signal.kind == kind).map(|signal| signal.count).sum()
}

fn errors(digest: &Digest) -> usize {
    count(digest, SignalKind::ToolError) + count(digest, SignalKind::Exception)
}
