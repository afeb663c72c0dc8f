//! The process that runs a loop: an agent that passes after a lesson, its checkpoint, and the server as its memory. It
//! prints the result.

mod diary;
mod parts;

use std::time::Duration;

use anyhow::Context;
use reflect_sdk::ReflectClient;
use reflexion_loop::{
    FileCheckpoint, Options, Reflexion, Retries, Timeouts, TrialContext, actor_fn, evaluator_fn,
};
use serde::{Deserialize, Serialize};

use self::diary::Diary;
use self::parts::{Memory, Writer};
use crate::arguments::{Moment, Mutant, Phase, Plan};

pub(crate) use self::diary::calls;

/// The text that the agent needs to pass.
pub(crate) const TRICK: &str = "write both ends of the period";
/// Far longer than a run takes, because a busy machine must not fail the check.
const PATIENCE: Duration = Duration::from_secs(60);

/// The result of a run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Report {
    pub(crate) run_id: String,
    pub(crate) passed: bool,
    pub(crate) trials: usize,
    pub(crate) resumes: u32,
    pub(crate) recalled: Vec<String>,
    /// The memory of the lesson of the first trial.
    pub(crate) note: Option<String>,
}

pub(crate) async fn run(plan: &Plan) -> anyhow::Result<()> {
    let diary = Diary::new(&plan.folder, plan.halt);
    let client = ReflectClient::builder().or_from_env().retrieval_timeout(PATIENCE).build()?;
    let forgets_key = plan.mutant == Some(Mutant::ForgetsKey);
    let file = FileCheckpoint::new(plan.folder.join("checkpoint.json"));
    let (acting, judging) = (diary.clone(), diary.clone());
    let learner = Reflexion::builder()
        .actor(actor_fn(move |cx: TrialContext| {
            let diary = acting.clone();
            async move {
                diary.reached(Moment::before(Phase::Act, cx.trial())).await?;
                let done = cx.prompt().contains(TRICK);
                let answer = if done { "from May 1 to June 1" } else { "from May 1" };
                anyhow::Ok(format!("Trial {}: {answer}", cx.trial()))
            }
        }))
        .evaluator(evaluator_fn(move |_, attempt: reflexion_loop::Attempt| {
            let diary = judging.clone();
            async move {
                let trial = trial_of(&attempt.final_response);
                diary.reached(Moment::before(Phase::Evaluate, trial)).await?;
                let checked =
                    if attempt.final_response.contains("to June") { Ok(()) } else { Err("It has no end.") };
                anyhow::Ok(checked)
            }
        }))
        .reflector(Writer(diary.clone()))
        .long_term_memory(Memory { client, diary, forgets_key })
        .checkpoint(file.clone())
        .options(Options {
            timeouts: Timeouts { recall: Some(PATIENCE), record: Some(PATIENCE), ..Timeouts::default() },
            retries: Retries { times: 0, ..Retries::default() },
            ..Options::default()
        })
        .build()?;

    let begun = file.load()?.filter(|_| plan.mutant != Some(Mutant::ForgetsCheckpoint));
    let run = match (begun, &plan.run_id) {
        (Some(state), _) => learner.resume(state),
        (None, Some(id)) => learner.start_as(id, plan.task.as_str()),
        (None, None) => learner.start(plan.task.as_str()),
    };
    let outcome = run.outcome().await?;
    let first = outcome.state.trials.first().context("there was no trial")?;
    let report = Report {
        passed: outcome.stop.is_success(),
        trials: outcome.state.trials.len(),
        resumes: outcome.state.resumes,
        recalled: outcome.state.recalled.iter().map(|memory| memory.id.clone()).collect(),
        note: first.recorded.as_ref().and_then(|recorded| recorded.memory_id.clone()),
        run_id: outcome.state.run_id,
    };
    println!("{}", serde_json::to_string(&report)?);
    Ok(())
}

/// An evaluator does not know which trial it judges, so the answer contains it.
fn trial_of(answer: &str) -> u32 {
    let number = answer.trim_start_matches("Trial ").split(':').next();
    number.and_then(|number| number.parse().ok()).unwrap_or_default()
}
