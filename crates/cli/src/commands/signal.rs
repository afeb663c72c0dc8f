//! `reflect signal`: reports the outcome of a run, such as a CI result.

use std::path::PathBuf;
use std::time::SystemTime;

use clap::Args;
use reflect_api::SignalStatus;
use reflect_sdk::OutgoingSignal;
use reflect_types::{ReviewResult, RunKeyName, SignalSource, TraceId};

use crate::arguments::pairs::Pair;
use crate::connection::Connection;
use crate::failure::Failure;
use crate::output::{Output, counted};
use crate::test_results::{self, TestResults, junit, tap};
use crate::timestamp::parse_timestamp;

/// Report the outcome of a run: of a build, of tests, of a merge, of a vote.
#[derive(Debug, Args)]
#[command(
    group(clap::ArgGroup::new("subject").required(true).args(["trace", "key"])),
    group(clap::ArgGroup::new("outcome").required(true).multiple(true).args(["pass", "fail", "score", "junit", "tap"]))
)]
pub(crate) struct Signal {
    #[command(flatten)]
    connection: Connection,
    /// The system that reports it: ci, tests, user, ticket, merge, evaluation, or another name.
    #[arg(long, value_name = "NAME", default_value = "ci")]
    source: SignalSource,
    /// The trace id of the run. The run may arrive later.
    #[arg(long, value_name = "TRACE")]
    trace: Option<TraceId>,
    /// Instead of --trace: a key that the run declares, such as commit=4f2a9c1 or pull_request=118. The run may arrive
    /// later. This is no API key.
    #[arg(long, value_name = "NAME=VALUE", value_parser = run_key)]
    key: Option<(RunKeyName, String)>,
    /// The run passed.
    #[arg(long, conflicts_with_all = ["fail", "score", "junit", "tap"])]
    pass: bool,
    /// The run failed.
    #[arg(long, conflicts_with_all = ["score", "junit", "tap"])]
    fail: bool,
    /// A score from 0 to 1. The thresholds of the project make a result of it.
    #[arg(long, conflicts_with_all = ["junit", "tap"])]
    score: Option<f64>,
    /// A file of test results in the format JUnit XML. Repeatable. The run passed if no test failed.
    #[arg(long, value_name = "FILE")]
    junit: Vec<PathBuf>,
    /// A file of test results in the format TAP (Test Anything Protocol). Repeatable.
    #[arg(long, value_name = "FILE")]
    tap: Vec<PathBuf>,
    /// What was right or wrong. Default: the names of the failed tests.
    #[arg(short, long)]
    message: Option<String>,
    /// Where to read more, such as the address of the build.
    #[arg(long)]
    url: Option<String>,
    /// When it happened: 2h, a date, or RFC 3339. Default: now.
    #[arg(long, value_name = "TIME")]
    occurred_at: Option<String>,
    /// A text that identifies this signal, such as the number of the build and its attempt. If a signal of the same source
    /// with this text is stored already, it is not stored again.
    #[arg(long, value_name = "KEY")]
    idempotency_key: Option<String>,
    /// Data to show with the signal. Repeatable.
    #[arg(long, value_name = "NAME=VALUE")]
    metadata: Vec<Pair>,
}

pub(crate) async fn run(arguments: Signal, output: &Output) -> anyhow::Result<()> {
    let results = results(&arguments)?;
    let signal = built(&arguments, results.as_ref())?;
    let client = arguments.connection.client()?;
    let accepted = client.signals.send(&signal).await?;
    output.item("signal.send/1", &accepted, || match accepted.status {
        SignalStatus::Matched => {
            format!("Stored {}, about {}.", accepted.id, counted(accepted.trace_ids.len(), "run"))
        }
        SignalStatus::Waiting => format!("Stored {}, which waits for its run.", accepted.id),
    })
}

/// The results in the files, if there are any.
fn results(arguments: &Signal) -> anyhow::Result<Option<TestResults>> {
    if arguments.junit.is_empty() && arguments.tap.is_empty() {
        return Ok(None);
    }
    let mut all = TestResults::default();
    for file in &arguments.junit {
        all.add(test_results::read(file, junit)?);
    }
    for file in &arguments.tap {
        all.add(test_results::read(file, tap)?);
    }
    Ok(Some(all))
}

fn built(arguments: &Signal, results: Option<&TestResults>) -> anyhow::Result<OutgoingSignal> {
    let source = arguments.source.clone();
    let mut signal = match (results, arguments.score) {
        (Some(results), _) => OutgoingSignal::outcome(source, results.outcome()?),
        (None, Some(score)) => OutgoingSignal::score(source, score),
        (None, None) => {
            let outcome = if arguments.pass { ReviewResult::Pass } else { ReviewResult::Fail };
            OutgoingSignal::outcome(source, outcome)
        }
    };
    signal = match (arguments.trace, &arguments.key) {
        (Some(trace), _) => signal.about(trace),
        (None, Some((name, value))) => signal.about_key(name.clone(), value),
        (None, None) => return Err(Failure::usage("add --trace or --key").into()),
    };
    let comment = arguments.message.clone().or_else(|| results.and_then(TestResults::comment));
    signal = comment.into_iter().fold(signal, OutgoingSignal::comment);
    signal = arguments.url.iter().fold(signal, OutgoingSignal::url);
    signal = arguments.idempotency_key.iter().fold(signal, OutgoingSignal::idempotency_key);
    for Pair { name, value } in &arguments.metadata {
        signal = signal.metadata(name, value.clone());
    }
    if let Some(at) = &arguments.occurred_at {
        signal = signal.occurred_at(parse_timestamp(at, SystemTime::now())?);
    }
    Ok(signal)
}

/// Parses a name and a value. The value is text, also if it looks like a number.
fn run_key(text: &str) -> Result<(RunKeyName, String), String> {
    let (name, value) = text.split_once('=').ok_or("must look like name=value")?;
    let name = name.parse::<RunKeyName>().map_err(|error| format!("the name {error}"))?;
    if value.is_empty() { Err("must look like name=value".to_owned()) } else { Ok((name, value.to_owned())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_a_name_and_a_text() {
        assert_eq!(run_key("pull_request=007"), Ok((RunKeyName::pull_request(), "007".to_owned())));
        assert_eq!(run_key("a=b=c").unwrap().1, "b=c");
        for wrong in ["commit", "commit=", "=x", "A=x"] {
            assert!(run_key(wrong).is_err(), "{wrong}");
        }
    }
}
