//! Every place of the server and of the worker once, under load.

use std::time::Duration;

use rand::SeedableRng;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use reflect_bench_ingest::cluster::Cluster;
use reflect_soak::audit::Violation;
use reflect_types::CrashPoint;

use crate::Arguments;
use crate::mutants::paid_twice;
use crate::stage::{Difference, Stage};
use crate::state::State;

/// How soon every place is passed under load, on a busy machine. The judge looks for runs every 5 seconds.
const LONGEST: Duration = Duration::from_secs(60);
/// After so many ends everything is audited, so that a violation points to one of them.
const AT_ONCE: usize = 15;
/// Effects of commands, which are tested by `moves` and `delivery`.
const OF_COMMANDS: [&str; 3] = ["export-", "import-", "spool-"];

/// The names of all places whose effects have, or do not have, one of these beginnings.
pub(crate) fn places(of_commands: bool) -> Vec<String> {
    let is_command = |name: &str| OF_COMMANDS.iter().any(|start| name.starts_with(start));
    let effects = CrashPoint::ALL.iter().map(|(name, _)| *name);
    let effects = effects.filter(|name| is_command(name) == of_commands);
    effects.flat_map(|name| [format!("{name}:before"), format!("{name}:after")]).collect()
}

/// Ends a process at each place. The next process starts at once, and clients continue.
pub(crate) async fn run(
    arguments: &Arguments,
    cluster: &Cluster,
    state: &mut State,
    wanted: &impl Fn(&String) -> bool,
) -> anyhow::Result<Vec<Violation>> {
    let mut places: Vec<String> = places(false).into_iter().filter(wanted).collect();
    if places.is_empty() {
        return Ok(Vec::new());
    }
    places.shuffle(&mut SmallRng::seed_from_u64(arguments.seed));
    let plan = (1, arguments.seed);
    let mut stage =
        Box::pin(Stage::create(cluster, &arguments.binary, "points", plan, &Difference::default())).await?;
    let mut violations = Vec::new();
    for part in places.chunks(AT_ONCE) {
        let load = stage.load();
        for place in part {
            stage.end_at(0, place, LONGEST).await?;
            println!("ended at {place}");
        }
        let found = Box::pin(stage.settle(load)).await?;
        if !found.is_empty() {
            println!("{} violations after {}", found.len(), part.join(", "));
        }
        violations.extend(found);
    }
    violations.extend(Box::pin(paid_twice(&stage)).await?);
    state.count(&stage.log_text());
    Ok(violations)
}
