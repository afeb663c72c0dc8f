//! Maintenance: whether one cycle over all projects completes, its longest statement, and whether a step that fails stops
//! the others.
//!
//! Each step gets one piece of work in the last project, and the cycle is complete when all of it is done. So the row does
//! not depend on how maintenance is organised.

use std::time::{Duration, Instant};

use reflect_scripted_provider::{Script, ScriptedProvider};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::client::{Client, small_run};
use crate::figure::{Figure, Outcome, number};
use crate::server_log::ServerLog;
use crate::stage::Stage;
use crate::statements::{self, OBSTACLE};

/// Statements over this are logged.
const LOGGED_MS: u32 = 100;
/// The step that is made to fail.
const FAILING: &str = "partitions";
/// Enough to show that a step fails; their number does not matter.
const FEW_PROJECTS: i32 = 10;

/// What a cycle did.
struct Cycle {
    seconds: f64,
    steps: Vec<(String, bool)>,
    longest: String,
    longest_ms: f64,
    cancelled: usize,
}

pub(super) fn run(stage: &Stage) -> anyhow::Result<Outcome> {
    let projects = stage.pick(100_000, 200);
    // Each step works for ten seconds and then lets the next one work, so a complete cycle takes many rounds.
    let limit = stage.pick(Duration::from_secs(3_600), Duration::from_secs(20));
    let whole = cycle(stage, "maintenance", projects, limit, None)?;
    let done = |cycle: &Cycle| cycle.steps.iter().filter(|step| step.1).count();
    let left: Vec<&str> = whole.steps.iter().filter(|step| !step.1).map(|(name, _)| name.as_str()).collect();
    let complete = if left.is_empty() {
        format!("{} steps in {} s", whole.steps.len(), number(whole.seconds))
    } else {
        format!("not after {} s: {}", number(whole.seconds), left.join(", "))
    };
    let limit = stage.pick(Duration::from_secs(60), Duration::from_secs(8));
    let obstructed = cycle(stage, "obstructed", FEW_PROJECTS, limit, Some(FAILING))?;
    let figures = vec![
        Figure::stated(format!("one cycle over {projects} projects"), complete, "complete", left.is_empty()),
        Figure::at_most("longest statement", whole.longest_ms, 1_000.0, " ms"),
        Figure::info("that statement", whole.longest.clone()),
        Figure::stated("statements cancelled", whole.cancelled.to_string(), "0", whole.cancelled == 0),
        Figure::stated(
            format!("other steps that are done while {FAILING} fails"),
            format!("{} of {}", done(&obstructed), obstructed.steps.len()),
            "all",
            done(&obstructed) == obstructed.steps.len(),
        ),
    ];
    Ok(Outcome { figures, ..Outcome::default() })
}

/// Gives every step work, starts a worker, and waits until the work is done. One step may be made to fail; it then does
/// not count.
fn cycle(
    stage: &Stage,
    name: &str,
    projects: i32,
    limit: Duration,
    failing: Option<&str>,
) -> anyhow::Result<Cycle> {
    let (database_url, first) = stage.database_with_projects(name, projects)?;
    let pause = stage.pick(Duration::from_secs(1), Duration::from_millis(250));
    stage.block_on(async {
        let mut connection = statements::connect(&database_url).await?;
        statements::queue_jobs(&mut connection, first, projects, projects as usize * 4).await?;
        let (run, memory) = work_of_people(stage, &database_url, &format!("scale-{projects}")).await?;
        statements::prepare_maintenance(&mut connection, run).await?;
        // What holds the lock can also read what it locks.
        let mut watcher = match failing {
            Some(_) => obstacle(&database_url).await?,
            None => connection,
        };
        let provider = ScriptedProvider::start(Script::default()).await?;
        let log = ServerLog::start(stage, LOGGED_MS).await?;
        let began = Instant::now();
        let worker = stage.launch(&database_url, "worker", provider.server_arguments())?.start().await?;
        let counts = |step: &(String, bool)| failing != Some(step.0.as_str());
        let steps = loop {
            let mut steps = statements::maintenance_steps(&mut watcher, run, memory).await?;
            steps.retain(counts);
            if steps.iter().all(|step| step.1) || began.elapsed() > limit {
                break steps;
            }
            tokio::time::sleep(pause).await;
        };
        let seconds = began.elapsed().as_secs_f64();
        worker.kill().await?;
        drop(watcher);
        let excerpt = log.finish(stage).await?;
        let longest = excerpt.longest();
        Ok(Cycle {
            seconds,
            steps,
            longest: longest.map_or("none over 100 ms".to_owned(), |one| one.statement.clone()),
            longest_ms: longest.map_or(0.0, |one| one.milliseconds),
            cancelled: excerpt.cancelled,
        })
    })
}

/// A reviewed run, and a memory that no embedder has seen, in this project.
async fn work_of_people(stage: &Stage, database_url: &str, project: &str) -> anyhow::Result<(Uuid, Uuid)> {
    let launch = stage.launch(database_url, "api", Vec::new())?;
    let key = launch.master_key().await?;
    let server = launch.start().await?;
    let mut client = Client::open(&server.address, &key).await?;
    let run = client.record(project, &small_run("Refund an order", Some("fail"))).await?;
    let memory = client.write_memory(project, "Refund another order").await?;
    server.kill().await?;
    Ok((run, memory))
}

/// An open transaction that makes one step fail.
async fn obstacle(database_url: &str) -> anyhow::Result<PgConnection> {
    let mut connection = statements::connect(database_url).await?;
    statements::execute(&mut connection, "begin").await?;
    statements::execute(&mut connection, OBSTACLE).await?;
    Ok(connection)
}
