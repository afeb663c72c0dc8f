//! Plays the script against the server, a quarter of a day at a time.

use std::collections::HashMap;
use std::time::{Duration, SystemTime};

use anyhow::Context;
use chrono::{DateTime, TimeDelta, Utc};
use reflect_types::TraceId;
use serde_json::{Value, json};
use uuid::{Builder, Uuid};

use crate::checks::{self, Report};
use crate::expected;
use crate::installation::Installation;
use crate::script::{BLIND, GUESSING, Naming, Run, STEP, Script, ScriptedSignal, WEEK};

/// All waits have ended four days after the week.
const END: f64 = WEEK + 180.0;
/// The ids of runs are this far in the past, so that every signal is later.
const BEFORE: Duration = Duration::from_secs(20 * 24 * 60 * 60);
/// Memories that runs receive, so that their reviews change the ledger.
const MEMORIES: usize = 8;

/// What happens at a time.
enum Event<'a> {
    Sent(usize),
    Signal(usize, &'a ScriptedSignal, usize),
    Reviewed(usize),
}

/// The week on one installation.
pub(crate) struct Week<'a> {
    script: &'a Script,
    pub(crate) at: Installation,
    ids: Vec<Uuid>,
    memories: Vec<Value>,
    pub(crate) report: Report,
}

impl<'a> Week<'a> {
    pub(crate) fn new(script: &'a Script, at: Installation) -> Self {
        let start = SystemTime::now() - BEFORE;
        let ids = script.runs.iter().enumerate().map(|(number, run)| id(start, number, run)).collect();
        Self { script, at, ids, memories: Vec::new(), report: Report::default() }
    }

    /// Plays the week and checks it. `until_wrong`: ends with the first review that is against the rules.
    pub(crate) async fn play_all(mut self, until_wrong: bool) -> anyhow::Result<Report> {
        for number in 0..MEMORIES {
            let lesson = json!({ "task": format!("close ledger {number}"), "summary": format!("Count row {number}.") });
            let made = self.at.post("/memories", &lesson).await?;
            self.memories.push(made["memory"]["id"].clone());
        }
        let events = self.events();
        let mut next = events.iter().peekable();
        let mut now = STEP;
        while now <= END {
            while let Some((time, event)) = next.next_if(|(time, _)| *time <= now) {
                self.play(*time, event, now).await?;
            }
            self.at.drain().await?;
            self.compare(now).await?;
            if until_wrong && self.report.against_the_rules > 0 {
                self.at.remove().await?;
                return Ok(self.report);
            }
            self.at.advance(STEP).await?;
            self.at.drain().await?;
            now += STEP;
        }
        checks::sources(self.script, &mut self.at, &mut self.report).await?;
        checks::learning_rates(&mut self.at, &mut self.report).await?;
        checks::database(self.script, &mut self.at, &mut self.report).await?;
        let Self { at, report, .. } = self;
        at.remove().await?;
        Ok(report)
    }

    /// All events in the order of their time.
    fn events(&self) -> Vec<(f64, Event<'a>)> {
        let mut events = Vec::new();
        for (number, run) in self.script.runs.iter().enumerate() {
            events.push((run.sent, Event::Sent(number)));
            let signals = run.signals.iter().enumerate();
            events.extend(
                signals.map(|(index, scripted)| (scripted.at, Event::Signal(number, scripted, index))),
            );
            events.extend(run.reviewed.map(|at| (at, Event::Reviewed(number))));
        }
        events.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        events
    }

    /// Sends what happens at a time. `now` is the end of the step.
    async fn play(&mut self, time: f64, event: &Event<'_>, now: f64) -> anyhow::Result<()> {
        match event {
            Event::Sent(number) => {
                let shown =
                    [number % MEMORIES, (number * 3 + 1) % MEMORIES].map(|at| self.memories[at].clone());
                let run = json!({
                    "trace_id": self.ids[*number],
                    "task": format!("change {number}"),
                    "trajectory": [{ "role": "assistant", "content": "done" }],
                    "retrieved_memory_ids": shown,
                    "keys": { "commit": format!("c{number}"), "pull_request": format!("p{number}") },
                });
                self.at.post("/traces", &run).await?;
            }
            Event::Signal(number, scripted, index) => {
                let occurred_at = DateTime::<Utc>::from(SystemTime::now()) - hours(now - time);
                let mut signal = json!({
                    "source": scripted.source,
                    "outcome": if scripted.passed { "pass" } else { "fail" },
                    "occurred_at": occurred_at,
                    "idempotency_key": format!("{number} {index}"),
                });
                match scripted.naming {
                    Naming::Trace => signal["trace_id"] = json!(self.ids[*number]),
                    Naming::Commit => {
                        signal["key"] = json!({ "name": "commit", "value": format!("c{number}") })
                    }
                    Naming::PullRequest => {
                        signal["key"] = json!({ "name": "pull_request", "value": format!("p{number}") });
                    }
                }
                let first = self.at.post("/signals", &signal).await?;
                if scripted.repeated {
                    let again = self.at.post("/signals", &signal).await?;
                    if first["id"] != again["id"] {
                        self.report.doubled += 1;
                    }
                }
            }
            Event::Reviewed(number) => {
                let result = if self.script.runs[*number].good { "pass" } else { "fail" };
                let review = json!({ "trace_id": self.ids[*number], "result": result });
                let answer = self.at.post("/reviews/batch", &json!({ "reviews": [review] })).await?;
                anyhow::ensure!(answer["results"][0]["error"].is_null(), "{answer}");
            }
        }
        Ok(())
    }

    /// Compares the review of every run with what the rules say.
    async fn compare(&mut self, now: f64) -> anyhow::Result<()> {
        let live = "select trace_id, passed from review where superseded_by is null and withdrawn_at is null";
        let live: Vec<(Uuid, bool)> = sqlx::query_as(live).fetch_all(&mut self.at.database).await?;
        let live: HashMap<Uuid, bool> = live.into_iter().collect();
        let stopped = checks::may_be_stopped(self.script, now).then_some(GUESSING);
        for (number, run) in self.script.runs.iter().enumerate() {
            let (found, expected) = (live.get(&self.ids[number]).copied(), expected::result(run, now, None));
            if found != expected && found != expected::result(run, now, stopped) {
                self.report.note(format!(
                    "hour {now}: run {number} has {found:?}, the rules say {expected:?}: {run:?}"
                ));
            }
        }
        Ok(())
    }
}

fn hours(hours: f64) -> TimeDelta {
    TimeDelta::milliseconds((hours * 3_600_000.0) as i64)
}

/// The id of a run: its time is that of the script, and it is blind if the script says so.
fn id(start: SystemTime, number: usize, run: &Run) -> Uuid {
    let at = start + Duration::from_secs_f64(run.began * 3600.0);
    let millis = at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_millis();
    let tries = (0_u64..).map(|attempt| {
        let mut random = [0; 10];
        random[..8].copy_from_slice(&(number as u64 * 1_000_003 + attempt).to_be_bytes());
        Builder::from_unix_timestamp_millis(u64::try_from(millis).unwrap_or_default(), &random).into_uuid()
    });
    let mut fitting =
        tries.filter(|id| reflect_engine::is_blind(TraceId::from_uuid(*id), BLIND) == run.blind);
    fitting.next().unwrap_or_default()
}

/// A key of the report.
pub(crate) fn number(value: &Value, name: &str) -> anyhow::Result<f64> {
    value[name].as_f64().with_context(|| format!("{name} is missing in {value}"))
}
