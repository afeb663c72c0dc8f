//! Overload: three times as many queries per second as the server can answer. It should go on answering as many as before,
//! and refuse the others at once.
//!
//! The clients use the same two processors, so capacity and goodput are those of a server beside its clients.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use reflect_bench_query::figures::quantile;
use serde_json::Value;
use tokio::task::JoinSet;

use super::queries::{Filled, PROJECT, path, query};
use crate::client::{Client, milliseconds};
use crate::figure::{Figure, Headline, Outcome, number};
use crate::stage::Stage;

const KEYS: usize = 4;
/// Enough to keep both processors busy.
const CLIENTS: usize = 16;
const TIMES: f64 = 3.0;
const QUESTIONS: usize = 100;
/// Later answers help no agent.
const USEFUL_MS: f64 = 5_000.0;
/// A refusal that takes longer is as bad as an answer.
const REFUSED_MS: f64 = 50.0;

/// How one request ended.
#[derive(Debug, Clone, Copy)]
struct Ended {
    /// 0 without an answer.
    status: u16,
    milliseconds: f64,
    retry_after: bool,
    /// Before the end of the turn.
    in_turn: bool,
}

/// What clients send and where.
#[derive(Debug)]
struct Target {
    address: String,
    keys: Vec<String>,
    queries: Vec<Value>,
    next: AtomicUsize,
}

impl Target {
    fn next(&self) -> (usize, &Value) {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        (number, &self.queries[number % self.queries.len()])
    }

    fn key(&self, number: usize) -> &str {
        &self.keys[number % self.keys.len()]
    }
}

pub(super) fn run(stage: &Stage) -> anyhow::Result<Outcome> {
    let memories = stage.pick(10_000, 1_000);
    let turn = stage.pick(Duration::from_secs(20), Duration::from_secs(2));
    let filled = Filled::make(stage, "overload", 1, memories)?;
    let questions = stage.vectors()?.questions(QUESTIONS);
    let server = filled.serve(&questions)?;
    let launch = stage.launch(&filled.database_url, "api", Vec::new())?;
    let (capacity, ended) = stage.block_on(async {
        let mut keys = Vec::new();
        for _ in 0..KEYS {
            keys.push(launch.key(PROJECT).await?);
        }
        let queries = (0..50_000).map(|number| query(&questions, number, None)).collect();
        let target =
            Arc::new(Target { address: server.address.clone(), keys, queries, next: AtomicUsize::new(0) });
        capacity(&target, turn / 4).await?;
        let capacity = capacity(&target, turn).await?;
        let ended = offered(&target, TIMES * capacity, turn).await?;
        anyhow::Ok((capacity, ended))
    })?;
    Ok(summary(capacity, turn, &ended))
}

fn summary(capacity: f64, turn: Duration, ended: &[Ended]) -> Outcome {
    let is_refusal = |one: &&Ended| matches!(one.status, 429 | 503);
    let useful = ended.iter().filter(|one| one.status == 200 && one.in_turn && one.milliseconds <= USEFUL_MS);
    let goodput = useful.count() as f64 / turn.as_secs_f64() / capacity;
    let times = |chosen: &[&Ended]| -> Vec<f64> { chosen.iter().map(|one| one.milliseconds).collect() };
    let accepted: Vec<&Ended> = ended.iter().filter(|one| one.status == 200).collect();
    let refused: Vec<&Ended> = ended.iter().filter(is_refusal).collect();
    let other = ended.len() - accepted.len() - refused.len();
    let polite = refused.iter().filter(|one| one.retry_after).count();
    let prompt = quantile(&times(&refused), 0.99);
    let figures = vec![
        Figure::info(
            format!("capacity, and offered at {TIMES} times"),
            format!("{}/s, {}/s", number(capacity), number(ended.len() as f64 / turn.as_secs_f64())),
        ),
        Figure::at_least("goodput / capacity", goodput, 0.9, ""),
        Figure::info("p99 of accepted requests", format!("{} ms", number(quantile(&times(&accepted), 0.99)))),
        Figure::at_most(format!("p99 of {} refused requests", refused.len()), prompt, REFUSED_MS, " ms"),
        Figure::stated(
            "refused with Retry-After",
            format!("{polite} of {}", refused.len()),
            "all",
            polite == refused.len(),
        ),
        Figure::stated("other errors", other.to_string(), "0", other == 0),
    ];
    Outcome { figures, headline: Headline { goodput: Some(goodput), ..Headline::default() } }
}

/// Answered requests per second of clients that send the next request after each answer.
async fn capacity(target: &Arc<Target>, turn: Duration) -> anyhow::Result<f64> {
    let stop = Arc::new(AtomicBool::new(false));
    let mut clients = JoinSet::new();
    for number in 0..CLIENTS {
        let (target, stop) = (target.clone(), stop.clone());
        clients.spawn(async move {
            let mut client = Client::open(&target.address, target.key(number)).await?;
            let mut answered = 0_u32;
            while !stop.load(Ordering::Relaxed) {
                let answer = client.post(&path(PROJECT), target.next().1).await?;
                ensure!(answer.status == 200, "status {} without overload", answer.status);
                answered += 1;
            }
            anyhow::Ok(answered)
        });
    }
    let began = Instant::now();
    tokio::time::sleep(turn).await;
    stop.store(true, Ordering::Relaxed);
    let mut total = 0;
    while let Some(client) = clients.join_next().await {
        total += client.context("a client panicked")??;
    }
    Ok(f64::from(total) / began.elapsed().as_secs_f64())
}

/// Sends this many requests per second, whatever becomes of the earlier ones.
async fn offered(target: &Arc<Target>, per_second: f64, turn: Duration) -> anyhow::Result<Vec<Ended>> {
    let idle: Arc<Mutex<Vec<Client>>> = Arc::default();
    let began = tokio::time::Instant::now();
    let end = began + turn;
    let mut requests = JoinSet::new();
    let mut sent = 0_u32;
    loop {
        let at = began + Duration::from_secs_f64(f64::from(sent) / per_second);
        if at >= end {
            break;
        }
        tokio::time::sleep_until(at).await;
        sent += 1;
        let (target, idle) = (target.clone(), idle.clone());
        requests.spawn(async move { request(&target, &idle, end).await });
    }
    Ok(requests.join_all().await)
}

/// Sends one request, on an idle connection if there is one.
async fn request(target: &Target, idle: &Mutex<Vec<Client>>, end: tokio::time::Instant) -> Ended {
    let began = Instant::now();
    let (number, query) = target.next();
    let taken = idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let sent = async {
        let mut client = match taken {
            Some(client) => client,
            None => Client::open(&target.address, target.key(number)).await?,
        };
        let answer = client.post(&path(PROJECT), query).await?;
        idle.lock().unwrap_or_else(PoisonError::into_inner).push(client);
        anyhow::Ok(answer)
    };
    let answer = sent.await;
    let (milliseconds, in_turn) = (milliseconds(began), tokio::time::Instant::now() <= end);
    match answer {
        Ok(answer) => {
            let retry_after = answer.header("retry-after").is_some();
            Ended { status: answer.status, milliseconds, retry_after, in_turn }
        }
        Err(_) => Ended { status: 0, milliseconds, retry_after: false, in_turn },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::Verdict;

    #[test]
    fn late_answers_and_refusals_are_no_goodput() {
        let ended =
            |status, milliseconds, retry_after| Ended { status, milliseconds, retry_after, in_turn: true };
        let mut all = vec![ended(200, 10.0, false); 9];
        all.push(ended(200, 6_000.0, false));
        all.extend(vec![ended(429, 2.0, true); 20]);

        let outcome = summary(10.0, Duration::from_secs(1), &all);

        assert_eq!(outcome.headline.goodput, Some(0.9));
        assert!(outcome.figures.iter().all(|figure| figure.verdict != Verdict::Over));
        all.push(ended(503, 2.0, false));
        let impolite = summary(10.0, Duration::from_secs(1), &all);
        assert_eq!(impolite.figures.iter().filter(|figure| figure.verdict == Verdict::Over).count(), 1);
    }
}
