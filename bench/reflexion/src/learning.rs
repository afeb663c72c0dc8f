//! A task that fails and then passes, and another process with a similar task.

use reflect_sdk::api::{AuthoredReflection, Memory, Trace};
use reflect_sdk::types::ReviewResult;

use crate::checks::Checks;
use crate::looping::Report;
use crate::process::Looping;
use crate::stage::{Project, Stage};

pub(crate) const TASK: &str = "Count the orders that were placed in May.";
const SIMILAR: &str = "How many orders were placed during November?";
const UNLIKE: &str = "Translate the birthday card for my aunt into Portuguese.";

/// A lesson that is found for the task but does not help.
pub(crate) async fn seed(project: &Project) -> anyhow::Result<String> {
    let lesson = AuthoredReflection {
        summary: "Orders that were cancelled still count.".to_owned(),
        ..AuthoredReflection::default()
    };
    let task = "Count the orders that were placed in April.";
    let stored = project.client.memories.create(task, ReviewResult::Pass, lesson).await?;
    let id = stored.created_memory_id.ok_or_else(|| anyhow::anyhow!("the lesson did not become a memory"))?;
    Ok(id.to_string())
}

/// The expected data in the server after a run.
pub(crate) async fn look(
    checks: &mut Checks,
    about: &str,
    project: &Project,
    report: &Report,
    old: &str,
) -> anyhow::Result<()> {
    let traces = project.traces(&report.run_id).await?;
    let stored: Vec<_> = traces.iter().map(said).collect();
    let expected = [
        (1, "fail".to_owned(), old.to_owned()),
        (2, "pass".to_owned(), report.note.clone().unwrap_or_default()),
    ];
    checks.same(
        &format!("{about}: two traces, recalled memories linked to trial 1, the note to trial 2"),
        &stored,
        &expected.to_vec(),
    );
    let memories = project.memories().await?;
    let notes: Vec<_> = memories.iter().filter(|memory| is_note(memory, &report.run_id)).map(worth).collect();
    let credited = (report.note.clone().unwrap_or_default(), "0.650".to_owned(), 1);
    checks.same(
        &format!("{about}: one memory of the note, 0.50 to 0.65 by trial 2"),
        &notes,
        &vec![credited],
    );
    let recalled: Vec<_> = memories.iter().filter(|memory| memory.id.to_string() == old).map(worth).collect();
    checks.same(
        &format!("{about}: the recalled memory 0.50 to 0.35, by trial 1 alone"),
        &recalled,
        &vec![(old.to_owned(), "0.350".to_owned(), 1)],
    );
    Ok(())
}

/// Trial, result and linked memories of a trace.
fn said(trace: &Trace) -> (u64, String, String) {
    let linked: Vec<String> = trace.linked_memory_ids.iter().map(ToString::to_string).collect();
    let result = trace.review.as_ref().map(|review| review.result.to_string());
    (trace.metadata["trial"].as_u64().unwrap_or_default(), result.unwrap_or_default(), linked.join(" "))
}

/// Whether the loop wrote it. The server writes the lesson of a pass.
fn is_note(memory: &Memory, run_id: &str) -> bool {
    memory.metadata["run_id"] == run_id && memory.success == Some(false)
}

fn worth(memory: &Memory) -> (String, String, i32) {
    (memory.id.to_string(), format!("{:.3}", memory.q_value), memory.reviews)
}

pub(crate) async fn play(stage: &Stage, checks: &mut Checks) -> anyhow::Result<()> {
    let project = stage.project("learning").await?;
    let old = seed(&project).await?;
    let looping = |name: &str, task| Looping {
        project: &project,
        folder: stage.folder(name),
        task,
        run_id: None,
        mutant: None,
    };

    let first = looping("first", TASK).finish().await?;
    checks.same("first process: fails, then passes", &(first.passed, first.trials), &(true, 2));
    checks.same("first process: is given what is known", &first.recalled, &vec![old.clone()]);
    look(checks, "first process", &project, &first, &old).await?;

    let note = first.note.clone().unwrap_or_default();
    let second = looping("second", SIMILAR).finish().await?;
    checks.holds("second process: a similar task is given the note", second.recalled.contains(&note));
    checks.same("second process: passes at once", &(second.passed, second.trials), &(true, 1));
    let memories = project.memories().await?;
    let after = memories.iter().find(|memory| memory.id.to_string() == note).map(worth);
    // 0.65 + 0.3 × (1 − 0.65)
    checks.same(
        "second process: its pass raises the note",
        &after,
        &Some((note.clone(), "0.755".to_owned(), 2)),
    );

    let third = looping("third", UNLIKE).finish().await?;
    checks.holds("third process: another kind of task is not given it", !third.recalled.contains(&note));
    Ok(())
}
