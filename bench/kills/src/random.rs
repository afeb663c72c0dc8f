//! Random places, in rounds: several processes, each of which ends at one of the places that it passes.

use std::time::Duration;

use anyhow::ensure;
use reflect_bench_ingest::cluster::Cluster;
use reflect_soak::audit::Violation;
use tokio::time::Instant;

use crate::Arguments;
use crate::stage::{Difference, Stage};
use crate::state::State;

const PROCESSES: usize = 3;
/// The chance, in a million, to end at each place that is passed: a process lives for about a second of work.
const IN_A_MILLION: u64 = 20_000;
/// Far above the time of a round; only a run that hangs reaches it.
const LONGEST_ROUND: Duration = Duration::from_secs(3600);

/// Ends processes at random places until `count` were ended in all invocations. The figures are written after each round.
pub(crate) async fn run(
    arguments: &Arguments,
    cluster: &Cluster,
    state: &mut State,
    count: u64,
) -> anyhow::Result<Vec<Violation>> {
    let mut violations = Vec::new();
    while state.kills() < count {
        let round = state.rounds;
        let wanted = arguments.round.min(count - state.kills());
        let (ended, found) = Box::pin(one_round(arguments, cluster, state, wanted)).await?;
        state.rounds += 1;
        state.violations += found.len() as u64;
        state.write(&arguments.state)?;
        state.violations -= found.len() as u64;
        println!(
            "round {round}: {ended} ends, {} violations; {} of {count} ends at {} places",
            found.len(),
            state.kills(),
            state.points.len()
        );
        violations.extend(found);
    }
    Ok(violations)
}

async fn one_round(
    arguments: &Arguments,
    cluster: &Cluster,
    state: &mut State,
    wanted: u64,
) -> anyhow::Result<(u64, Vec<Violation>)> {
    // Seeds of different rounds and processes must not overlap.
    let seed = arguments.seed.wrapping_mul(1_000_003).wrapping_add(state.rounds * 1_000);
    let name = format!("random-{}", state.rounds);
    let plan = (PROCESSES, seed);
    let mut stage =
        Box::pin(Stage::create(cluster, &arguments.binary, &name, plan, &Difference::default())).await?;
    let load = stage.load();
    let end = Instant::now() + LONGEST_ROUND;
    let in_one_slot = |number: usize| {
        let stage = &stage;
        async move {
            let mut ended = 0;
            while ended * (PROCESSES as u64) < wanted {
                ensure!(Instant::now() < end, "a round took more than {} s", LONGEST_ROUND.as_secs());
                let seed = seed + (number as u64 + 1) * 100_000_000 + ended;
                let place = format!("random:{seed}:{IN_A_MILLION}");
                stage.end_at(number, &place, LONGEST_ROUND).await?;
                ended += 1;
            }
            anyhow::Ok(())
        }
    };
    let (one, two, three) = tokio::join!(in_one_slot(0), in_one_slot(1), in_one_slot(2));
    one.and(two).and(three)?;
    let violations = Box::pin(stage.settle(load)).await?;
    let ended = state.count(&stage.log_text());
    let _ = std::fs::remove_file(&stage.log_file);
    Ok((ended, violations))
}
