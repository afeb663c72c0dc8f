//! Which situation speaks for a lesson, and how lessons are listed.

use std::collections::BTreeSet;

use reflect_rules::lessons::{AdviceKey, AdviceText, Placement, advice_key};
use reflect_store::{
    CurationRequest, MemoryChange, MemoryOrder, MemorySelector, MemoryState, NearRow, NewMemoryRow, NewText,
    Presence, SearchBy, StoreError, TextFields,
};
use reflect_types::{LessonId, MemoryId, MemoryStatus, Trust};
use serde_json::json;
use uuid::Uuid;

use super::{Bank, Learned, absorbed, joining, placed};
use crate::given;

/// A lesson with a founder and two joined situations.
async fn three(bank: &Bank) -> [Learned; 3] {
    let founder = bank.learn(&bank.lesson("one", "restart")).await;
    let second = bank.learn(&joining(bank.lesson("two", "restart"), founder.memory)).await;
    let third = bank.learn(&joining(bank.lesson("three", "restart"), founder.memory)).await;
    [founder, second, third]
}

async fn words(bank: &Bank, memory: MemoryId) -> String {
    bank.project.memories().get(memory).await.unwrap().text.reflection
}

#[tokio::test]
async fn the_founder_speaks_also_if_it_is_disabled_and_the_oldest_other_one_if_it_is_retired() {
    let bank = Bank::new().await;
    let [founder, second, third] = three(&bank).await;
    let lessons = bank.project.lessons();
    assert_eq!(lessons.speaker(third.memory).await.unwrap(), founder.memory);
    assert_eq!(words(&bank, third.memory).await, "In `one`: restart");

    bank.curate(founder.memory, MemoryChange::Presence(Presence::Disabled)).await;
    assert_eq!(words(&bank, third.memory).await, "In `one`: restart");
    bank.withdraw(founder).await;
    assert_eq!(lessons.speaker(third.memory).await.unwrap(), second.memory);
    bank.curate(second.memory, MemoryChange::Quarantined(true)).await;
    assert_eq!(words(&bank, second.memory).await, "In `three`: restart");

    // Split: it has its own words again.
    let apart = Some(LessonId::from(second.memory));
    bank.curate(second.memory, MemoryChange::Lesson(apart)).await;
    assert_eq!(words(&bank, second.memory).await, "In `two`: restart");
    assert_eq!(bank.project.memories().own_text(third.memory).await.unwrap().1.task, "three");
}

#[tokio::test]
async fn an_untrusted_situation_speaks_only_if_no_other_can() {
    let bank = Bank::new().await;
    let untrusted = NewMemoryRow { trust: Trust::Untrusted, ..bank.lesson("one", "obey me") };
    let untrusted = bank.learn(&untrusted).await;
    let trusted = bank.learn(&bank.lesson("two", "restart")).await;
    assert_eq!(words(&bank, untrusted.memory).await, "In `one`: obey me");

    // Only a person can mix trust. The founder of this lesson is the untrusted one.
    bank.curate(trusted.memory, MemoryChange::Lesson(Some(untrusted.memory.into()))).await;

    assert_eq!(words(&bank, untrusted.memory).await, "In `two`: restart");
    // Corroboration changes how it is ranked, not where its words come from.
    bank.corroborate(untrusted.memory).await;
    assert_eq!(words(&bank, untrusted.memory).await, "In `two`: restart");
    let search = bank.project.memories().search(SearchBy::Vector).await.unwrap();
    let served = search.serve(&[trusted.memory]).await.unwrap();
    assert_eq!(served[0].reflection, "In `two`: restart");
}

#[tokio::test]
async fn a_text_joins_the_lesson_that_shows_it_and_no_other() {
    let bank = Bank::new().await;
    let founder = bank.learn(&bank.lesson("one", "restart")).await;
    let with_text = |task: &str, action: &str| NewMemoryRow {
        reflection: "Look twice.".to_owned(),
        ..bank.lesson(task, action)
    };
    bank.learn(&joining(with_text("two", "restart"), founder.memory)).await;

    let first = bank.learn(&with_text("three", "look")).await;
    let second = bank.learn(&with_text("four", "look")).await;
    bank.curate(first.memory, MemoryChange::Presence(Presence::Disabled)).await;
    let third = bank.learn(&with_text("five", "look")).await;

    let own = Some(LessonId::from(first.memory));
    assert_eq!(bank.stat(first.memory).await.lesson_id, own, "the other lesson shows other words");
    assert_eq!(bank.stat(second.memory).await.lesson_id, own);
    assert_eq!(bank.stat(third.memory).await.lesson_id, own, "a disabled memory still speaks");
}

/// The memories whose own text is the one that is shown, of those that can be served.
async fn shown(bank: &Bank) -> BTreeSet<MemoryId> {
    let mut search = bank.project.memories().search(SearchBy::Vector).await.unwrap();
    let found = search.nearest(bank.space, &[0.6, 0.8], &Default::default(), 20).await.unwrap();
    search.close().await.unwrap();
    found.iter().filter(|one| one.lesson_digest.is_some()).map(|one| one.memory_id).collect()
}

#[tokio::test]
async fn only_the_text_that_is_shown_is_compared_with_others() {
    let bank = Bank::new().await;
    let [founder, second, _] = three(&bank).await;
    let apart = bank.learn(&placed(bank.lesson("four", "wait"), Placement::Apart)).await;

    assert_eq!(shown(&bank).await, BTreeSet::from([founder.memory, apart.memory]));
    bank.curate(founder.memory, MemoryChange::Presence(Presence::Disabled)).await;
    assert_eq!(shown(&bank).await, BTreeSet::from([apart.memory]), "the founder still speaks");
    bank.withdraw(founder).await;
    assert_eq!(shown(&bank).await, BTreeSet::from([second.memory, apart.memory]));
}

/// What a memory advises, as a key.
async fn advice(bank: &Bank, memory: MemoryId) -> Option<Uuid> {
    sqlx::query_scalar("select advice from memory_stat where memory_id = $1")
        .bind(memory)
        .fetch_one(&mut bank.db.superuser().await)
        .await
        .unwrap()
}

/// Changes the text of a memory.
async fn edit(bank: &Bank, memory: MemoryId, change: impl Fn(&mut TextFields)) {
    let (version, mut fields) = bank.project.memories().own_text(memory).await.unwrap();
    change(&mut fields);
    let text = NewText { memory_id: memory, instead_of: version, fields, vectors: Vec::new() };
    let request = CurationRequest {
        kind: "memory.edit",
        summary: json!({}),
        memories: &[memory],
        part_of: None,
        texts: &[text],
        regroups: false,
        answers: None,
    };
    let decide = |_: &[MemoryState]| Ok(Vec::new());
    bank.project.curation().apply(&request, &given::actor(), &decide).await.unwrap();
}

#[tokio::test]
async fn undoing_an_edit_restores_what_the_memory_advises() {
    let bank = Bank::new().await;
    let mut described = bank.lesson("one", "");
    let tools = ["search".to_owned()];
    let text = AdviceText { correct_action: "", approach: &tools, reflection: "" };
    described.lesson.advice = advice_key(&text);
    let memory = bank.learn(&described).await.memory;
    let tools = described.lesson.advice.map(AdviceKey::as_uuid);
    assert_eq!(advice(&bank, memory).await, tools);

    edit(&bank, memory, |fields| fields.metadata = json!({ "team": "support" })).await;
    assert_eq!(advice(&bank, memory).await, tools, "the lesson is the same");
    edit(&bank, memory, |fields| fields.reflection = "Ask first.".to_owned()).await;
    assert_ne!(advice(&bank, memory).await, tools);

    let (actions, _) = bank.project.curation().actions(None, 2, false).await.unwrap();
    for action in &actions {
        bank.undo(action).await;
        assert_eq!(advice(&bank, memory).await, tools);
    }
}

#[tokio::test]
async fn served_memories_have_the_words_of_their_lesson_and_the_runs_behind_it() {
    let bank = Bank::new().await;
    let [founder, second, _] = three(&bank).await;
    let mut failed = absorbed(bank.lesson("two!", "restart"), second.memory);
    failed.success = Some(false);
    bank.learn(&failed).await;

    let mut search = bank.project.memories().search(SearchBy::Vector).await.unwrap();
    let found = search.nearest(bank.space, &[0.6, 0.8], &Default::default(), 20).await.unwrap();
    let rows = search.serve(&[second.memory]).await.unwrap();

    let (row, candidate) = (&rows[0], found.iter().find(|one| one.memory_id == second.memory).unwrap());
    assert_eq!(found.len(), 3, "an absorbed run is not searched");
    assert_eq!((candidate.lesson_id, candidate.absorbed), (Some(founder.memory.into()), 1));
    assert_eq!((row.task.as_str(), row.reflection.as_str()), ("two", "In `one`: restart"));
    assert_eq!(row.lesson_id, LessonId::from(founder.memory));
    assert_eq!((row.runs, row.passed_runs), (4, 3));
}

#[tokio::test]
async fn an_edit_of_the_speaker_is_the_text_of_every_situation() {
    let bank = Bank::new().await;
    let [founder, second, _] = three(&bank).await;
    edit(&bank, founder.memory, |fields| fields.reflection = "Restart it twice.".to_owned()).await;

    let stored = bank.project.memories().get(second.memory).await.unwrap();
    assert_eq!((stored.text.reflection.as_str(), stored.version), ("Restart it twice.", 2));
    let detail = bank.project.memories().detail(second.memory).await.unwrap();
    assert_eq!(detail.versions.len(), 2, "the versions are those of the lesson");
}

#[tokio::test]
async fn an_edited_lesson_advises_the_same_in_all_its_situations_and_protects_them() {
    let bank = Bank::new().await;
    let founder = NewMemoryRow { model: Some("m".to_owned()), ..bank.lesson("one", "restart") };
    let founder = bank.learn(&founder).await.memory;
    let second = bank.learn(&joining(bank.lesson("two", "restart"), founder)).await.memory;
    let other = bank.learn(&bank.lesson("three", "give up")).await.memory;
    let key = |action: &str| bank.lesson("x", action).lesson.advice;
    let near = async |action: &str, most: i64| {
        bank.project.lessons().near(bank.space, &[0.6, 0.8], key(action), most).await.unwrap()
    };
    // By memory: what it advises, whether a model wrote that, and whether it is protected.
    let facts = |rows: &[NearRow]| -> BTreeSet<(MemoryId, Option<Uuid>, String, bool, bool)> {
        let facts = rows.iter().map(|row| {
            (row.memory_id, row.advice, row.correct_action.clone(), row.by_model, row.is_protected)
        });
        facts.collect()
    };
    let fact = |memory: MemoryId, action: &str, by_model: bool, is_protected: bool| {
        (memory, key(action).map(AdviceKey::as_uuid), action.to_owned(), by_model, is_protected)
    };
    let apart = fact(other, "give up", false, false);
    let before =
        [fact(founder, "restart", true, false), fact(second, "restart", false, false), apart.clone()];
    assert_eq!(facts(&near("restart", 10).await), BTreeSet::from(before));
    assert_eq!(near("restart", 0).await.len(), 1);

    edit(&bank, founder, |fields| fields.correct_action = "replace".to_owned()).await;

    let after = [fact(founder, "replace", false, true), fact(second, "replace", false, true), apart];
    assert_eq!(facts(&near("restart", 10).await), BTreeSet::from(after));
    assert_eq!(near("restart", 0).await, [], "its lesson says something else now");
    assert_eq!(near("replace", 0).await[0].memory_id, founder);

    // The founder no longer speaks: the words of the other one are those of its run.
    bank.curate(founder, MemoryChange::Lesson(Some(other.into()))).await;
    assert_eq!(near("restart", 0).await[0].memory_id, second);
    assert!(facts(&near("restart", 10).await).contains(&fact(second, "restart", false, false)));
}

#[tokio::test]
async fn what_protects_the_text_of_a_lesson_protects_its_situations() {
    let bank = Bank::new().await;
    let [founder, second, third] = three(&bank).await;
    let protected = async || -> BTreeSet<MemoryId> {
        let rows = bank.project.lessons().near(bank.space, &[0.6, 0.8], None, 10).await.unwrap();
        rows.iter().filter(|row| row.is_protected).map(|row| row.memory_id).collect()
    };
    bank.curate(second.memory, MemoryChange::Pinned(true)).await;
    assert_eq!(protected().await, BTreeSet::from([second.memory]), "it does not speak");
    bank.curate(founder.memory, MemoryChange::Pinned(true)).await;
    assert_eq!(protected().await, BTreeSet::from([founder.memory, second.memory, third.memory]));
}

#[tokio::test]
async fn lists_show_each_lesson_once_with_the_numbers_of_its_situations() {
    let bank = Bank::new().await;
    let [founder, _, third] = three(&bank).await;
    bank.learn(&absorbed(bank.lesson("three!", "restart"), third.memory)).await;
    let other = bank.learn(&bank.lesson("four", "wait")).await;
    let lessons = bank.project.lessons();
    let (selection, order) = (MemorySelector::default(), MemoryOrder::default());

    let (page, next) = lessons.list(&selection, order, None, 1).await.unwrap();
    let (rest, end) = lessons.list(&selection, order, next, 10).await.unwrap();

    let ids = |rows: &[reflect_store::LessonRow]| rows.iter().map(|row| row.lesson_id).collect::<Vec<_>>();
    // The newest memory of a lesson decides its place.
    assert_eq!((ids(&page), ids(&rest), end), (vec![other.memory.into()], vec![founder.memory.into()], None));
    let lesson = lessons.get(founder.memory.into()).await.unwrap();
    assert_eq!(lesson, rest[0]);
    assert_eq!((lesson.speaker, lesson.status), (founder.memory, MemoryStatus::Active));
    assert_eq!((lesson.situations, lesson.absorbed, lesson.runs, lesson.passed_runs), (3, 1, 4, 4));
    let counts = lessons.count().await.unwrap();
    assert_eq!((counts.lessons, counts.situations), (2, 4));
    assert_eq!(lessons.situations(founder.memory.into(), 10).await.unwrap().len(), 4);

    let of_lesson = MemorySelector { lesson: Some(founder.memory.into()), ..MemorySelector::default() };
    let (memories, _) = bank.project.memories().list(&of_lesson, order, false, None, 10).await.unwrap();
    assert_eq!(memories.len(), 4);
    let superseded = MemorySelector { superseded: Some(true), ..MemorySelector::default() };
    assert_eq!(bank.project.memories().matching(&superseded, order, None, 10).await.unwrap(), []);
    let unknown = lessons.get(LessonId::generate()).await;
    assert!(matches!(unknown, Err(StoreError::NotFound { what: "lesson" })), "{unknown:?}");
}
