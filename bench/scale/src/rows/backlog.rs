//! Fairness: how long a job of a quiet project waits while another project has a million waiting jobs.
//!
//! The jobs of the backlog take as long as a fast model, without using the processor, so a worker is busy and the machine is
//! not. Otherwise, the figure would show the machine. The first thousands of them are real, and the others would end at
//! once if their turn came. The wait of a job ends when the model is asked.

use std::collections::HashMap;
use std::time::{Duration, Instant, SystemTime};

use reflect_bench_query::figures::quantile;
use reflect_scripted_provider::{CallKind, ChatBehaviour, EndpointScript, Rule, Script, ScriptedProvider};
use serde_json::{Value, json};

use crate::client::{Client, content, small_run};
use crate::figure::{Figure, Headline, Outcome, number};
use crate::stage::Stage;
use crate::statements;

const QUIET_PROJECTS: i32 = 100;
/// The first project has the backlog.
const NOISY: &str = "scale-1";
/// In every run of the backlog, and in no other.
const MARK: &str = "backlog";
const MODEL_MS: u64 = 500;
/// The most runs of one request.
const BATCH: usize = 100;
/// The provider keeps the last thousand calls, so they are read more often.
const READ_EVERY: usize = 20;
/// A measurement ends after this time, whatever is left of it.
const LONGEST: Duration = Duration::from_secs(180);

pub(super) fn run(stage: &Stage) -> anyhow::Result<Outcome> {
    let (database_url, first) = stage.database_with_projects("backlog", QUIET_PROJECTS + 1)?;
    let (real, more) = stage.pick((3_000, 1_000_000), (200, 5_000));
    let samples = stage.pick(600, 40);
    let (alone, beside) = stage.block_on(async {
        let rule = Rule { words: vec![MARK.to_owned()], behaviour: ChatBehaviour::DelayMs(MODEL_MS) };
        let chat = EndpointScript { rules: vec![rule], ..EndpointScript::default() };
        let provider = ScriptedProvider::start(Script { chat, ..Script::default() }).await?;
        let launch = stage.launch(&database_url, "all", provider.server_arguments())?;
        let key = launch.master_key().await?;
        let server = launch.start().await?;
        let mut client = Client::open(&server.address, &key).await?;
        waits(&mut client, &provider, "warm", samples / 10).await?;
        let alone = waits(&mut client, &provider, "alone", samples).await?;
        let mut sent = 0;
        while sent < real {
            let runs: Vec<Value> = (sent..(sent + BATCH).min(real))
                .map(|number| small_run(&format!("{MARK} run {number}"), Some("fail")))
                .collect();
            sent += runs.len();
            let path = format!("/v1/projects/{NOISY}/traces/batch");
            content(client.post(&path, &json!({ "traces": runs })).await?, &[200])?;
        }
        let mut connection = statements::connect(&database_url).await?;
        statements::queue_jobs(&mut connection, first, 1, more).await?;
        // The server has closed the connection, which was idle meanwhile.
        let mut client = Client::open(&server.address, &key).await?;
        let beside = waits(&mut client, &provider, "beside", samples).await?;
        server.kill().await?;
        anyhow::Ok((alone, beside))
    })?;
    let fair = quantile(&beside, 0.99) / quantile(&alone, 0.99);
    let of = |waits: &[f64]| {
        format!("p50 {} ms, p99 {} ms", number(quantile(waits, 0.5)), number(quantile(waits, 0.99)))
    };
    let figures = vec![
        Figure::info("wait of a quiet project's job, alone", of(&alone)),
        Figure::info(format!("wait beside {} waiting jobs", real + more), of(&beside)),
        Figure::at_most("p99 wait beside a backlog / alone", fair, 1.5, ""),
    ];
    Ok(Outcome { figures, headline: Headline { fair: Some(fair), ..Headline::default() } })
}

/// Sends reviewed runs of quiet projects one after the other. Returns how long each waited for a worker, in milliseconds.
async fn waits(
    client: &mut Client,
    provider: &ScriptedProvider,
    name: &str,
    samples: usize,
) -> anyhow::Result<Vec<f64>> {
    let end = Instant::now() + LONGEST;
    let mut sent: HashMap<String, (SystemTime, Instant)> = HashMap::new();
    let mut waits = Vec::new();
    for number in 0..samples {
        let project = format!("scale-{}", 2 + number % QUIET_PROJECTS as usize);
        // The mark has an end, so that one is not part of another.
        let mark = format!("{name} job {number}.");
        let run = client.record(&project, &small_run(&mark, Some("fail"))).await?;
        sent.insert(mark, (SystemTime::now(), Instant::now()));
        client.wait_for(&project, run).await?;
        let is_last = number + 1 == samples || Instant::now() > end;
        if is_last || (number + 1) % READ_EVERY == 0 {
            for call in provider.calls().into_iter().filter(|call| call.kind == CallKind::Chat) {
                let body = call.body.to_string();
                let asked = sent.keys().find(|mark| body.contains(mark.as_str())).cloned();
                if let Some((accepted, _)) = asked.and_then(|mark| sent.remove(&mark)) {
                    // The model may be asked before the answer to the client has arrived.
                    let wait = call.at.duration_since(accepted).unwrap_or_default();
                    waits.push(wait.as_secs_f64() * 1e3);
                }
            }
        }
        if is_last {
            break;
        }
    }
    // These still wait.
    waits.extend(sent.values().map(|(_, accepted)| accepted.elapsed().as_secs_f64() * 1e3));
    Ok(waits)
}
