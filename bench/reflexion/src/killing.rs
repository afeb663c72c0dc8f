//! Loops that are killed in each phase and resumed by a new process, and two mutants.

use std::collections::BTreeMap;

use crate::arguments::{Moment, Mutant, Phase};
use crate::checks::Checks;
use crate::learning::{self, TASK};
use crate::looping::{Report, calls};
use crate::process::Looping;
use crate::stage::{Project, Stage};

/// The calls of a run with two trials, once each.
const CALLS: [&str; 8] =
    ["act-1", "act-2", "evaluate-1", "evaluate-2", "recall-1", "record-1", "record-2", "reflect-1"];

/// Each phase; and before and after the response, if the server takes part.
const KILLS: [Moment; 10] = [
    Moment::before(Phase::Recall, 1),
    Moment::after(Phase::Recall, 1),
    Moment::before(Phase::Act, 1),
    Moment::before(Phase::Evaluate, 1),
    Moment::before(Phase::Reflect, 1),
    Moment::before(Phase::Record, 1),
    Moment::after(Phase::Record, 1),
    Moment::before(Phase::Act, 2),
    Moment::before(Phase::Evaluate, 2),
    Moment::after(Phase::Record, 2),
];

pub(crate) async fn play(stage: &Stage, checks: &mut Checks) -> anyhow::Result<()> {
    for moment in KILLS {
        killed(stage, checks, moment, None).await?;
    }
    // The server recognises repeated calls of a run if the caller chose its id.
    killed(stage, checks, Moment::after(Phase::Record, 1), Some("order-1182")).await?;

    let after_record = Moment::after(Phase::Record, 1);
    let (_, traces) = mutant(stage, Mutant::ForgetsKey, after_record).await?;
    checks.same("mutant that forgets its key: caught, a trial is recorded twice", &traces, &3);
    let (seen, _) = mutant(stage, Mutant::ForgetsCheckpoint, after_record).await?;
    let wanted = expected(after_record);
    checks.holds("mutant that forgets its checkpoint: caught, trials are paid twice", seen != wanted);
    Ok(())
}

async fn killed(
    stage: &Stage,
    checks: &mut Checks,
    moment: Moment,
    run_id: Option<&str>,
) -> anyhow::Result<()> {
    let side = if moment.answered { ", answered" } else { "" };
    let own = if run_id.is_some() { ", with an id of its own" } else { "" };
    let about = format!("killed in {} of trial {}{side}{own}", moment.phase.name(), moment.trial);
    let name = format!(
        "{}-{}{}",
        moment.phase.name(),
        moment.trial,
        u8::from(moment.answered) + 2 * u8::from(run_id.is_some())
    );
    let project = stage.project(&format!("killed-{name}")).await?;
    let old = learning::seed(&project).await?;
    let looping =
        Looping { project: &project, folder: stage.folder(&name), task: TASK, run_id, mutant: None };

    looping.kill_at(moment).await?;
    let report = looping.finish().await?;

    checks.same(
        &format!("{about}: resumed once, and passes in trial 2"),
        &(report.passed, report.trials, report.resumes),
        &(true, 2, 1),
    );
    let seen = calls(looping.folder())?;
    checks.same(&format!("{about}: only the current step is repeated"), &seen, &expected(moment));
    learning::look(checks, &about, &project, &report, &old).await
}

fn expected(moment: Moment) -> BTreeMap<String, usize> {
    let under_way = Moment { answered: false, ..moment }.to_string();
    CALLS.iter().map(|call| ((*call).to_owned(), 1 + usize::from(*call == under_way))).collect()
}

/// The calls of a faulty loop, and the number of traces that it left.
async fn mutant(
    stage: &Stage,
    mutant: Mutant,
    moment: Moment,
) -> anyhow::Result<(BTreeMap<String, usize>, usize)> {
    let name = format!("mutant-{}", matches!(mutant, Mutant::ForgetsKey));
    let project: Project = stage.project(&name).await?;
    let looping = Looping {
        project: &project,
        folder: stage.folder(&name),
        task: TASK,
        run_id: None,
        mutant: Some(mutant),
    };
    looping.kill_at(moment).await?;
    let Report { .. } = looping.finish().await?;
    let traces = project.client.traces.list(None).await?.len();
    Ok((calls(looping.folder())?, traces))
}
