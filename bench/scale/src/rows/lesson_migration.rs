//! The migration of a bank: maintenance groups the memories of a project into lessons, and one command undoes it, while
//! clients query and review. No query may fail, ids and utilities stay, and afterwards queries are answered as before.
//!
//! The vectors of new runs point away from all others. So they are no candidates, and answers can be compared.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use reflect_bench_query::server::Server;
use reflect_store::{AuditActor, MaintenanceStep};
use reflect_types::GroupingState;
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::{Interval, MissedTickBehavior};

use super::queries::{Filled, PROJECT, path, query};
use crate::client::{Client, content, small_run};
use crate::figure::{Figure, Outcome, number};
use crate::memory_bank::memory_id;
use crate::real_vectors::Question;
use crate::server_log::ServerLog;
use crate::stage::Stage;
use crate::statements;

/// Statements over this are logged.
const LOGGED_MS: u32 = 20;
/// The questions whose answers are compared, and the tasks of new runs.
const QUESTIONS: usize = 200;
const TASKS: usize = 50;
/// Clients that query while memories are grouped. One more reviews.
const CLIENTS: usize = 2;
/// How often each client queries, and how often the other one reviews. Clients that never wait would use the whole processor.
const QUERY_EVERY: Duration = Duration::from_millis(100);
const REVIEW_EVERY: Duration = Duration::from_millis(200);
/// How long maintenance works before it looks again.
const TURN: Duration = Duration::from_secs(10);

pub(super) fn run(stage: &Stage) -> anyhow::Result<Outcome> {
    let memories = stage.pick(100_000, 2_000);
    let limit = stage.pick(Duration::from_secs(3_600), Duration::from_secs(60));
    let filled = Filled::make(stage, "lesson_migration", 1, memories)?;
    let (project, last) = (filled.bank.first_project, memory_id(memories - 1));
    let mut connection = stage.block_on(async {
        let mut connection = statements::connect(&filled.database_url).await?;
        statements::make_actions(&mut connection, project).await?;
        anyhow::Ok(connection)
    })?;
    let mut questions = stage.vectors()?.questions(QUESTIONS);
    filled.settle(stage, &questions)?;
    let asked = questions.len();
    questions.extend(away(&questions[..TASKS.min(asked)]));
    let server = filled.serve(&questions)?;
    let answers_before = answers(stage, &server, &questions, asked)?;
    let before = stage.block_on(statements::fingerprint(&mut connection, project, last))?;

    let log = stage.block_on(ServerLog::start(stage, LOGGED_MS))?;
    let load = stage.block_on(async { Load::start(&server, &questions, asked) });
    let began = Instant::now();
    group(&server, limit)?;
    let grouping = began.elapsed().as_secs_f64();
    let after = stage.block_on(statements::fingerprint(&mut connection, project, last))?;
    let (grouped, lessons) = stage.block_on(statements::grouped(&mut connection, project, last))?;
    let began = Instant::now();
    let state = revert(&server)?;
    let reverting = began.elapsed().as_secs_f64();
    let done = stage.block_on(load.stop())?;
    let excerpt = stage.block_on(log.finish(stage))?;
    let reverted = stage.block_on(statements::fingerprint(&mut connection, project, last))?;
    let (left, _) = stage.block_on(statements::grouped(&mut connection, project, last))?;
    let answers_after = answers(stage, &server, &questions, asked)?;

    let equal = answers_before.iter().zip(&answers_after).filter(|(before, after)| before == after).count();
    let longest = excerpt.longest();
    let is_same = before == after && before == reverted;
    let figures = vec![
        Figure::info(
            format!("grouping {memories} memories"),
            format!("{lessons} lessons in {} s, {}/s", number(grouping), number(grouped as f64 / grouping)),
        ),
        Figure::stated("memories that have a lesson", grouped.to_string(), "all", grouped == before.0),
        Figure::info(
            "clients meanwhile",
            format!("{} queries and {} reviews answered", done.queries, done.reviews),
        ),
        Figure::stated("queries that failed", done.failed_queries.to_string(), "0", done.failed_queries == 0),
        Figure::stated("reviews that failed", done.failed_reviews.to_string(), "0", done.failed_reviews == 0),
        Figure::stated(
            "ids, utilities and credits, before and after",
            if is_same { "equal" } else { "different" },
            "equal",
            is_same,
        ),
        Figure::stated(
            "reverted by one command",
            format!("{} in {} s", state.as_str(), number(reverting)),
            "reverted",
            state == GroupingState::Reverted,
        ),
        Figure::stated("memories that still have a lesson", left.to_string(), "0", left == 0),
        // A graph finds nearly all of the nearest memories.
        Figure::at_least("answers as before", equal as f64 / asked as f64, 0.98, ""),
        Figure::at_most("longest statement", longest.map_or(0.0, |one| one.milliseconds), 100.0, " ms"),
        Figure::info(
            "that statement",
            longest.map_or(format!("none over {LOGGED_MS} ms"), |one| one.statement.clone()),
        ),
    ];
    Ok(Outcome { figures, ..Outcome::default() })
}

/// The same tasks with opposite vectors.
fn away(questions: &[Question]) -> Vec<Question> {
    let opposite = |vector: &[f32]| vector.iter().map(|value| -value).collect();
    questions
        .iter()
        .map(|question| Question { text: question.text.clone(), vector: opposite(&question.vector) })
        .collect()
}

/// Ids and scores of the answers to the first questions.
fn answers(
    stage: &Stage,
    server: &Server,
    questions: &[Question],
    asked: usize,
) -> anyhow::Result<Vec<Vec<(Value, Value)>>> {
    stage.block_on(async {
        let mut client = Client::open(&server.address, &server.key).await?;
        let mut answers = Vec::with_capacity(asked);
        for number in 0..asked {
            let answer = client.post(&path(PROJECT), &query(questions, number, None)).await?;
            let answer = content(answer, &[200])?;
            let memories = answer.as_array().context("not a list of memories")?;
            let served = memories.iter().map(|memory| (memory["id"].clone(), memory["score"].clone()));
            answers.push(served.collect());
        }
        anyhow::Ok(answers)
    })
}

/// Runs the step of maintenance until all memories are grouped.
fn group(server: &Server, limit: Duration) -> anyhow::Result<()> {
    let (engine, visitor) = (server.engine.clone(), server.visitor.clone());
    server.run(async move {
        let began = Instant::now();
        loop {
            engine.maintenance.run_step(MaintenanceStep::Lessons, TURN).await?;
            let state = engine.store.project(visitor.project).lessons().statistics().await?;
            if state.grouping == GroupingState::Done {
                return Ok(());
            }
            ensure!(began.elapsed() < limit, "{} of {} memories are grouped", state.grouped, state.to_group);
        }
    })
}

/// Undoes it.
fn revert(server: &Server) -> anyhow::Result<GroupingState> {
    let (engine, visitor) = (server.engine.clone(), server.visitor.clone());
    server.run(async move {
        let actor = AuditActor::local("bench");
        Ok(engine.lesson_bank.revert_grouping(&visitor, &actor).await?.state)
    })
}

/// What clients did.
#[derive(Debug, Clone, Copy, Default)]
struct Done {
    queries: usize,
    failed_queries: usize,
    reviews: usize,
    failed_reviews: usize,
}

/// Clients that query and review until they are stopped.
struct Load {
    stop: Arc<AtomicBool>,
    clients: JoinSet<anyhow::Result<Done>>,
}

impl Load {
    /// `questions` has the tasks of new runs after the first `asked` ones.
    fn start(server: &Server, questions: &[Question], asked: usize) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let mut clients: JoinSet<anyhow::Result<Done>> = JoinSet::new();
        let queries: Arc<Vec<Value>> =
            Arc::new((0..asked).map(|number| query(questions, number, None)).collect());
        let tasks = questions.len() - asked;
        let runs: Vec<usize> = (0..tasks).map(|task| asked + task).collect();
        for client in 0..CLIENTS {
            let (stop, queries) = (stop.clone(), queries.clone());
            let (address, key) = (server.address.clone(), server.key.clone());
            clients.spawn(async move {
                let mut connection = Client::open(&address, &key).await?;
                let mut done = Done::default();
                let mut turns = every(QUERY_EVERY);
                for query in queries.iter().cycle().skip(client * 7) {
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    turns.tick().await;
                    let answer = connection.post(&path(PROJECT), query).await;
                    let is_answered = answer.is_ok_and(|answer| answer.status == 200);
                    done.queries += usize::from(is_answered);
                    done.failed_queries += usize::from(!is_answered);
                }
                Ok(done)
            });
        }
        let (until, all) = (stop.clone(), questions.len());
        let (address, key) = (server.address.clone(), server.key.clone());
        clients.spawn(async move {
            let mut client = Client::open(&address, &key).await?;
            let mut done = Done::default();
            let mut turns = every(REVIEW_EVERY);
            for (round, task) in runs.iter().cycle().enumerate() {
                if until.load(Ordering::Relaxed) {
                    break;
                }
                turns.tick().await;
                // The last word selects the vector.
                let run = reviewed(&format!("Settle a new case {}", task + round / tasks * all), round);
                let answer = client.post(&format!("/v1/projects/{PROJECT}/traces"), &run).await;
                let is_stored = answer.is_ok_and(|answer| [201, 202].contains(&answer.status));
                done.reviews += usize::from(is_stored);
                done.failed_reviews += usize::from(!is_stored);
            }
            Ok(done)
        });
        Self { stop, clients }
    }

    /// Ends it.
    async fn stop(mut self) -> anyhow::Result<Done> {
        self.stop.store(true, Ordering::Relaxed);
        let mut total = Done::default();
        while let Some(client) = self.clients.join_next().await {
            let done = client.context("a client panicked")??;
            total.queries += done.queries;
            total.failed_queries += done.failed_queries;
            total.reviews += done.reviews;
            total.failed_reviews += done.failed_reviews;
        }
        Ok(total)
    }
}

/// Turns that are this far apart, or further if an answer takes longer.
fn every(time: Duration) -> Interval {
    let mut turns = tokio::time::interval(time);
    turns.set_missed_tick_behavior(MissedTickBehavior::Delay);
    turns
}

/// A run with a lesson that has the action of existing ones.
fn reviewed(task: &str, number: usize) -> Value {
    let mut run = small_run(task, Some("pass"));
    run["review"]["reflection"] = json!({
        "guidance": format!("Settle it by rule {}", number % 7),
        "correct_action": format!("Follow procedure {}", number % 100),
    });
    run
}
