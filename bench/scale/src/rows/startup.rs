//! How soon a server is ready, by number of projects.

use std::time::Instant;

use reflect_bench_query::figures::quantile;

use crate::client::milliseconds;
use crate::figure::{Figure, Outcome, number};
use crate::stage::Stage;
use crate::statements;

pub(super) fn run(stage: &Stage) -> anyhow::Result<Outcome> {
    let starts = stage.pick(5, 1);
    let sizes = stage.pick([10, 100_000], [10, 200]);
    let mut medians = Vec::new();
    for projects in sizes {
        let (database_url, first) = stage.database_with_projects(&format!("startup_{projects}"), projects)?;
        let times = stage.block_on(async {
            let mut connection = statements::connect(&database_url).await?;
            statements::queue_jobs(&mut connection, first, projects, projects as usize * 4).await?;
            statements::clear_jobs(&mut connection).await?;
            let mut times = Vec::new();
            for _ in 0..starts {
                let launch = stage.launch(&database_url, "all", Vec::new())?;
                let began = Instant::now();
                let server = launch.start().await?;
                times.push(milliseconds(began));
                server.kill().await?;
            }
            anyhow::Ok(times)
        })?;
        medians.push((projects, quantile(&times, 0.5)));
    }
    let mut figures = Vec::new();
    for (projects, median) in medians {
        let name = format!("ready after, with {projects} projects");
        // The target is that of the shipped build.
        figures.push(if projects == sizes[1] {
            Figure::at_most(name, median, 300.0, " ms")
        } else {
            Figure::info(name, format!("{} ms", number(median)))
        });
    }
    Ok(Outcome { figures, ..Outcome::default() })
}
