//! Does memory help? A data set, several rounds, with and without memory, side by side.
//!
//! It needs a Reflect server (`REFLECT_API_KEY`, `REFLECT_BASE_URL`, `REFLECT_PROJECT_ID`) and an empty project, so that
//! both sides start equal. The number is the count of rounds; the report is also written as JSON:
//!
//! ```text
//! cargo run -p reflect-memory-client --features reflexion-loop --example experiment -- 5 report.json
//! ```
//!
//! Cases of a round run at the same time, rounds one after the other: a later one may learn from an earlier one. A case
//! that breaks is counted and stops nothing.

// In a program of your own this is tokio itself.
extern crate sdk_tokio as tokio;

mod agent;
mod report;

use std::sync::Arc;

use indicatif::{ProgressBar, ProgressStyle};
use reflect_sdk::ReflectClient;
use reflexion_loop::{Reflexion, Verdict};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use agent::{CASES, Case};
use report::{Arm, Report};

const AT_ONCE: usize = 4;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let rounds: usize = arguments.next().map_or(Ok(5), |text| text.parse())?;
    let client = ReflectClient::from_env()?;
    let bar = ProgressBar::new((2 * rounds * CASES.len()) as u64);
    bar.set_style(ProgressStyle::with_template("{bar:40} {pos}/{len} {msg}")?);

    let (with, without) = tokio::join!(
        arm("with memory", Some(client), rounds, bar.clone()),
        arm("without memory", None, rounds, bar.clone()),
    );
    bar.finish_and_clear();

    let report = Report { rounds, arms: vec![with, without] };
    eprintln!("{}\n{}", report.table(), report.plot());
    if let Some(path) = arguments.next() {
        std::fs::write(&path, serde_json::to_string_pretty(&report)?)?;
        eprintln!("written to {path}");
    }
    Ok(())
}

/// All rounds of one side.
async fn arm(name: &str, memory: Option<ReflectClient>, rounds: usize, bar: ProgressBar) -> Arm {
    let mut arm = Arm::new(name, CASES.len(), rounds);
    for round in 0..rounds {
        let (room, mut running) = (Arc::new(Semaphore::new(AT_ONCE)), JoinSet::new());
        for (number, case) in CASES.iter().enumerate() {
            let (memory, room) = (memory.clone(), Arc::clone(&room));
            running.spawn(async move {
                let _place = room.acquire_owned().await.map_err(|error| error.to_string())?;
                let verdict = one(case, memory, round).await.map_err(|error| error.to_string())?;
                Ok::<_, String>((number, verdict))
            });
        }
        while let Some(done) = running.join_next().await {
            bar.inc(1);
            // A case may fail, and even panic: the others go on.
            match done.map_err(|error| error.to_string()).and_then(|result| result) {
                Ok((number, verdict)) => arm.verdicts[number][round] = verdict,
                Err(error) => arm.broken.push(format!("round {}: {error}", round + 1)),
            }
        }
    }
    arm
}

/// One case once: a single trial, recorded if there is a memory.
async fn one(
    case: &'static Case,
    memory: Option<ReflectClient>,
    round: usize,
) -> Result<Verdict, Box<dyn std::error::Error + Send + Sync>> {
    let mut builder = Reflexion::builder()
        .actor(agent::Agent { case, round })
        .evaluator(case.evaluator())
        .reflector(case.reflector())
        .max_trials(1);
    if let Some(memory) = memory {
        builder = builder.long_term_memory(memory);
    }
    let outcome = builder.build()?.run(case.task).await?;
    Ok(outcome.best.map_or(Verdict::Unclear, |trial| trial.verdict))
}
