//! Retention over many reviewed runs. Such a run loses its texts and keeps its row, so a search for the next batch must not
//! start at the first row again. What counts is the cost per run at the end against that at the beginning.

use std::time::{Duration, Instant};

use reflect_bench_ingest::cpu::cluster_seconds;

use crate::figure::{Figure, Outcome, number};
use crate::stage::Stage;
use crate::statements;

/// The progress at a moment.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Progress {
    seconds: f64,
    runs: f64,
    cpu: f64,
}

pub(super) fn run(stage: &Stage) -> anyhow::Result<Outcome> {
    let runs = stage.pick(10_000_000, 20_000);
    let limit = stage.pick(Duration::from_secs(1_800), Duration::from_secs(12));
    let pause = stage.pick(Duration::from_secs(5), Duration::from_millis(200));
    let (database_url, project) = stage.database_with_projects("retention", 1)?;
    let progress = stage.block_on(async {
        let mut connection = statements::connect(&database_url).await?;
        statements::make_expired_runs(&mut connection, project, runs).await?;
        statements::execute(&mut connection, "checkpoint").await?;
        let worker = stage.launch(&database_url, "worker", Vec::new())?.start().await?;
        let began = Instant::now();
        let mut progress: Vec<Progress> = Vec::new();
        loop {
            let mut done = statements::retention_progress(&mut connection).await?;
            let cpu = cluster_seconds(stage.data())?;
            // Statistics are late if nothing follows. Looking for runs that are left is expensive, so it is done then only.
            let is_stuck = progress.last().is_some_and(|last| last.runs == done as f64);
            if is_stuck && !statements::has_expired_runs(&mut connection, project).await? {
                done = runs;
            }
            progress.push(Progress { seconds: began.elapsed().as_secs_f64(), runs: done as f64, cpu });
            if done >= runs || began.elapsed() > limit {
                break;
            }
            tokio::time::sleep(pause).await;
        }
        worker.kill().await?;
        anyhow::Ok(progress)
    })?;
    let last = progress.last().copied().unwrap_or(Progress { seconds: 0.0, runs: 0.0, cpu: 0.0 });
    let name = "Postgres CPU per run, last quarter / first quarter";
    let growth = match cost_at_the_end(&progress) {
        Some(growth) => Figure::at_most(name, growth, 1.3, ""),
        None => Figure::stated(name, "too few runs to tell", "at most 1.3", false),
    };
    let figures = vec![
        Figure::info(
            format!("runs emptied of {runs}"),
            format!("{:.0} in {} s, {}/s", last.runs, number(last.seconds), number(last.runs / last.seconds)),
        ),
        growth,
        Figure::stated(
            format!("all of them within {} s", limit.as_secs()),
            if last.runs >= runs as f64 { "yes" } else { "no" },
            "yes",
            last.runs >= runs as f64,
        ),
    ];
    Ok(Outcome { figures, ..Outcome::default() })
}

/// The cost per run in the last quarter of the runs that were done, divided by that in the first quarter. `None` if too
/// little was done to tell.
fn cost_at_the_end(progress: &[Progress]) -> Option<f64> {
    let (first, last) = (progress.first()?, progress.last()?);
    let total = last.runs - first.runs;
    let at = |share: f64| progress.iter().find(|one| one.runs - first.runs >= share * total);
    let cost = |from: &Progress, to: &Progress| (to.cpu - from.cpu) / (to.runs - from.runs);
    let (quarter, three_quarters) = (at(0.25)?, at(0.75)?);
    let growth = cost(three_quarters, last) / cost(first, quarter);
    growth.is_finite().then_some(growth)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress(cost: impl Fn(f64) -> f64) -> Vec<Progress> {
        let steps = (0..=100).map(f64::from);
        steps.map(|runs| Progress { seconds: runs, runs, cpu: cost(runs) }).collect()
    }

    #[test]
    fn a_cost_that_grows_with_what_was_done_is_found() {
        let linear = cost_at_the_end(&progress(|runs| 2.0 * runs)).unwrap();
        let quadratic = cost_at_the_end(&progress(|runs| runs * runs)).unwrap();

        assert!((linear - 1.0).abs() < 1e-9);
        assert!((quadratic - 7.0).abs() < 1e-9);
    }

    #[test]
    fn nothing_is_said_about_nothing() {
        assert_eq!(cost_at_the_end(&[]), None);
        assert_eq!(cost_at_the_end(&progress(|_| 1.0)[..1]), None);
    }
}
