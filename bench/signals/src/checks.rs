//! What must hold at the end of the week.

use std::time::Duration;

use anyhow::Context;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::expected::latest_signal;
use crate::installation::Installation;
use crate::script::{ERRORS, GUESSING, Script};
use crate::week::number;

/// How many deviations are printed.
const SHOWN: usize = 5;
/// The fewest pairs with which a source is stopped.
const FEWEST_PAIRS: u64 = 20;
/// Longer than the server remembers the agreement of a source.
const FORGOTTEN: Duration = Duration::from_secs(21);

/// The result of a week.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) signals: usize,
    pub(crate) reviews: usize,
    pub(crate) against_the_rules: usize,
    pub(crate) doubled: usize,
    /// Other findings.
    pub(crate) problems: Vec<String>,
    lines: Vec<String>,
}

impl Report {
    /// A review that is not what the rules say.
    pub(crate) fn note(&mut self, what: String) {
        self.against_the_rules += 1;
        if self.against_the_rules <= SHOWN {
            self.lines.push(what);
        }
    }

    pub(crate) fn print(&self) {
        for line in &self.lines {
            println!("{line}");
        }
    }
}

/// The measured agreement of each source is exactly that of its pairs, and its known error lies in the interval.
pub(crate) async fn sources(
    script: &Script,
    at: &mut Installation,
    report: &mut Report,
) -> anyhow::Result<()> {
    tokio::time::sleep(FORGOTTEN).await;
    let found = at.get("/signals/sources").await?;
    for (source, error) in ERRORS {
        let measured = find(&found, source)?;
        let pairs = pairs(script, source, f64::INFINITY);
        let agreement = &measured["agreement"];
        let counted = ["passes", "passes_right", "fails", "fails_right"].map(|name| agreement[name].as_u64());
        if counted != pairs.map(Some) {
            report.problems.push(format!("{source}: {agreement}, expected {pairs:?}"));
        }
        let (low, high) = (measured["interval"][0].as_f64(), measured["interval"][1].as_f64());
        let (low, high) = (low.context("no interval")?, high.context("no interval")?);
        if !(low..=high).contains(&(1.0 - error)) {
            report.problems.push(format!("{source}: {} is not in [{low}, {high}]", 1.0 - error));
        }
        let (informedness, step) = (number(agreement, "informedness")?, number(agreement, "step")?);
        if (step - 0.1 * informedness.max(0.0)).abs() > 1e-9 {
            report
                .problems
                .push(format!("{source}: the learning rate {step} does not follow {informedness}"));
        }
        let is_stopped = measured["stopped"] == true;
        if is_stopped != (source == GUESSING) {
            report.problems.push(format!("{source}: stopped is {is_stopped}: {agreement}"));
        }
        report.lines.push(format!(
            "{source}: right about {:.0} %, measured {:.1} % [{:.1}, {:.1}] of {} pairs, learning rate {step:.4}{}",
            100.0 * (1.0 - error),
            100.0 * number(agreement, "agreed")? / number(agreement, "pairs")?,
            100.0 * low,
            100.0 * high,
            agreement["pairs"],
            if is_stopped { ", stopped" } else { "" }
        ));
    }
    Ok(())
}

fn find<'a>(found: &'a Value, source: &str) -> anyhow::Result<&'a Value> {
    let sources = found["sources"].as_array().context("no sources")?;
    sources.iter().find(|one| one["source"] == source).with_context(|| format!("no source {source}"))
}

/// Whether the source that guesses may be stopped at this time. The server remembers the agreement of a source for seconds of
/// real time, so the script cannot tell when exactly it stops.
pub(crate) fn may_be_stopped(script: &Script, now: f64) -> bool {
    let [passes, _, fails, _] = pairs(script, GUESSING, now);
    passes + fails >= FEWEST_PAIRS
}

/// Passes, agreed passes, fails, agreed fails of the newest 200 runs that a person reviewed until this time without having seen
/// the source: blind ones, and those that the source judged only after the person.
fn pairs(script: &Script, source: &str, now: f64) -> [u64; 4] {
    let unseen = script.runs.iter().rev().filter_map(|run| {
        let reviewed = run.reviewed.filter(|at| *at <= now)?;
        let mut signals = run.signals.iter().filter(|signal| signal.source == source);
        let is_unseen = run.blind || signals.all(|signal| signal.at.max(run.sent) > reviewed);
        let latest = latest_signal(run, source, now).filter(|_| is_unseen)?;
        Some((run.good, latest.passed))
    });
    let mut counts = [0; 4];
    for (good, passed) in unseen.take(200) {
        let at = if good { 0 } else { 2 };
        counts[at] += 1;
        counts[at + 1] += u64::from(good == passed);
    }
    counts
}

/// The next review of each source has its measured learning rate. A stopped source makes none.
pub(crate) async fn learning_rates(at: &mut Installation, report: &mut Report) -> anyhow::Result<()> {
    let found = at.get("/signals/sources").await?;
    for (source, _) in ERRORS {
        let step = number(&find(&found, source)?["agreement"], "step")?;
        let trace = visible_run(at).await?;
        let signal = json!({ "source": source, "trace_id": trace, "outcome": "fail" });
        at.post("/signals", &signal).await?;
        at.drain().await?;
        let review = at.get(&format!("/traces/{trace}")).await?["review"].clone();
        let is_right = match review["alpha"].as_f64() {
            None => source == GUESSING,
            Some(alpha) => source != GUESSING && (alpha - step).abs() < 1e-6,
        };
        if !is_right {
            report.problems.push(format!("{source}: the learning rate of {review} is not {step}"));
        }
    }
    vote_once(at, report).await
}

/// Two votes with one token are one vote.
async fn vote_once(at: &mut Installation, report: &mut Report) -> anyhow::Result<()> {
    let trace = visible_run(at).await?;
    let issued = at.post(&format!("/traces/{trace}/feedback-token"), &json!({})).await?;
    let token = issued["token"].as_str().context("no token")?.to_owned();
    for outcome in ["fail", "pass"] {
        let status = at.vote(&token, outcome).await?;
        anyhow::ensure!(status == 204, "a vote was answered with {status}");
        at.drain().await?;
    }
    at.end_grace().await?;
    let review = at.get(&format!("/traces/{trace}")).await?["review"].clone();
    if review["result"] != "pass" || review["reviewer"] != "signal:user" {
        report.problems.push(format!("the last vote does not count: {review}"));
    }
    let found = at.get(&format!("/traces/{trace}/signals")).await?;
    if found["signals"].as_array().map(Vec::len) != Some(1) {
        report.doubled += 1;
    }
    Ok(())
}

/// A run whose signals are not withheld.
async fn visible_run(at: &mut Installation) -> anyhow::Result<String> {
    let visible =
        |id: &Uuid| !reflect_engine::is_blind(reflect_types::TraceId::from_uuid(*id), crate::script::BLIND);
    let id = std::iter::repeat_with(Uuid::now_v7).find(visible).context("no id")?;
    let run = json!({ "trace_id": id, "task": "one more", "trajectory": [{ "role": "assistant", "content": "done" }] });
    at.post("/traces", &run).await?;
    Ok(id.to_string())
}

/// Every signal is stored once, no run has two reviews, nothing waits, and the invariants of the fault test hold.
pub(crate) async fn database(
    script: &Script,
    at: &mut Installation,
    report: &mut Report,
) -> anyhow::Result<()> {
    // One for each source and one vote came after the week.
    report.signals = count(at, "select count(*) from signal").await? - ERRORS.len() - 1;
    report.doubled += report.signals.abs_diff(script.signals());
    let live = "select count(*) from review where superseded_by is null and withdrawn_at is null \
                and starts_with(reviewer, 'signal:')";
    report.reviews = count(at, live).await?;
    let twice = "select count(*) from (select from review where superseded_by is null and withdrawn_at is null \
                 group by project_id, trace_id having count(*) > 1) doubled";
    report.doubled += count(at, twice).await?;
    for (what, question) in [
        ("runs wait without end", "select count(*) from signal_wait"),
        ("jobs are left", "select count(*) from job"),
    ] {
        let left = count(at, question).await?;
        if left > 0 {
            report.problems.push(format!("{left} {what}"));
        }
    }
    let violations = Box::pin(reflect_soak::violations(&at.database_url)).await?;
    report.lines.push(format!("{} violations of the ledger and the other invariants", violations.len()));
    report.problems.extend(violations);
    Ok(())
}

async fn count(at: &mut Installation, question: &'static str) -> anyhow::Result<usize> {
    let counted: i64 = sqlx::query_scalar(question).fetch_one(&mut at.database).await?;
    Ok(usize::try_from(counted)?)
}
