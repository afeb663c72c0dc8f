//! Runs that span several input lines: as a closure in `traced`, or as a `Run` value.

use std::collections::HashMap;
use std::fmt;

use reflect_sdk::{MemoryQuery, ReflectClient, Run, RunContext};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use crate::arguments::{Outcome, Query};
use crate::problem::Problem;
use crate::session::read;

/// The calls about runs.
pub(crate) const ABOUT: [&str; 5] = ["traced", "set_output", "return", "run", "finish"];

/// The active runs, by the ids of their traces.
#[derive(Default)]
pub(crate) struct Runs {
    traced: HashMap<String, Traced>,
    held: HashMap<String, Run>,
}

/// A closure in `traced` that waits for its result.
struct Traced {
    context: RunContext,
    end: oneshot::Sender<Result<(), Raised>>,
    /// The task that runs `traced`.
    work: JoinSet<Result<(), Raised>>,
}

/// An exception of a case, which becomes the error of the closure.
#[derive(Debug)]
struct Raised(String);

impl fmt::Display for Raised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Said {
    run: String,
    output: Outcome,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Returned {
    run: String,
    error: Option<String>,
}

impl Runs {
    /// Makes one call about a run.
    pub(crate) async fn call(
        &mut self,
        client: &ReflectClient,
        name: &str,
        said: Value,
    ) -> Result<Value, Problem> {
        match name {
            "traced" => self.begin(client.clone(), read::<Query>(said)?.said()).await,
            "set_output" => {
                let Said { run, output } = read(said)?;
                let traced = self.traced.get(&run).ok_or_else(|| unknown(&run))?;
                traced.context.set_output(output.said()?);
                Ok(Value::Null)
            }
            "return" => self.end(read(said)?).await,
            "run" => {
                let run = client.run(read::<Query>(said)?.said()).start().await;
                let shown = shown(&run);
                self.held.insert(run.trace_id().to_string(), run);
                Ok(shown)
            }
            "finish" => {
                let Said { run, output } = read(said)?;
                let held = self.held.remove(&run).ok_or_else(|| unknown(&run))?;
                Ok(json!(held.finish(output.said()?)))
            }
            _ => Err(Problem::protocol(format!("no call {name}"))),
        }
    }

    /// Starts `traced` and returns when its closure has started.
    async fn begin(&mut self, client: ReflectClient, query: MemoryQuery) -> Result<Value, Problem> {
        let (begun, context) = oneshot::channel();
        let (end, ended) = oneshot::channel();
        let mut work = JoinSet::new();
        work.spawn(async move {
            let closure = |run: RunContext| async move {
                // The receiver is closed only when the program ends.
                let _ = begun.send(run);
                ended.await.unwrap_or_else(|_| Err(Raised("the case went away".to_owned())))
            };
            client.traced(query, closure).await
        });
        let context = context.await.map_err(Problem::protocol)?;
        let shown = shown(&context);
        self.traced.insert(context.trace_id().to_string(), Traced { context, end, work });
        Ok(shown)
    }

    /// Lets the closure return, and returns the result of `traced`.
    async fn end(&mut self, said: Returned) -> Result<Value, Problem> {
        let mut traced = self.traced.remove(&said.run).ok_or_else(|| unknown(&said.run))?;
        let result = said.error.map_or(Ok(()), |text| Err(Raised(text)));
        traced.end.send(result).map_err(|_| Problem::protocol("the closure ended by itself"))?;
        let joined = traced.work.join_next().await.ok_or_else(|| Problem::protocol("no task"))?;
        let given = joined.map_err(Problem::protocol)?;
        Ok(json!({ "error": given.err().map(|raised| raised.to_string()) }))
    }
}

fn unknown(run: &str) -> Problem {
    Problem::protocol(format!("there is no run {run}"))
}

/// The parameters of a run.
fn shown(run: &RunContext) -> Value {
    json!({
        "trace_id": run.trace_id(),
        "task": run.task(),
        "augmented_task": run.augmented_task(),
        "memories": run.memories(),
        "retrieval_id": run.retrieval_id(),
        "degraded": run.degraded(),
    })
}
