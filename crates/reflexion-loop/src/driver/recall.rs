//! Recalls memories before a trial.

use tracing::{Instrument, info_span};

use super::StepResult;
use super::calls::{BoxFuture, CallError, with_retries};
use super::context::RunContext;
use crate::event::Event;
use crate::long_term::{Recall, RecallQuery};
use crate::options::Retries;
use crate::state::Transition;

pub(super) async fn recall(run: &mut RunContext, trial: u32) -> StepResult {
    let Some(memory) = run.components.memory.clone() else {
        return run.apply(Transition::Recalled(Recall::default()));
    };
    let query =
        RecallQuery { limit: run.options().recall_limit, trial, exclude_run_id: run.state.run_id.clone() };
    let task = run.state.task.clone();
    let call = || -> BoxFuture<'_, _> {
        let recalled = memory.recall(&task, &query);
        Box::pin(async move { recalled.await.map_err(CallError::permanent) })
    };
    // No retries, because the agent waits: to continue without memories is better than to wait.
    let retries = Retries { times: 0, ..run.options().retries };
    let span = info_span!("reflexion.recall", trial);
    let recalling = with_retries(retries, run.options().timeouts.recall, call).instrument(span);
    let recalled = match run.cancel_or_deadline().run(recalling).await? {
        Ok((recalled, _)) => {
            let memory_ids = recalled.memories.iter().map(|memory| memory.id.clone()).collect();
            run.emitter.emit(Event::MemoriesRecalled { trial_number: trial, memory_ids });
            recalled
        }
        Err(error) => {
            run.memory_failed(trial, "recall", error.source)?;
            Recall::default()
        }
    };
    run.apply(Transition::Recalled(recalled))
}
