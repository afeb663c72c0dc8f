//! Which index searches the vectors of a project: the covering index, which is exact, or a graph for a large project. A graph
//! serves only while it finds nearly all of what exact search finds.

use std::time::Duration;

use reflect_types::GraphState;

/// The number of candidates for which a graph is measured: the pool of a query with the default limit.
pub const CHECKED_POOL: usize = 40;

/// The share of the nearest memories that a graph must find, as a mean over the questions of a check.
pub const LEAST_RECALL: f32 = 0.98;
/// The share at which a check before serving stops. Higher, because it sees few questions and others follow.
const SAFE_RECALL: f32 = 0.99;

/// How many entries of a graph a query looks at, in the order in which a check tries them. pgvector allows 1000.
pub const EF_SEARCH: [u16; 6] = [100, 160, 240, 400, 640, 1000];

/// How often a serving graph is checked.
const CHECK_PERIOD: Duration = Duration::from_secs(60 * 60);
/// A rejected graph is built again after this time.
const REJECTED_REST: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// The pause after a failure, doubled with each further one.
const FIRST_PAUSE: Duration = Duration::from_secs(60);
const LONGEST_PAUSE: Duration = Duration::from_secs(6 * 60 * 60);
/// The dimensions for which the sizes are given. The cost of exact search grows with the dimensions above them.
const USUAL_DIMENSIONS: u64 = 384;

/// From which size on a project gets a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GraphSizes {
    /// The number of vectors with 384 dimensions or fewer.
    pub from: u64,
}

impl Default for GraphSizes {
    /// Exact search of 40,000 vectors costs about as much as a graph with its more expensive inserts.
    fn default() -> Self {
        Self { from: 40_000 }
    }
}

impl GraphSizes {
    /// A project with this many vectors gets a graph.
    pub fn promote_at(self, dimensions: u64) -> u64 {
        (self.from * USUAL_DIMENSIONS / dimensions.max(USUAL_DIMENSIONS)).max(1)
    }

    /// A project with fewer vectors loses its graph. Half of the other size, so that a project near the boundary does not
    /// build and remove a graph again and again.
    pub fn demote_below(self, dimensions: u64) -> u64 {
        self.promote_at(dimensions) / 2
    }
}

/// What is known about a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GraphFacts {
    /// How far it is.
    pub state: GraphState,
    /// Whether it has its partition.
    pub attached: bool,
    /// Whether its project exists and reads or writes its space.
    pub in_use: bool,
    /// Whether the project has fewer vectors than [`GraphSizes::demote_below`].
    pub is_small: bool,
    /// How many attempts failed in a row.
    pub attempts: u32,
    /// The time since its state last changed, or since its last failure.
    pub since_change: Duration,
    /// The time since it was last checked.
    pub since_check: Option<Duration>,
}

/// What is done next about a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GraphStep {
    /// Nothing now.
    Wait,
    /// Build its partition.
    Build,
    /// Add the vectors that were written during the build.
    CatchUp,
    /// Compare it with exact search.
    Check,
    /// Stop using it.
    Retire,
    /// Remove its partition; a retired graph is removed with it. `rest` after the last change, when no query uses it.
    Remove,
}

/// The next step for a graph.
pub fn next_step(graph: &GraphFacts, rest: Duration) -> GraphStep {
    let is_needed = graph.in_use && !graph.is_small;
    match graph.state {
        GraphState::Retired if graph.since_change >= rest => GraphStep::Remove,
        GraphState::Retired => GraphStep::Wait,
        _ if !is_needed => GraphStep::Retire,
        _ if graph.since_change < pause(graph.attempts) => GraphStep::Wait,
        GraphState::Building => GraphStep::Build,
        GraphState::CatchingUp => GraphStep::CatchUp,
        GraphState::Checking => GraphStep::Check,
        GraphState::Serving if graph.since_check.is_none_or(|since| since >= CHECK_PERIOD) => {
            GraphStep::Check
        }
        GraphState::Rejected if graph.since_change >= REJECTED_REST => GraphStep::Retire,
        GraphState::Rejected if graph.attached && graph.since_change >= rest => GraphStep::Remove,
        GraphState::Serving | GraphState::Rejected => GraphStep::Wait,
    }
}

fn pause(attempts: u32) -> Duration {
    match attempts {
        0 => Duration::ZERO,
        failed => FIRST_PAUSE.saturating_mul(1 << (failed - 1).min(16)).min(LONGEST_PAUSE),
    }
}

/// The share of the nearest memories that a graph found for one question, by distance: of memories at the same distance any
/// may be returned. `exact` are the distances of exact search.
pub fn recall(exact: &[f64], found: &[f64]) -> f32 {
    let Some(farthest) = exact.iter().copied().reduce(f64::max) else { return 1.0 };
    // Both are sums of the same numbers, in a different order at most.
    let hits = found.iter().filter(|distance| **distance <= farthest + 1e-6).count();
    hits.min(exact.len()) as f32 / exact.len() as f32
}

/// How much of the nearest a graph finds if a query looks at this many of its entries.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeasuredRecall {
    /// The entries that a query looks at.
    pub ef_search: u16,
    /// The mean recall over the questions.
    pub recall: f32,
}

/// Whether a check that found this much need not try more entries.
pub fn is_enough(recall: f32, is_serving: bool) -> bool {
    recall >= if is_serving { LEAST_RECALL } else { SAFE_RECALL }
}

/// Whether a graph may serve: the largest number of entries that was tried and finds enough. `None`: none of them does.
pub fn may_serve(measured: &[MeasuredRecall]) -> Option<MeasuredRecall> {
    let enough = measured.iter().filter(|one| one.recall >= LEAST_RECALL);
    enough.max_by_key(|one| one.ef_search).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    const REST: Duration = Duration::from_secs(10);

    fn facts(state: GraphState) -> GraphFacts {
        GraphFacts {
            state,
            attached: true,
            in_use: true,
            is_small: false,
            attempts: 0,
            since_change: Duration::ZERO,
            since_check: Some(Duration::ZERO),
        }
    }

    #[test]
    fn a_graph_is_built_checked_and_served_in_this_order() {
        let step = |state| next_step(&facts(state), REST);

        assert_eq!(step(GraphState::Building), GraphStep::Build);
        assert_eq!(step(GraphState::CatchingUp), GraphStep::CatchUp);
        assert_eq!(step(GraphState::Checking), GraphStep::Check);
        assert_eq!(step(GraphState::Serving), GraphStep::Wait);
        let long_ago = GraphFacts { since_check: Some(CHECK_PERIOD), ..facts(GraphState::Serving) };
        assert_eq!(next_step(&long_ago, REST), GraphStep::Check);
    }

    #[test]
    fn between_the_two_sizes_nothing_changes() {
        let sizes = GraphSizes::default();

        assert_eq!((sizes.promote_at(384), sizes.demote_below(384)), (40_000, 20_000));
        assert_eq!((sizes.promote_at(128), sizes.demote_below(128)), (40_000, 20_000));
        assert_eq!((sizes.promote_at(768), sizes.demote_below(768)), (20_000, 10_000));
        assert_eq!(GraphSizes { from: 1 }.promote_at(1300), 1);
    }

    #[test]
    fn a_graph_that_is_not_needed_is_retired_and_removed_when_queries_have_ended() {
        for state in [GraphState::Building, GraphState::Checking, GraphState::Serving, GraphState::Rejected] {
            let small = GraphFacts { is_small: true, ..facts(state) };
            let unused = GraphFacts { in_use: false, ..facts(state) };
            assert_eq!(
                [next_step(&small, REST), next_step(&unused, REST)],
                [GraphStep::Retire; 2],
                "{state}"
            );
        }
        let retired = GraphFacts { in_use: false, ..facts(GraphState::Retired) };
        assert_eq!(next_step(&retired, REST), GraphStep::Wait);
        assert_eq!(next_step(&GraphFacts { since_change: REST, ..retired }, REST), GraphStep::Remove);
    }

    #[test]
    fn a_rejected_graph_loses_its_partition_and_is_tried_again_after_a_week() {
        let rejected = facts(GraphState::Rejected);
        assert_eq!(next_step(&rejected, REST), GraphStep::Wait);
        let later = GraphFacts { since_change: REST, ..rejected };
        assert_eq!(next_step(&later, REST), GraphStep::Remove);
        assert_eq!(next_step(&GraphFacts { attached: false, ..later }, REST), GraphStep::Wait);
        let old = GraphFacts { since_change: REJECTED_REST, attached: false, ..rejected };
        assert_eq!(next_step(&old, REST), GraphStep::Retire);
    }

    #[test]
    fn work_that_fails_is_repeated_after_a_growing_pause() {
        let failed = |attempts, minutes: u64| {
            let since_change = Duration::from_secs(60 * minutes);
            next_step(&GraphFacts { attempts, since_change, ..facts(GraphState::Building) }, REST)
        };
        assert_eq!(failed(1, 0), GraphStep::Wait);
        assert_eq!(failed(1, 1), GraphStep::Build);
        assert_eq!(failed(3, 3), GraphStep::Wait);
        assert_eq!(failed(3, 4), GraphStep::Build);
        assert_eq!(failed(u32::MAX, 6 * 60), GraphStep::Build);
        let unchecked = GraphFacts { attempts: 1, since_check: None, ..facts(GraphState::Serving) };
        assert_eq!(next_step(&unchecked, REST), GraphStep::Wait);
    }

    #[test]
    fn recall_counts_what_is_as_near_as_the_exact_result() {
        assert_eq!(recall(&[], &[]), 1.0);
        assert_eq!(recall(&[-0.9, -0.8, -0.7, -0.6], &[-0.9, -0.7, -0.6, -0.5]), 0.75);
        // Four at the same distance, of which exact search returned two: any two are right.
        assert_eq!(recall(&[-0.9, -0.9], &[-0.9, -0.9]), 1.0);
        assert_eq!(recall(&[-0.9], &[-0.9, -0.9]), 1.0);
        assert_eq!(recall(&[-0.9, -0.8], &[]), 0.0);
    }

    #[test]
    fn a_graph_serves_with_the_last_setting_that_finds_enough() {
        let measured = |recalls: [f32; 3]| {
            let efs = EF_SEARCH.into_iter().zip(recalls);
            efs.map(|(ef_search, recall)| MeasuredRecall { ef_search, recall }).collect::<Vec<_>>()
        };

        assert_eq!(may_serve(&measured([0.9, 0.981, 0.99])).map(|one| one.ef_search), Some(240));
        assert_eq!(may_serve(&measured([0.9, 0.981, 0.97])).map(|one| one.ef_search), Some(160));
        assert_eq!([0.979, 0.985, 0.99].map(|recall| is_enough(recall, true)), [false, true, true]);
        assert_eq!([0.979, 0.985, 0.99].map(|recall| is_enough(recall, false)), [false, false, true]);
        assert_eq!(may_serve(&measured([0.9, 0.95, 0.9799])), None);
        assert_eq!(may_serve(&[]), None);
    }
}
