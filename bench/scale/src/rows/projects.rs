//! A query among many projects against one among few. All of them are small; a part of them is in use, as in a real
//! installation.

use std::time::Instant;

use reflect_bench_query::figures::quantile;
use reflect_bench_query::server::Server;

use super::queries::{Filled, path, query};
use crate::client::{Client, content, milliseconds};
use crate::figure::{Figure, Outcome, number};
use crate::real_vectors::Question;
use crate::stage::Stage;

const FEW: usize = 10;
const MEMORIES_EACH: usize = 20;
/// How many projects are in use.
const IN_USE: usize = 100;
const QUESTIONS: usize = 100;

/// One of both sides.
struct Side {
    projects: usize,
    server: Server,
    key: String,
    asked: usize,
    latencies: Vec<f64>,
}

pub(super) fn run(stage: &Stage) -> anyhow::Result<Outcome> {
    let many = stage.pick(10_000, 200);
    let (rounds, requests) = stage.pick((10, 200), (2, 40));
    let questions = stage.vectors()?.questions(QUESTIONS);
    let mut sides = Vec::new();
    for projects in [FEW, many] {
        let filled = Filled::make(stage, &format!("projects_in_use_{projects}"), projects, MEMORIES_EACH)?;
        let server = filled.serve(&questions)?;
        let launch = stage.launch(&filled.database_url, "api", Vec::new())?;
        let key = stage.block_on(launch.master_key())?;
        sides.push(Side { projects, server, key, asked: 0, latencies: Vec::new() });
    }
    for round in 0..=rounds {
        for side in &mut sides {
            let latencies = side.ask(stage, &questions, requests)?;
            // The first round fills caches and connections.
            if round > 0 {
                side.latencies.extend(latencies);
            }
        }
    }
    let medians: Vec<f64> = sides.iter().map(|side| quantile(&side.latencies, 0.5)).collect();
    let figures = vec![
        Figure::info(
            format!("p50 with {FEW} and with {many} projects"),
            format!("{} ms and {} ms", number(medians[0]), number(medians[1])),
        ),
        Figure::at_most(format!("p50 with {many} projects / with {FEW}"), medians[1] / medians[0], 1.1, ""),
    ];
    Ok(Outcome { figures, ..Outcome::default() })
}

impl Side {
    fn ask(&mut self, stage: &Stage, questions: &[Question], requests: usize) -> anyhow::Result<Vec<f64>> {
        stage.block_on(async {
            let mut client = Client::open(&self.server.address, &self.key).await?;
            let mut latencies = Vec::new();
            for _ in 0..requests {
                // The projects in use are spread over all of them.
                let spread = (self.projects / IN_USE).max(1);
                let project = format!("scale-{}", 1 + (self.asked * spread) % self.projects);
                let query = query(questions, self.asked, None);
                self.asked += 1;
                let began = Instant::now();
                let answer = client.post(&path(&project), &query).await?;
                latencies.push(milliseconds(began));
                content(answer, &[200])?;
            }
            Ok(latencies)
        })
    }
}
