//! The audit: checks the database for consistency, also with the responses that clients got.
//!
//! Each invariant has a pure function that returns its violations, so tests can check each kind of violation.

mod facts;
mod jobs;
mod lessons;
mod memories;
mod reviews;
mod tenants;
mod traces;
mod utilities;

use std::fmt;

use anyhow::Context;
use reflect_store::{Store, StoreSettings};
use reflect_types::TraceId;
use serde_json::Value;

use crate::client::Log;
pub(crate) use facts::Facts;

/// The invariants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Invariant {
    /// Every acknowledged trace exists once, with a readable body whose digest matches.
    I1,
    /// At most one current review per trace. A review has one ledger row for each memory, and no other.
    I2,
    /// Utilities are the fold of the ledger, and so are the checkpoints of the fold.
    I3,
    /// The memories of a review are created once and complete: one, or one for each marked step. A finished trace points
    /// to the first of them, or to the memory that absorbed it. What a memory absorbed or a review superseded agrees.
    I4,
    /// A review that is not learned from has a job, or its trace has an error.
    I5,
    /// Nothing refers to another project, and nothing of another project is served.
    I6,
    /// The same idempotency key has the same response and one effect.
    I7,
    /// Dead workers hold nothing, and the number of attempts is limited.
    I8,
}

/// A violation of an invariant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The invariant.
    pub of: Invariant,
    /// What was found.
    pub what: String,
}

impl Violation {
    /// A violation.
    pub fn new(of: Invariant, what: impl Into<String>) -> Self {
        Self { of, what: what.into() }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.of, self.what)
    }
}

/// The result of the audit.
#[derive(Debug, Default)]
pub struct Findings {
    /// What is wrong.
    pub violations: Vec<Violation>,
    /// Observations that are not violations.
    pub notes: Vec<String>,
}

/// Checks everything. `drained` means that no work was left when the snapshot was taken.
pub async fn audit(database_url: &str, log: &Log, drained: bool) -> anyhow::Result<Findings> {
    let mut facts = Facts::read(database_url).await?;
    read_bodies(database_url, log, &mut facts).await?;
    Ok(Findings { violations: examine(&facts, log, drained), notes: notes(&facts) })
}

/// Checks all invariants on one snapshot.
pub(crate) fn examine(facts: &Facts, log: &Log, drained: bool) -> Vec<Violation> {
    [
        traces::check(facts, log),
        reviews::check(facts, log),
        utilities::check(facts),
        memories::check(facts),
        lessons::check(facts),
        jobs::check(facts, drained),
        tenants::check(facts, log),
    ]
    .concat()
}

fn notes(facts: &Facts) -> Vec<String> {
    let drafts = (facts.left_drafts > 0)
        .then(|| format!("{} drafts are left of reviews that have their memory", facts.left_drafts));
    drafts.into_iter().collect()
}

/// Reads bodies through the store, which checks each against its digest.
async fn read_bodies(database_url: &str, log: &Log, facts: &mut Facts) -> anyhow::Result<()> {
    let settings = StoreSettings::new(database_url.to_owned().into(), 6);
    let store = Store::connect(&settings).await?;
    for trace in &log.traces {
        let Some(id) = trace.acknowledged else { continue };
        let project =
            store.catalogue().find_project(&trace.project.parse()?).await?.context("a project is gone")?;
        let read = store.project(project).traces().get(TraceId::from_uuid(id)).await;
        let body = read.map_err(|error| error.to_string()).and_then(|row| {
            serde_json::from_str::<Value>(&row.trajectory).map_err(|error| error.to_string())
        });
        facts.bodies.insert(id, body);
    }
    store.close().await;
    Ok(())
}

#[cfg(test)]
mod tests;
