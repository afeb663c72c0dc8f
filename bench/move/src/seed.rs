//! A project with a history: runs with and without reviews, receipts, a ledger, lessons from runs, from a model and by
//! hand, and all kinds of curation. All data is created through the engine.

use std::collections::HashSet;

use anyhow::{Context, ensure};
use reflect_engine::{
    AuthoredLesson, CurationAction, Engine, ErasureRequest, LessonEdit, MAX_BATCH, ManualLesson, MemoryMerge,
    RetrievalQuery, SkillRequest, SubmittedReview, SubmittedRun, Visitor,
};
use reflect_store::NewClientReport;
use reflect_types::{MemoryId, ReviewResult, TraceId};
use serde_json::value::RawValue;
use serde_json::{Map, json};

use crate::place::{Place, actor};

/// One of this many runs queries memories first and has a receipt.
const ASKED: usize = 10;
/// One of this many runs has a review without a lesson, which a model writes.
const BY_MODEL: usize = 40;
/// One of this many runs has no review.
const UNREVIEWED: usize = 25;
/// The number of pending reviews at the time of the export.
const WAITING: usize = 7;

/// The created data.
pub(crate) struct Seeded {
    pub(crate) visitor: Visitor,
    /// Tasks for queries.
    pub(crate) questions: Vec<String>,
}

const THINGS: [&str; 12] = [
    "refund",
    "invoice",
    "parcel",
    "password",
    "subscription",
    "voucher",
    "address",
    "warranty",
    "booking",
    "contract",
    "delivery",
    "account",
];
const DEEDS: [&str; 9] =
    ["Cancel", "Explain", "Correct", "Look up", "Extend", "Send again", "Escalate", "Check", "Close"];

/// The task of a run. Many tasks share words, few share all of them.
fn task(number: usize) -> String {
    let (deed, thing) = (DEEDS[number % DEEDS.len()], THINGS[(number / 7) % THINGS.len()]);
    format!("{deed} the {thing} of customer {} in region {}", number % 97, number % 13)
}

fn lesson(number: usize) -> AuthoredLesson {
    AuthoredLesson {
        summary: format!("Find the {} before anything is promised", THINGS[number % THINGS.len()]),
        guidance: format!(
            "Ask for the number, look it up, then act; step {} of the policy says so.",
            number % 50
        ),
        key_mistake: "A promise was made first.".to_owned(),
        correct_action: "Look it up, then promise.".to_owned(),
        applicable_tools: vec!["orders.find".to_owned()],
    }
}

fn run(number: usize) -> anyhow::Result<SubmittedRun> {
    let steps: Vec<_> = (0..4 + number % 9)
        .flat_map(|step| {
            [
                json!({ "role": "assistant", "content": format!("Step {step}: I look at record {number}.") }),
                json!({ "role": "tool", "content": format!("record {number}, line {step}: nothing unusual, état {}", step * number) }),
            ]
        })
        .collect();
    let metadata = json!({ "shop": number % 20, "subject": format!("customer-{}", number % 97) });
    Ok(SubmittedRun {
        final_response: Some(format!("Done with {number}.")),
        model: Some("agent-1".to_owned()),
        metadata: metadata.as_object().cloned().unwrap_or_default(),
        ..SubmittedRun::new(task(number), RawValue::from_string(serde_json::to_string(&steps)?)?)
    })
}

fn review(number: usize, authored: Option<AuthoredLesson>) -> SubmittedReview {
    let result = if number.is_multiple_of(3) { ReviewResult::Fail } else { ReviewResult::Pass };
    SubmittedReview {
        result,
        feedback: Some(format!("Remark {number}.")),
        alpha: None,
        authored,
        reviewed_at: None,
    }
}

/// Creates the project.
pub(crate) async fn seed(
    place: &Place,
    slug: &str,
    traces: usize,
    memories: usize,
) -> anyhow::Result<Seeded> {
    let visitor = place.visitor(slug).await?;
    let engine = &place.engine;
    let mut made: Vec<MemoryId> = Vec::new();
    let mut known: HashSet<MemoryId> = HashSet::new();
    let mut recorded: Vec<TraceId> = Vec::new();
    let mut number = 0;
    while number < traces - WAITING {
        let end = (number + MAX_BATCH).min(traces - WAITING);
        let mut runs = Vec::new();
        for number in number..end {
            runs.push(one_run(engine, &visitor, number, &made, memories).await?);
        }
        for outcome in engine.intake.submit_batch(&visitor, runs, None).await?.outcome {
            let outcome = outcome?;
            recorded.push(outcome.trace_id);
            // A run that another memory absorbed has the id of that memory.
            made.extend(outcome.memory_id.filter(|memory| known.insert(*memory)));
        }
        number = end;
    }
    engine.worker.run_once().await?;
    let stored = async || {
        let project = visitor.project.number();
        let count =
            place.number(&format!("select count(*) from memory where project_id = {project}")).await?;
        anyhow::Ok(usize::try_from(count.context("a count")?)?)
    };
    for number in stored().await?..memories {
        let lesson = ManualLesson {
            task: task(number * 3),
            lesson: lesson(number),
            success: Some(true),
            metadata: Map::new(),
            imported: None,
        };
        engine.curation.write(&visitor, lesson, &actor(), None).await?;
    }
    ensure!(stored().await? >= memories, "too few memories were made");
    curate(engine, &visitor, &made).await?;
    aside(engine, &visitor, &recorded).await?;
    for number in traces - WAITING..traces {
        let run = SubmittedRun { review: Some(review(number, None)), ..run(number)? };
        engine.intake.submit(&visitor, run, None).await?;
    }
    let questions = (0..40).map(|number| task(number * 31 + 5)).collect();
    Ok(Seeded { visitor, questions })
}

/// A run that may have queried memories, or names some of them.
async fn one_run(
    engine: &Engine,
    visitor: &Visitor,
    number: usize,
    made: &[MemoryId],
    memories: usize,
) -> anyhow::Result<SubmittedRun> {
    let mut run = run(number)?;
    if number.is_multiple_of(ASKED) {
        let question = RetrievalQuery { task: run.task.clone(), limit: 5, ..RetrievalQuery::default() };
        run.retrieval_id = Some(engine.retriever.retrieve(visitor, &question).await?.retrieval_id);
    } else if !made.is_empty() {
        let shown = (0..3).map(|nth| made[(number * 17 + nth * 5) % made.len()].to_string());
        run.retrieved = shown.collect();
        run.used = number.is_multiple_of(4).then(|| run.retrieved[..1].to_vec());
    }
    let authored = made.len() < memories && !number.is_multiple_of(BY_MODEL);
    if !number.is_multiple_of(UNREVIEWED) {
        run.review = Some(review(number, authored.then(|| lesson(number))));
    }
    Ok(run)
}

/// Edits, merges, pins, disables, quarantines, deletes and erases memories.
async fn curate(engine: &Engine, visitor: &Visitor, made: &[MemoryId]) -> anyhow::Result<()> {
    ensure!(made.len() > 100, "too few memories to curate");
    let actor = actor();
    for (nth, memory) in made.iter().take(30).enumerate() {
        let text = format!("Ask twice, case {nth}.");
        let edit = LessonEdit { guidance: Some(text), ..LessonEdit::default() };
        engine.curation.edit(visitor, *memory, edit, &actor).await?;
    }
    for group in made[30..60].chunks(3) {
        let merge = MemoryMerge { survivor: group[0], others: group[1..].to_vec(), text: None };
        engine.curation.merge(visitor, merge, &actor).await?;
    }
    for (memories, verb) in [
        (&made[60..63], CurationAction::Pin),
        (&made[63..70], CurationAction::Disable),
        (&made[70..75], CurationAction::Quarantine),
        (&made[75..80], CurationAction::Delete),
    ] {
        for memory in memories {
            engine.curation.apply(visitor, *memory, verb, &actor).await?;
        }
    }
    engine.curation.erase(visitor, made[80], &made[80].to_string(), &actor).await?;
    engine.skills.create(visitor, SkillRequest::default(), None).await?;
    Ok(())
}

/// Other events: withdrawn reviews, erased subjects, client reports.
async fn aside(engine: &Engine, visitor: &Visitor, recorded: &[TraceId]) -> anyhow::Result<()> {
    for trace in recorded.iter().skip(1).step_by(recorded.len().div_ceil(8)) {
        engine.reviews.withdraw(visitor, *trace, None, &actor(), None).await?;
    }
    let request = ErasureRequest { trace: Some(recorded[recorded.len() / 2]), ..ErasureRequest::default() };
    engine.erasures.request(visitor, request, &actor(), None).await?;
    engine.worker.run_once().await?;
    let report = NewClientReport { client: "host-1".to_owned(), sdk: None, dropped: 1, spooled: 2 };
    Ok(engine.store.project(visitor.project).insights().report_client(&report).await?)
}

/// Writes to a project until the task is dropped. The export of another project must not be affected.
pub(crate) async fn keep_writing(engine: Engine, visitor: Visitor) -> anyhow::Result<()> {
    let mut number = 0;
    loop {
        let run = SubmittedRun { review: Some(review(number, Some(lesson(number)))), ..run(number)? };
        engine.intake.submit(&visitor, run, None).await?;
        number += 1;
    }
}
