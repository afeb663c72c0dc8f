//! A noisy neighbour: how long queries of a quiet project take while another project sends as many as it can.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context;
use reflect_bench_query::figures::quantile;
use serde_json::Value;
use tokio::task::JoinSet;

use super::queries::{Filled, path, query};
use crate::client::{Client, content, milliseconds};
use crate::figure::{Figure, Outcome, number};
use crate::real_vectors::Question;
use crate::stage::Stage;

const QUIET: &str = "scale-1";
const NOISY: &str = "scale-2";
/// Half of what one key may have in progress.
const NOISY_CLIENTS: usize = 64;
/// The quiet project sends a query, waits for the answer, and then this long.
const PAUSE: Duration = Duration::from_millis(50);
const QUESTIONS: usize = 100;

pub(super) fn run(stage: &Stage) -> anyhow::Result<Outcome> {
    let memories = stage.pick(10_000, 1_000);
    let samples = stage.pick(400, 30);
    let filled = Filled::make(stage, "noisy_neighbour", 2, memories)?;
    let questions = stage.vectors()?.questions(QUESTIONS);
    let server = filled.serve(&questions)?;
    let launch = stage.launch(&filled.database_url, "api", Vec::new())?;
    let (alone, beside, noise) = stage.block_on(async {
        let (quiet, noisy) = (launch.key(QUIET).await?, launch.key(NOISY).await?);
        let mut client = Client::open(&server.address, &quiet).await?;
        measure(&mut client, &questions, samples / 10).await?;
        let alone = measure(&mut client, &questions, samples).await?;
        let noise = Noise::start(&server.address, &noisy, &questions);
        tokio::time::sleep(Duration::from_secs(1)).await;
        let beside = measure(&mut client, &questions, samples).await?;
        anyhow::Ok((alone, beside, noise.stop().await?))
    })?;
    let of = |times: &[f64]| {
        format!("p50 {} ms, p99 {} ms", number(quantile(times, 0.5)), number(quantile(times, 0.99)))
    };
    let ratio = quantile(&beside, 0.99) / quantile(&alone, 0.99);
    let figures = vec![
        Figure::info("a query of the quiet project, alone", of(&alone)),
        Figure::info(format!("beside {}/s of another project", number(noise)), of(&beside)),
        Figure::at_most("p99 beside a noisy project / alone", ratio, 1.5, ""),
    ];
    Ok(Outcome { figures, ..Outcome::default() })
}

/// Queries of the quiet project. Returns milliseconds.
async fn measure(client: &mut Client, questions: &[Question], samples: usize) -> anyhow::Result<Vec<f64>> {
    let mut times = Vec::new();
    for number in 0..samples {
        let began = Instant::now();
        let answer = client.post(&path(QUIET), &query(questions, number, None)).await?;
        times.push(milliseconds(began));
        content(answer, &[200])?;
        tokio::time::sleep(PAUSE).await;
    }
    Ok(times)
}

/// The queries of the noisy project.
struct Noise {
    stop: Arc<AtomicBool>,
    clients: JoinSet<anyhow::Result<u32>>,
    began: Instant,
}

impl Noise {
    fn start(address: &str, key: &str, questions: &[Question]) -> Self {
        let queries: Arc<Vec<Value>> =
            Arc::new((0..20_000).map(|number| query(questions, number, None)).collect());
        let (stop, next) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let mut clients = JoinSet::new();
        for _ in 0..NOISY_CLIENTS {
            let (stop, next, queries) = (stop.clone(), next.clone(), queries.clone());
            let (address, key) = (address.to_owned(), key.to_owned());
            clients.spawn(async move {
                let mut client = Client::open(&address, &key).await?;
                let mut answered = 0_u32;
                while !stop.load(Ordering::Relaxed) {
                    let query = &queries[next.fetch_add(1, Ordering::Relaxed) % queries.len()];
                    // A refused client goes on.
                    let answer = client.post(&path(NOISY), query).await;
                    answered += u32::from(answer.is_ok_and(|answer| answer.status == 200));
                }
                anyhow::Ok(answered)
            });
        }
        Self { stop, clients, began: Instant::now() }
    }

    /// Ends it. Returns how many queries per second were answered.
    async fn stop(mut self) -> anyhow::Result<f64> {
        self.stop.store(true, Ordering::Relaxed);
        let mut total = 0;
        while let Some(client) = self.clients.join_next().await {
            total += client.context("a client panicked")??;
        }
        Ok(f64::from(total) / self.began.elapsed().as_secs_f64())
    }
}
