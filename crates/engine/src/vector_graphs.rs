//! Graphs for the vectors of large projects: which project gets one, whether it finds enough, and when it is removed.
//!
//! One process at a time works on graphs. It does not search: the store uses a graph that serves.

use std::time::Duration;

use reflect_model::EmbedPurpose;
use reflect_rules::vector_graph::{
    CHECKED_POOL, EF_SEARCH, GraphFacts, GraphStep, MeasuredRecall, is_enough, next_step, recall,
};
use reflect_store::{GraphLead, Store, StoreError, VectorEstimate, VectorGraph};
use reflect_types::GraphState;
use tokio_util::sync::CancellationToken;

use crate::error::chain;
use crate::models::{EmbedFailure, Embeddings};

pub use reflect_rules::vector_graph::GraphSizes;

const PERIOD: Duration = Duration::from_secs(60);
/// Longer than a query may run, so that none reads a partition that is being removed.
const REST: Duration = Duration::from_secs(30);
/// Exact search answers each of them too, which takes about a second of a processor for a million memories.
const QUESTIONS_BEFORE_SERVING: usize = 128;
const QUESTIONS_WHILE_SERVING: usize = 32;
/// How many questions are embedded at once.
const CHUNK: usize = 32;
/// The largest vectors that are stored; the smallest size for a graph follows from them.
const MOST_DIMENSIONS: u64 = 1300;

/// Every state, for the metrics.
const STATES: [GraphState; 6] = [
    GraphState::Building,
    GraphState::CatchingUp,
    GraphState::Checking,
    GraphState::Serving,
    GraphState::Rejected,
    GraphState::Retired,
];

/// Gives large projects a graph for their vectors, and checks it.
#[derive(Debug, Clone)]
pub struct VectorGraphs {
    store: Store,
    embeddings: Embeddings,
}

impl VectorGraphs {
    pub(crate) const fn new(store: Store, embeddings: Embeddings) -> Self {
        Self { store, embeddings }
    }

    /// Works on graphs now and then every minute, until `stop` is cancelled.
    pub async fn run(&self, stop: CancellationToken) {
        loop {
            // Stopping in the middle is safe: each transaction leaves a state to go on from.
            let round = tokio::select! {
                () = stop.cancelled() => return,
                round = self.advance(GraphSizes::default(), REST) => round,
            };
            if let Err(error) = round {
                let error = chain(&error);
                tracing::warn!(error, "the work on search graphs failed and goes on in a minute: {error}");
            }
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(PERIOD) => {}
            }
        }
    }

    /// Takes every graph as far as it can go now. `rest` is the time between the last use of a graph and its removal.
    pub async fn advance(&self, sizes: GraphSizes, rest: Duration) -> Result<(), StoreError> {
        let store = self.store.maintenance().graphs();
        let graphs = store.list().await?;
        report(&graphs);
        let scans = store.scans().await?;
        metrics::counter!("reflect_vector_index_entries_total").absolute(scans.entries);
        metrics::counter!("reflect_vector_heap_fetches_total").absolute(scans.heap_fetches);
        let estimates = store.estimates(estimate_of(sizes.promote_at(MOST_DIMENSIONS))).await?;
        let new: Vec<&VectorEstimate> =
            estimates.iter().filter(|found| may_be_new(found, &graphs, sizes)).collect();
        // A small installation takes no connection for this.
        if graphs.is_empty() && new.is_empty() {
            return Ok(());
        }
        let Some(mut lead) = store.lead().await? else { return Ok(()) };
        for found in new {
            let least = sizes.promote_at(found.dimensions);
            if lead.count(found.project, found.space, least).await? >= least {
                lead.request(found.project, found.space, found.dimensions).await?;
            }
        }
        for graph in store.list().await? {
            if let Err(error) = self.advance_graph(&mut lead, graph.clone(), &estimates, sizes, rest).await {
                let error = chain(&error);
                tracing::warn!(error, "the search graph {} is tried again later: {error}", graph.graph_id);
                store.note_failure(&graph, &error).await?;
                // The connection may be gone. The other graphs wait for the next round, which this one sits out.
                return Ok(());
            }
        }
        lead.close().await
    }

    async fn advance_graph(
        &self,
        lead: &mut GraphLead,
        mut graph: VectorGraph,
        estimates: &[VectorEstimate],
        sizes: GraphSizes,
        rest: Duration,
    ) -> Result<(), StoreError> {
        loop {
            let facts = GraphFacts {
                state: graph.state,
                attached: graph.attached,
                in_use: graph.in_use,
                is_small: is_small(lead, &graph, estimates, sizes).await?,
                attempts: graph.attempts,
                since_change: graph.since_change,
                since_check: graph.since_check,
            };
            let has_moved = match next_step(&facts, rest) {
                GraphStep::Wait => false,
                GraphStep::Build => lead.build(&graph).await?.is_some(),
                GraphStep::CatchUp => lead.catch_up(&graph).await?,
                GraphStep::Check => self.check(lead, &graph).await?,
                GraphStep::Retire => {
                    lead.retire(&graph).await?;
                    true
                }
                GraphStep::Remove => lead.remove(&graph, rest).await?,
            };
            if !has_moved {
                return Ok(());
            }
            let Some(now) = lead.get(&graph).await? else { return Ok(()) };
            tracing::info!(
                project = now.project.number(),
                vectors = now.vectors,
                recall = ?now.recall,
                "the search graph {} is {}",
                now.graph_id,
                now.state
            );
            graph = now;
        }
    }

    /// Compares a graph with exact search. Returns whether there was anything to compare.
    async fn check(&self, lead: &mut GraphLead, graph: &VectorGraph) -> Result<bool, StoreError> {
        let is_serving = graph.state == GraphState::Serving;
        let wanted = if is_serving { QUESTIONS_WHILE_SERVING } else { QUESTIONS_BEFORE_SERVING };
        let questions = self.questions(lead, graph, wanted).await?;
        if questions.is_empty() {
            return Ok(false);
        }
        let mut exact = Vec::with_capacity(questions.len());
        for question in &questions {
            exact.push(lead.exact_distances(graph, question, CHECKED_POOL).await?);
        }
        let at_least = graph.ef_search.filter(|_| is_serving).unwrap_or_default();
        let mut measured = Vec::new();
        for ef_search in EF_SEARCH.into_iter().filter(|entries| *entries >= at_least) {
            let mut sum = 0.0;
            for (question, exact) in questions.iter().zip(&exact) {
                sum += recall(exact, &lead.graph_distances(graph, ef_search, question, CHECKED_POOL).await?);
            }
            let recall = sum / questions.len() as f32;
            measured.push(MeasuredRecall { ef_search, recall });
            if is_enough(recall, is_serving) {
                break;
            }
        }
        if lead.conclude(graph, &measured, questions.len()).await? == GraphState::Rejected {
            tracing::warn!(
                ?measured,
                "the search graph {} finds too little: queries are exact",
                graph.graph_id
            );
        }
        Ok(true)
    }

    /// The last questions of clients, and vectors of memories if there are too few: a graph finds the neighbours of its own
    /// vectors more easily.
    async fn questions(
        &self,
        lead: &mut GraphLead,
        graph: &VectorGraph,
        wanted: usize,
    ) -> Result<Vec<Vec<f32>>, StoreError> {
        let mut questions = self.asked(graph, wanted).await?;
        if questions.len() < QUESTIONS_WHILE_SERVING {
            questions.extend(lead.sample(graph, wanted - questions.len()).await?);
        }
        Ok(questions)
    }

    /// The vectors of the last questions. Empty if the embedder does not answer.
    async fn asked(&self, graph: &VectorGraph, wanted: usize) -> Result<Vec<Vec<f32>>, StoreError> {
        let tasks = self.store.project(graph.project).receipts().recent_tasks(wanted).await?;
        let texts: Vec<String> = tasks.into_iter().map(|task| task.task).collect();
        let space = self.embeddings.space(graph.space).await?;
        let mut asked = Vec::with_capacity(texts.len());
        for some in texts.chunks(CHUNK) {
            match self.embeddings.vectors(&space, some, EmbedPurpose::Query).await {
                Ok(vectors) => asked.extend(vectors.iter().map(|vector| vector.as_slice().to_vec())),
                Err(EmbedFailure::Store(error)) => return Err(error),
                Err(failure) => {
                    tracing::info!("a search graph is checked without the questions of clients: {failure}");
                    return Ok(asked);
                }
            }
        }
        Ok(asked)
    }
}

/// Statistics are estimates; a count follows. A fifth less than the size that is looked for.
const fn estimate_of(vectors: u64) -> u64 {
    vectors / 5 * 4
}

fn may_be_new(found: &VectorEstimate, graphs: &[VectorGraph], sizes: GraphSizes) -> bool {
    found.vectors >= estimate_of(sizes.promote_at(found.dimensions))
        && graphs.iter().all(|graph| (graph.project, graph.space) != (found.project, found.space))
}

/// Whether a project is too small for its graph. Counted only if the estimate does not decide it.
async fn is_small(
    lead: &mut GraphLead,
    graph: &VectorGraph,
    estimates: &[VectorEstimate],
    sizes: GraphSizes,
) -> Result<bool, StoreError> {
    let least = sizes.demote_below(graph.dimensions);
    let estimate =
        estimates.iter().find(|found| (found.project, found.space) == (graph.project, graph.space));
    // An estimate includes other spaces.
    if !graph.in_use || estimate.is_some_and(|estimate| estimate.vectors >= 4 * least) {
        return Ok(false);
    }
    Ok(lead.count(graph.project, graph.space, least).await? < least)
}

fn report(graphs: &[VectorGraph]) {
    for state in STATES {
        let count = graphs.iter().filter(|graph| graph.state == state).count();
        metrics::gauge!("reflect_vector_graphs", "state" => state.as_str()).set(count as f64);
    }
    let serving = graphs.iter().filter(|graph| graph.state == GraphState::Serving);
    if let Some(lowest) = serving.filter_map(|graph| graph.recall).reduce(f32::min) {
        metrics::gauge!("reflect_vector_graph_recall").set(f64::from(lowest));
    }
}
