//! Installations that suffer the same fault: the product, and beside it mutants, which the audit must detect.

use std::time::Duration;

use anyhow::Context;
use reflect_bench_ingest::cluster::Cluster;
use reflect_soak::audit::Invariant;

use crate::Arguments;
use crate::load::Load;
use crate::stage::{Outcome, Processes, Stage};

/// How long the product may take to finish its work.
pub(crate) const DRAIN: Duration = Duration::from_secs(120);
/// The same for a mutant. Unfinished work of a mutant does not fail the run.
const MUTANT_DRAIN: Duration = Duration::from_secs(15);

/// The first violations usually show the cause.
const SHOWN: usize = 20;

/// A deliberate defect.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mutant {
    pub(crate) name: &'static str,
    /// SQL that is run on its database first.
    pub(crate) statements: &'static [&'static str],
    /// The option `--fault` of its processes.
    pub(crate) fault: Option<&'static str>,
    /// It is detected if one of these is violated. Other violations may be a coincidence.
    pub(crate) shows_in: &'static [Invariant],
}

/// Calls are answered before they are committed.
pub(crate) const ACKNOWLEDGE_BEFORE_COMMIT: Mutant = Mutant {
    name: "acknowledged before commit",
    statements: &[],
    fault: Some("ack-before-commit"),
    shows_in: &[Invariant::I1, Invariant::I2],
};

/// Utilities move after the transaction that entered them.
pub(crate) const UTILITY_OUTSIDE_TRANSACTION: Mutant = Mutant {
    name: "utility outside the transaction",
    statements: &[],
    fault: Some("utility-outside-transaction"),
    shows_in: &[Invariant::I3],
};

/// A job that is queued again while it runs is removed.
pub(crate) const LOSE_REPEATED_JOBS: Mutant = Mutant {
    name: "jobs that were queued again are removed",
    statements: &[],
    fault: Some("lose-repeated-jobs"),
    shows_in: &[Invariant::I5],
};

/// Idempotency keys are not kept.
pub(crate) const FORGOTTEN_KEYS: Mutant = Mutant {
    name: "idempotency keys are forgotten",
    statements: &[
        "create function forget_key() returns trigger language plpgsql security definer as $$ begin \
           delete from public.idempotency where project_id = new.project_id and key = new.key; return null; end $$",
        "create trigger forget_key after insert on idempotency for each row execute function forget_key()",
    ],
    fault: None,
    shows_in: &[Invariant::I7],
};

impl Mutant {
    /// Its processes: those of the product, but only one server, because all share the machine.
    fn processes(&self, product: &Processes) -> Processes {
        let mut own = Processes { servers: 1, ..product.clone() };
        own.arguments.extend(self.fault.iter().flat_map(|fault| ["--fault".to_owned(), (*fault).to_owned()]));
        own
    }
}

/// A cluster in which databases can be created.
pub(crate) trait Databases {
    /// Creates a database, and returns its URL.
    async fn database(&self, name: &str) -> anyhow::Result<String>;
}

impl Databases for Cluster {
    async fn database(&self, name: &str) -> anyhow::Result<String> {
        Self::database(self, name).await
    }
}

/// The product and mutants on one cluster.
pub(crate) struct Installations {
    pub(crate) product: Stage,
    pub(crate) mutants: Vec<(Mutant, Stage)>,
    caught: Vec<&'static str>,
}

/// Clients of all of them.
pub(crate) struct Loads {
    pub(crate) product: Load,
    mutants: Vec<Load>,
}

impl Installations {
    /// Creates them in databases of the cluster. `name` is that of the fault.
    pub(crate) async fn create(
        arguments: &Arguments,
        cluster: &impl Databases,
        name: &str,
        mutants: &[Mutant],
        processes: &Processes,
    ) -> anyhow::Result<Self> {
        let url = cluster.database(name).await?;
        let product = Box::pin(Stage::create(arguments, name, &url, processes)).await?;
        let mut all = Self { product, mutants: Vec::new(), caught: Vec::new() };
        for mutant in mutants.iter().filter(|_| !arguments.no_mutants) {
            let name = format!("{name}-mutant-{}", all.mutants.len());
            let url = cluster.database(&name).await?;
            let mut stage = Box::pin(Stage::prepare(arguments, &name, &url, mutant.statements)).await?;
            stage.start(&mutant.processes(processes)).await.with_context(|| mutant.name)?;
            all.mutants.push((*mutant, stage));
        }
        Ok(all)
    }

    /// Starts the clients of all.
    pub(crate) fn load(&mut self) -> Loads {
        let mutants = self.mutants.iter_mut().map(|(_, stage)| stage.load()).collect();
        Loads { product: self.product.load(), mutants }
    }

    /// Stops the clients, finishes all work, and audits all. Returns what is left of the product.
    pub(crate) async fn settle(&mut self, loads: Loads) -> anyhow::Result<Outcome> {
        let outcome = Box::pin(self.product.settle(loads.product, DRAIN)).await?;
        outcome.violations.iter().take(SHOWN).for_each(|violation| println!("violation: {violation}"));
        for ((mutant, stage), load) in self.mutants.iter_mut().zip(loads.mutants) {
            // A defect may also end a process, or leave what cannot be audited.
            let Ok(outcome) = Box::pin(stage.settle(load, MUTANT_DRAIN)).await else { continue };
            let Some(violation) = outcome.shows(mutant.shows_in) else { continue };
            println!("mutant {}: caught by {violation}", mutant.name);
            self.caught.push(mutant.name);
        }
        Ok(outcome)
    }

    /// The product, and then the mutants.
    pub(crate) fn stages(&self) -> impl Iterator<Item = &Stage> {
        std::iter::once(&self.product).chain(self.mutants.iter().map(|(_, stage)| stage))
    }

    /// The same, to change them.
    pub(crate) fn stages_mut(&mut self) -> impl Iterator<Item = &mut Stage> {
        std::iter::once(&mut self.product).chain(self.mutants.iter_mut().map(|(_, stage)| stage))
    }

    /// The mutants, and whether they were detected.
    pub(crate) fn verdicts(&self) -> Vec<(&'static str, bool)> {
        let names = self.mutants.iter().map(|(mutant, _)| mutant.name);
        names.map(|name| (name, self.caught.contains(&name))).collect()
    }
}
