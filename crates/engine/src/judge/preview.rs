//! Trying a judge on a run. Stores only the cost.

use reflect_store::{StoreError, TraceRow};
use reflect_trajectory::SentTrajectory;
use reflect_types::TraceId;
use serde_json::value::RawValue;

use super::ask::{JudgedRun, NoAnswer, Opinion};
use super::service::Judge;
use crate::caller::Visitor;
use crate::error::EngineError;
use crate::judge_settings::check_rubric;
use crate::project_cache;

/// A run that is not stored.
#[derive(Debug, Clone)]
pub struct GivenRun {
    /// The task of the agent.
    pub task: String,
    /// The messages, in any format; `None` if there are none.
    pub trajectory: Option<Box<RawValue>>,
    /// The agent's answer; `None` for the last message.
    pub final_response: Option<String>,
    /// A reference text to compare the run with.
    pub reference_context: Option<String>,
}

/// The run to try the judge on.
#[derive(Debug, Clone)]
pub enum TriedRun {
    /// A stored run; `None` if the id is not valid.
    Stored(Option<TraceId>),
    /// A run in the request.
    Given(GivenRun),
}

/// A trial of a judge.
#[derive(Debug, Clone)]
pub struct JudgeTry {
    /// The run.
    pub run: TriedRun,
    /// A rubric to use instead of the project's.
    pub rubric: Option<String>,
}

/// A run as the judge reads it.
struct Shown {
    task: String,
    trajectory: String,
    final_response: Option<String>,
    reference_context: Option<String>,
}

impl Judge {
    /// The model of the judge, and its verdict on a run.
    pub async fn try_out(
        &self,
        visitor: &Visitor,
        asked: JudgeTry,
    ) -> Result<(String, Opinion), EngineError> {
        if let Some(rubric) = &asked.rubric {
            check_rubric("rubric", rubric)?;
        }
        let project = self.store.project(visitor.project);
        let run = match asked.run {
            TriedRun::Stored(Some(trace)) => stored(project.traces().get(trace).await?),
            TriedRun::Stored(None) => return Err(StoreError::NotFound { what: "trace" }.into()),
            TriedRun::Given(run) => given(self.redacted_run(visitor, run).await?)?,
        };
        let Some((model, _)) = self.models.judge() else {
            let problem = "no model is configured; start the server with --text-provider and --text-model";
            return Err(EngineError::NotReady(problem.to_owned()));
        };
        let facts = self.store.catalogue().project_facts(visitor.project).await?;
        let settings = project_cache::settings(&facts.settings).judge;
        if let Some(spent) = self.budget.spent(&project, visitor.project, &settings).await? {
            return Err(EngineError::NotReady(spent.describe()));
        }
        let shown = JudgedRun {
            task: &run.task,
            trajectory: &run.trajectory,
            final_response: run.final_response.as_deref(),
            reference_context: run.reference_context.as_deref(),
        };
        match self.asker.opinion(shown, asked.rubric.as_deref().unwrap_or(&settings.rubric)).await {
            Ok(opinion) => {
                project.judgements().spend(opinion.cost).await?;
                Ok((model.name().to_owned(), opinion))
            }
            Err(NoAnswer { error, cost }) => {
                if cost.input_tokens + cost.output_tokens > 0 {
                    project.judgements().spend(cost).await?;
                }
                Err(EngineError::Model(error))
            }
        }
    }

    /// A run is redacted before a model reads it, even if it is not stored.
    async fn redacted_run(&self, visitor: &Visitor, run: GivenRun) -> Result<GivenRun, EngineError> {
        let mut redactor = self.redaction.redactor(visitor.project).await?;
        let run = GivenRun {
            task: redactor.text("task", run.task)?,
            trajectory: run.trajectory.map(|messages| redactor.json("trajectory", messages)).transpose()?,
            final_response: redactor.optional("final_response", run.final_response)?,
            reference_context: redactor.optional("reference_context", run.reference_context)?,
        };
        redactor.finish();
        Ok(run)
    }
}

fn stored(run: TraceRow) -> Shown {
    let TraceRow { task, trajectory, final_response, reference_context, .. } = run;
    Shown { task, trajectory, final_response, reference_context }
}

fn given(run: GivenRun) -> Result<Shown, EngineError> {
    if run.task.trim().is_empty() {
        return Err(EngineError::invalid("task", "must not be empty, unless there is a trace_id"));
    }
    let Some(messages) = &run.trajectory else {
        let GivenRun { task, final_response, reference_context, .. } = run;
        return Ok(Shown { task, trajectory: "[]".to_owned(), final_response, reference_context });
    };
    let trajectory =
        SentTrajectory::from_wire(messages).map_err(|error| EngineError::invalid("trajectory", error))?;
    let final_response = run.final_response.or_else(|| trajectory.final_response().map(str::to_owned));
    Ok(Shown {
        task: run.task,
        trajectory: trajectory.json().to_owned(),
        final_response,
        reference_context: run.reference_context,
    })
}
