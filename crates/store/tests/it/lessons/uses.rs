//! Which memories a run used, if it is known of some of them only, and for memories with one lesson.

use std::collections::BTreeMap;

use reflect_rules::lessons::Placement;
use reflect_store::NewMemoryRow;
use reflect_types::{MemoryId, UseSource};

use super::{Bank, Learned, joining, placed};

/// Whether a run used each of its memories, and how that is known.
async fn uses(bank: &Bank, run: Learned) -> BTreeMap<MemoryId, (Option<bool>, Option<i16>)> {
    let rows: Vec<(MemoryId, Option<bool>, Option<i16>)> =
        sqlx::query_as("select memory_id, used, used_by from utility_event where review_id = $1")
            .bind(run.review)
            .fetch_all(&mut bank.db.superuser().await)
            .await
            .unwrap();
    rows.into_iter().map(|(memory, used, by)| (memory, (used, by))).collect()
}

async fn evidence(bank: &Bank, memory: MemoryId) -> i32 {
    bank.project.memories().get(memory).await.unwrap().credit.evidence()
}

#[tokio::test]
async fn memories_that_were_not_compared_are_credited_and_their_use_stays_open() {
    let bank = Bank::new().await;
    let used = bank.learn(&bank.lesson("a", "wait")).await.memory;
    let unused = bank.learn(&bank.lesson("b", "go")).await.memory;
    let open = bank.learn(&bank.lesson("c", "look")).await.memory;
    let mut new = bank.lesson("d", "ask");
    new.used = Some(vec![used]);
    new.lesson.used_by = Some(UseSource::Text);
    new.lesson.compared = Some(vec![used, unused]);

    let run = bank.learn_with(&new, &[used, unused, open]).await;

    let by_text = Some(UseSource::Text.code());
    let expected = BTreeMap::from([
        (used, (Some(true), by_text)),
        (unused, (Some(false), by_text)),
        (open, (None, None)),
    ]);
    assert_eq!(uses(&bank, run).await, expected);
    let evidence = [evidence(&bank, used).await, evidence(&bank, unused).await, evidence(&bank, open).await];
    assert_eq!(evidence, [1, 0, 1]);
}

#[tokio::test]
async fn what_is_served_as_one_lesson_is_used_together() {
    let bank = Bank::new().await;
    let founder = bank.lesson("a", "wait");
    let speaker = bank.learn(&founder).await.memory;
    let other = bank.lesson("b", "go");
    let own_words = NewMemoryRow { reflection: other.reflection.clone(), ..bank.lesson("c", "wait") };
    let other = bank.learn(&other).await.memory;
    let silent = bank.learn(&joining(own_words, speaker)).await.memory;
    // Not grouped, with the text that is shown for the lesson.
    let copy = NewMemoryRow { reflection: founder.reflection, ..bank.lesson("e", "stay") };
    let copy = bank.learn(&placed(copy, Placement::Apart)).await.memory;
    let linked = [speaker, silent, other, copy];
    let used = async |action: &str, named: MemoryId| -> Vec<MemoryId> {
        let mut new = bank.lesson("f", action);
        (new.used, new.lesson.used_by) = (Some(vec![named]), Some(UseSource::Client));
        let run = bank.learn_with(&new, &linked).await;
        let uses = uses(&bank, run).await;
        linked.into_iter().filter(|memory| uses[memory].0 == Some(true)).collect()
    };

    assert_eq!(used("one", copy).await, [speaker, silent, copy]);
    assert_eq!(used("two", silent).await, [speaker, silent, copy]);
    assert_eq!(used("three", other).await, [other], "the words of a memory that does not speak do not count");
}
