//! A bad network between two parts: it delays, stalls, refuses, cuts, resets, half-closes and abandons connections, in an order
//! that the seed decides.

mod receiver;
mod schedule;

use std::time::Duration;

use reflect_bench_ingest::cluster::Cluster;
use reflect_soak::audit::Invariant;

use crate::Arguments;
use crate::fault::Report;
use crate::mutant::{ACKNOWLEDGE_BEFORE_COMMIT, FORGOTTEN_KEYS, Installations, LOSE_REPEATED_JOBS, Mutant};
use crate::stage::Processes;
pub(crate) use receiver::Receiver;
use schedule::Schedule;

/// The two parts of the product that do not reach each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Link {
    /// Clients and servers.
    Clients,
    /// Servers and workers, and Postgres.
    Database,
    /// Servers and workers, and the provider of models.
    Provider,
    /// Servers and workers, and the receiver of a webhook.
    Webhooks,
}

/// A failed delivery of a webhook counts as successful.
const DELIVERED_AFTER_FAILURE: Mutant = Mutant {
    name: "failed deliveries count as successful",
    statements: &[
        "create function deliver_once() returns trigger language plpgsql as $$ begin \
           if new.state = 0 and jsonb_array_length(new.attempts) > 0 then \
             new.state := 1; new.next_at := null; new.finished_at := now(); end if; \
           return new; end $$",
        "create trigger deliver_once before update on webhook_delivery for each row execute function deliver_once()",
    ],
    fault: None,
    shows_in: &[Invariant::I1],
};

impl Link {
    const fn name(self) -> &'static str {
        match self {
            Self::Clients => "network-clients",
            Self::Database => "network-database",
            Self::Provider => "network-provider",
            Self::Webhooks => "network-webhooks",
        }
    }

    /// What a missing protection on this link does.
    const fn mutant(self) -> Mutant {
        match self {
            Self::Clients => FORGOTTEN_KEYS,
            Self::Database => ACKNOWLEDGE_BEFORE_COMMIT,
            Self::Provider => LOSE_REPEATED_JOBS,
            Self::Webhooks => DELIVERED_AFTER_FAILURE,
        }
    }
}

pub(crate) async fn run(arguments: &Arguments, link: Link) -> anyhow::Result<Report> {
    let cluster = Cluster::start()?;
    let processes = Processes { link: Some(link), ..Processes::default() };
    let mut all =
        Box::pin(Installations::create(arguments, &cluster, link.name(), &[link.mutant()], &processes))
            .await?;
    let rounds = if arguments.quick { 1 } else { 6 };
    let loads = all.load();
    let mut schedule = Schedule::new(arguments.seed, link);
    let mut slowest = (Duration::ZERO, "");
    for _ in 0..rounds {
        let recovered = Box::pin(schedule.round(&all, &loads)).await?;
        slowest = slowest.max(recovered);
    }
    let outcome = Box::pin(all.settle(loads)).await?;
    let mut report = outcome.report();
    let hit: u64 = all.product.proxies.iter().map(|proxy| proxy.hit()).sum();
    report.notes.push(format!(
        "{hit} connections were broken or refused; the slowest recovery was that from {}",
        slowest.1
    ));
    if let Some(receiver) = &all.product.receiver {
        report.notes.push(format!(
            "{} events arrived, {} of them again",
            receiver.events(),
            receiver.repeats()
        ));
    }
    report.recovery = Some(slowest.0);
    report.mutants = all.verdicts();
    Ok(report)
}
