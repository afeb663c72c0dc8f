//! Which trials give credit to which memories.

use reflexion_loop::*;

use crate::stage::{Bank, learner};

async fn memories(builder: ReflexionBuilder) -> Vec<Vec<String>> {
    let bank = Bank::recalling(&[("old", "an old lesson")]);
    let outcome = builder.long_term_memory(bank.clone()).build().unwrap().run("task").await.unwrap();
    let credited: Vec<Vec<String>> =
        outcome.state.trials.iter().map(|trial| trial.credited.clone()).collect();
    let recorded: Vec<Vec<String>> = bank.records().into_iter().map(|kept| kept.memories).collect();
    if recorded.len() == credited.len() {
        assert_eq!(recorded, credited);
    }
    recorded
}

#[tokio::test]
async fn recalled_memories_answer_for_trial_one_and_each_note_for_the_trial_right_after_it() {
    assert_eq!(memories(learner(3)).await, [vec!["old"], vec!["m1"], vec!["m2"]]);
}

#[tokio::test]
async fn the_receipt_goes_with_the_trial_that_answers_for_what_was_recalled() {
    let bank = Bank::recalling(&[("old", "an old lesson")]);

    learner(3).long_term_memory(bank.clone()).build().unwrap().run("task").await.unwrap();

    let receipts: Vec<bool> = bank.records().iter().map(|kept| kept.retrieval_id.is_some()).collect();
    assert_eq!(receipts, [true, false, false]);
}

#[tokio::test]
async fn a_search_that_found_nothing_has_a_receipt_too() {
    let receipts = async |recall: RecallWhen| {
        let bank = Bank::recalling(&[]);
        learner(2)
            .long_term_memory(bank.clone())
            .options(Options { recall, ..Options::default() })
            .build()
            .unwrap()
            .run("task")
            .await
            .unwrap();
        bank.records().iter().map(|kept| kept.retrieval_id.is_some()).collect::<Vec<_>>()
    };

    assert_eq!(receipts(RecallWhen::Once).await, [true, false]);
    assert_eq!(receipts(RecallWhen::EveryTrial).await, [true, true]);
}

#[tokio::test]
async fn every_trial_can_answer_for_all_it_was_shown() {
    let all =
        memories(learner(3).options(Options { credit: CreditPolicy::EveryTrial, ..Options::default() }))
            .await;

    assert_eq!(all, [vec!["old"], vec!["old", "m1"], vec!["old", "m1", "m2"]]);
}

#[tokio::test]
async fn the_last_trial_alone_can_answer() {
    let last =
        memories(learner(3).options(Options { credit: CreditPolicy::FinalOnly, ..Options::default() })).await;

    assert_eq!(last, [vec![], vec![], vec!["old", "m1", "m2"]]);
}

#[tokio::test]
async fn a_memory_that_is_recalled_again_does_not_answer_again() {
    let again =
        memories(learner(3).options(Options { recall: RecallWhen::EveryTrial, ..Options::default() })).await;

    assert_eq!(again, [vec!["old"], vec!["m1"], vec!["m2"]]);
}

#[tokio::test]
async fn what_was_not_shown_does_not_answer() {
    let none = memories(learner(3).carry_over(CarryOver::None)).await;
    let no_notes = memories(learner(3).options(Options { memory_size: 0, ..Options::default() })).await;

    assert_eq!(none, [vec!["old"], vec![], vec![]]);
    assert_eq!(no_notes, [vec!["old"], vec![], vec![]]);
}

#[tokio::test]
async fn the_task_is_recorded_as_it_was_given_with_the_verdict_and_the_lesson() {
    let bank = Bank::recalling(&[("old", "an old lesson")]);
    let task = Task::from("the task").with_metadata("customer", 7);

    learner(2).long_term_memory(bank.clone()).build().unwrap().run(task).await.unwrap();

    let records = bank.records();
    assert!(records.iter().all(|kept| kept.task == "the task"));
    let results: Vec<_> = records.iter().map(|kept| kept.result.as_deref().unwrap()).collect();
    assert_eq!(results, ["fail", "pass"]);
    assert_eq!(records[0].lesson.as_deref(), Some("note on trial 1"));
    assert_eq!((records[0].alpha, &records[1].lesson), (None, &None), "a check leaves alpha to the server");
}

#[tokio::test]
async fn only_the_last_trial_can_be_recorded_or_all_of_them_without_review() {
    let records = async |record: RecordWhen| {
        let bank = Bank::default();
        learner(2)
            .long_term_memory(bank.clone())
            .options(Options { record, ..Options::default() })
            .build()
            .unwrap()
            .run("task")
            .await
            .unwrap();
        bank.records().into_iter().map(|kept| (kept.answer, kept.result)).collect::<Vec<_>>()
    };

    assert_eq!(records(RecordWhen::FinalOnly).await, [("answer 2".to_owned(), Some("pass".to_owned()))]);
    assert_eq!(
        records(RecordWhen::Deferred).await,
        [("answer 1".to_owned(), None), ("answer 2".to_owned(), None)]
    );
}
