//! Runs with their lessons that are stored in one transaction: each of them sees what those before it changed.

use reflect_rules::lessons::Placement;
use reflect_store::{Claim, NewMemoryRow, NewTraceRow};
use reflect_types::{IngestStatus, LessonId, MemoryId, ReviewResult};

use super::{ACTIVE, Bank, DISABLED, Learned, absorbed, contradicting, joining, placed};
use crate::given;

/// A passed run that comes with its lesson.
fn run(lesson: &NewMemoryRow) -> NewTraceRow {
    let mut run = given::reviewed("run");
    if let Some(review) = &mut run.review {
        review.result = ReviewResult::Pass;
    }
    NewTraceRow { lesson: Some(lesson.clone()), ingest: IngestStatus::Completed, ..run }
}

/// A situation that a run used and failed with.
async fn tried(bank: &Bank) -> Learned {
    let known = bank.learn(&bank.lesson("no signal", "restart the phone")).await;
    let mut other = bank.lesson("unrelated", "give up");
    (other.success, other.used) = (Some(false), Some(vec![known.memory]));
    bank.learn_with(&other, &[known.memory]).await;
    known
}

async fn stored(bank: &Bank, runs: Vec<NewTraceRow>) -> Vec<Option<MemoryId>> {
    let runs = runs.into_iter().map(Some).collect();
    let answer = bank.project.traces().record_many(runs, None).await.unwrap().answer;
    answer.into_iter().map(|recorded| recorded.unwrap().memory_id).collect()
}

#[tokio::test]
async fn a_run_does_not_join_what_an_earlier_one_of_its_transaction_superseded() {
    let bank = Bank::new().await;
    let bad = tried(&bank).await;
    let against = contradicting(bank.lesson("no signal?", "replace the card"), &[bad.memory]);
    let near = absorbed(bank.lesson("no signal!", "restart the phone"), bad.memory);
    let far = joining(bank.lesson("no bars", "restart the phone!"), bad.memory);
    let lessons = [against, near, far];

    let created = stored(&bank, lessons.iter().map(run).collect()).await;

    assert_eq!(bank.status(bad.memory).await, DISABLED);
    let ids = lessons.each_ref().map(|lesson| lesson.memory_id);
    assert_eq!(created, ids.map(Some), "none was absorbed");
    for memory in [ids[1], ids[2]] {
        let stat = bank.stat(memory).await;
        assert_eq!((stat.status, stat.lesson_id), (ACTIVE, Some(LessonId::from(memory))));
    }
    assert_eq!(bank.stat(bad.memory).await.absorbed, 0);
}

#[tokio::test]
async fn the_answer_names_what_was_created_and_not_what_was_planned() {
    let bank = Bank::new().await;
    let known = bank.learn(&bank.lesson("no signal", "restart the phone")).await;
    let gone = bank.learn(&bank.lesson("no sound", "raise the volume")).await;
    bank.withdraw(gone).await;
    let near = run(&absorbed(bank.lesson("no signal!", "restart the phone"), known.memory));
    let own = run(&absorbed(bank.lesson("no sound!", "raise the volume"), gone.memory));
    let own_memory = own.lesson.as_ref().map(|lesson| lesson.memory_id);

    let traces = bank.project.traces();
    let claim = Claim { key: "k".into(), request_digest: [1; 32] };
    let near = traces.record(&near, None).await.unwrap().answer;
    let first = traces.record(&own, Some(&claim)).await.unwrap();
    let again = traces.record(&own, Some(&claim)).await.unwrap();

    assert_eq!((near.memory_id, near.is_new), (Some(known.memory), true));
    assert_eq!((first.answer.memory_id, first.answer.is_new), (own_memory, true));
    assert_eq!((again.answer.memory_id, again.answer.is_new), (own_memory, false), "also if it is repeated");
    assert_eq!(bank.created_by(own.trace_id).await, own_memory);
}

#[tokio::test]
async fn runs_of_one_transaction_found_one_lesson() {
    let bank = Bank::new().await;
    let old = bank.learn(&placed(bank.lesson("a", "wait"), Placement::Apart)).await;
    let lessons = ["b", "c"].map(|task| joining(bank.lesson(task, "wait"), old.memory));

    stored(&bank, lessons.iter().map(run).collect()).await;

    let lesson = Some(LessonId::from(old.memory));
    for memory in [old.memory, lessons[0].memory_id, lessons[1].memory_id] {
        assert_eq!(bank.stat(memory).await.lesson_id, lesson);
    }
    let joins = bank.automatic("lesson.join").await;
    assert_eq!(joins.iter().map(|join| join.memories).collect::<Vec<_>>(), [1, 2], "the first one founds it");
}
