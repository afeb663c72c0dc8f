//! Trying a judge out: what it would say of a run, with nothing stored but what it cost.

use reflect_store::{StoreError, TraceRow};
use reflect_types::{TraceId, Trajectory};
use serde_json::value::RawValue;

use super::settings::check_rubric;
use super::{JudgedRun, NoAnswer, Opinion};
use crate::authenticate::Visitor;
use crate::{Engine, EngineError, manage_project};

/// A run that is not stored.
#[derive(Debug, Clone)]
pub struct GivenRun {
    /// What the agent was asked to do.
    pub task: String,
    /// The messages, in any form; none when there were none.
    pub trajectory: Option<Box<RawValue>>,
    /// The agent's answer; the last one of its messages when absent.
    pub final_response: Option<String>,
    /// Fixed text that the run was held against.
    pub reference_context: Option<String>,
}

/// The run that a judge is tried on.
#[derive(Debug, Clone)]
pub enum TriedRun {
    /// A stored one; none when what was sent is no id.
    Stored(Option<TraceId>),
    /// One that came along.
    Given(GivenRun),
}

/// What is to be tried.
#[derive(Debug, Clone)]
pub struct JudgeTry {
    /// The run.
    pub run: TriedRun,
    /// Another rubric than the project's.
    pub rubric: Option<String>,
}

/// A run in the form in which it is shown.
struct Shown {
    task: String,
    trajectory: String,
    final_response: Option<String>,
    reference_context: Option<String>,
}

impl Engine {
    /// What the judge would say of a run. Says also which model was asked.
    pub async fn try_judge(
        &self,
        visitor: &Visitor,
        asked: JudgeTry,
    ) -> Result<(String, Opinion), EngineError> {
        if let Some(rubric) = &asked.rubric {
            check_rubric("rubric", rubric)?;
        }
        let project = self.store.project(visitor.project);
        let run = match asked.run {
            TriedRun::Stored(Some(trace)) => stored(project.trace(trace).await?),
            TriedRun::Stored(None) => return Err(StoreError::NotFound { what: "trace" }.into()),
            TriedRun::Given(run) => given(self.redacted_run(visitor, run).await?)?,
        };
        let Some((model, _)) = self.models.judge() else {
            let problem = "there is no model to ask; start the server with --text-provider and --text-model";
            return Err(EngineError::NotReady(problem.to_owned()));
        };
        let facts = self.store.project_facts(visitor.project).await?;
        let settings = manage_project::read(&facts.settings).judge;
        if let Some(spent) = self.judge_spent(&project, visitor.project, &settings).await? {
            return Err(EngineError::NotReady(spent.said()));
        }
        let shown = JudgedRun {
            task: &run.task,
            trajectory: &run.trajectory,
            final_response: run.final_response.as_deref(),
            reference_context: run.reference_context.as_deref(),
        };
        match self.opinion(shown, asked.rubric.as_deref().unwrap_or(&settings.rubric)).await {
            Ok(opinion) => {
                project.spend_on_judge(opinion.cost).await?;
                Ok((model.name().to_owned(), opinion))
            }
            Err(NoAnswer { error, cost }) => {
                if cost.input_tokens + cost.output_tokens > 0 {
                    project.spend_on_judge(cost).await?;
                }
                Err(EngineError::Model(error))
            }
        }
    }
}

impl Engine {
    /// A run that is shown to a model is redacted, stored or not.
    async fn redacted_run(&self, visitor: &Visitor, run: GivenRun) -> Result<GivenRun, EngineError> {
        let mut redactor = self.redactor(visitor.project).await?;
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
        Trajectory::from_wire(messages).map_err(|error| EngineError::invalid("trajectory", error))?;
    let final_response = run.final_response.or_else(|| trajectory.final_response().map(str::to_owned));
    Ok(Shown {
        task: run.task,
        trajectory: trajectory.json().to_owned(),
        final_response,
        reference_context: run.reference_context,
    })
}
