//! Runs that join a lesson, and runs that a situation absorbs.

use futures::future::join_all;
use reflect_rules::lessons::{MOST_ABSORBED, Placement};
use reflect_store::{
    Erased, ErasureTarget, MemoryChange, NewErasure, NewMemoryRow, NewSkill, Presence, SearchBy,
};
use reflect_types::{LessonId, ReviewResult, Trust};
use uuid::Uuid;

use super::{ACTIVE, Bank, Learned, MERGED, RETIRED, absorbed, joining, placed};
use crate::given;

/// A situation and a run that it absorbed.
async fn two(bank: &Bank) -> (Learned, Learned) {
    let first = bank.learn(&bank.lesson("no signal", "restart the phone")).await;
    let second = bank.learn(&absorbed(bank.lesson("no signal!", "restart the phone"), first.memory)).await;
    (first, second)
}

#[tokio::test]
async fn an_absorbed_run_adds_a_count_and_points_to_the_situation_that_absorbed_it() {
    let bank = Bank::new().await;

    let (first, second) = two(&bank).await;

    assert_eq!((second.created, bank.created_by(second.trace).await), (first.memory, Some(first.memory)));
    let (one, other) = (bank.stat(first.memory).await, bank.stat(second.memory).await);
    assert_eq!((one.status, one.absorbed, one.searched), (ACTIVE, 1, true));
    assert_eq!((other.status, other.merged_into), (MERGED, Some(first.memory)));
    assert_eq!(other.lesson_id, Some(LessonId::from(first.memory)));
    assert_eq!((other.searched, other.parked), (false, true));
    let actions = bank.automatic("lesson.join").await;
    assert_eq!(actions.len(), 1);
    assert_eq!(actions[0].summary["absorbed_into"], first.memory.to_string());
    assert_eq!(actions[0].summary["by"], "structure");
    let (shown, _) = bank.project.curation().actions(None, 10, false).await.unwrap();
    assert_eq!(shown, [], "people see what people did");
}

#[tokio::test]
async fn undoing_a_join_makes_an_absorbed_run_a_situation_of_its_own() {
    let bank = Bank::new().await;
    let (first, second) = two(&bank).await;

    bank.undo(&bank.automatic("lesson.join").await[0]).await;

    let (one, other) = (bank.stat(first.memory).await, bank.stat(second.memory).await);
    assert_eq!(one.absorbed, 0);
    assert_eq!((other.status, other.merged_into, other.searched), (ACTIVE, None, true));
    assert_eq!(other.lesson_id, Some(LessonId::from(second.memory)));
    assert_eq!(bank.created_by(second.trace).await, Some(second.memory));
}

#[tokio::test]
async fn withdrawing_either_review_leaves_the_other_run_as_it_would_be_alone() {
    let bank = Bank::new().await;
    let (first, second) = two(&bank).await;
    let (other_first, other_second) = {
        let first = bank.learn(&bank.lesson("no sound", "raise the volume")).await;
        (first, bank.learn(&absorbed(bank.lesson("no sound!", "raise the volume"), first.memory)).await)
    };

    bank.withdraw(first).await;
    bank.withdraw(other_second).await;

    let left = bank.stat(second.memory).await;
    assert_eq!(bank.status(first.memory).await, RETIRED);
    assert_eq!((left.status, left.searched, left.merged_into), (ACTIVE, true, None));
    assert_eq!(left.lesson_id, Some(LessonId::from(first.memory)), "it stays in its lesson");
    assert_eq!(bank.created_by(second.trace).await, Some(second.memory));
    let alone = bank.stat(other_first.memory).await;
    assert_eq!((alone.status, alone.absorbed), (ACTIVE, 0));
    assert_eq!(bank.status(other_second.memory).await, RETIRED);
}

#[tokio::test]
async fn an_absorbed_memory_that_was_deleted_returns_without_the_one_that_absorbed_it() {
    let bank = Bank::new().await;
    let (first, second) = two(&bank).await;
    bank.curate(second.memory, MemoryChange::Presence(Presence::Deleted)).await;
    assert_eq!(bank.stat(first.memory).await.absorbed, 0);
    bank.withdraw(first).await;

    let (actions, _) = bank.project.curation().actions(None, 1, false).await.unwrap();
    bank.undo(&actions[0]).await;

    assert_eq!(bank.status(second.memory).await, ACTIVE);
}

/// Erases a run with its memory.
async fn erase(bank: &Bank, run: Learned) {
    let erasure_id = Uuid::now_v7();
    let asked = NewErasure { erasure_id, target: ErasureTarget::Trace(run.trace), keep_memories: false };
    bank.project.erasures().request(&asked, &given::actor(), None).await.unwrap();
    assert_eq!(bank.project.erasures().erase_batch(erasure_id).await.unwrap(), Erased::Some);
}

#[tokio::test]
async fn a_situation_absorbs_a_limited_number_of_runs_and_releases_all_of_them() {
    let bank = Bank::new().await;
    let first = bank.learn(&bank.lesson("no signal", "restart the phone")).await;
    let mut runs = Vec::new();
    for number in 0..=MOST_ABSORBED {
        let lesson = bank.lesson(&format!("no signal {number}"), "restart the phone");
        runs.push(bank.learn(&absorbed(lesson, first.memory)).await);
    }
    let one_more = runs.pop().unwrap();

    assert_eq!(bank.stat(first.memory).await.absorbed, MOST_ABSORBED);
    let stat = bank.stat(one_more.memory).await;
    assert_eq!((stat.status, stat.searched, stat.merged_into), (ACTIVE, true, None));
    assert_eq!(stat.lesson_id, Some(first.memory.into()), "it joins the lesson");
    assert_eq!(one_more.created, one_more.memory);

    erase(&bank, runs.pop().unwrap()).await;
    assert_eq!(bank.stat(first.memory).await.absorbed, MOST_ABSORBED - 1);
    bank.withdraw(first).await;

    assert_eq!(bank.stat(first.memory).await.absorbed, 0);
    for run in runs {
        assert_eq!(bank.status(run.memory).await, ACTIVE);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_limit_holds_for_runs_at_the_same_time() {
    let bank = Bank::new().await;
    let first = bank.learn(&bank.lesson("no signal", "restart the phone")).await;
    sqlx::query("update memory_stat set absorbed = $2 where memory_id = $1")
        .bind(first.memory)
        .bind(MOST_ABSORBED - 1)
        .execute(&mut bank.db.superuser().await)
        .await
        .unwrap();
    let new: Vec<NewMemoryRow> = (0..4)
        .map(|number| bank.lesson(&format!("no signal {number}"), "restart the phone"))
        .map(|lesson| absorbed(lesson, first.memory))
        .collect();

    let learned = join_all(new.iter().map(|memory| bank.learn(memory))).await;

    assert_eq!(bank.stat(first.memory).await.absorbed, MOST_ABSORBED);
    let absorbed = learned.iter().filter(|run| run.created == first.memory).count();
    assert_eq!(absorbed, 1);
}

#[tokio::test]
async fn the_newest_runs_of_a_situation_say_what_to_expect() {
    let bank = Bank::new().await;
    let first = bank.learn(&bank.lesson("no signal", "restart the phone")).await;
    for number in 0..8 {
        let mut run =
            absorbed(bank.lesson(&format!("no signal {number}"), "restart the phone"), first.memory);
        run.success = Some(number < 4);
        bank.learn(&run).await;
    }
    let other = bank.learn(&bank.lesson("no bars", "wait")).await;
    bank.withdraw(other).await;

    let mut search = bank.project.memories().search(SearchBy::Vector).await.unwrap();
    let found = search.neighbours(bank.space, &[0.6, 0.8], 20, 5).await.unwrap();
    search.close().await.unwrap();

    let passed: Vec<bool> = found.into_iter().map(|run| run.passed).collect();
    assert_eq!(passed, [false, false, false, false, true], "five of nine runs, newest first");
}

#[tokio::test]
async fn a_skill_goes_with_the_run_whose_words_it_has() {
    let bank = Bank::new().await;
    let founder = bank.learn(&bank.lesson("no signal", "restart the phone")).await;
    let best = bank.learn(&joining(bank.lesson("no bars", "restart the phone"), founder.memory)).await;
    sqlx::query("update memory_stat set q = 0.9 where memory_id = $1")
        .bind(best.memory)
        .execute(&mut bank.db.superuser().await)
        .await
        .unwrap();
    let lessons = bank.project.lessons().skills().best_lessons(ReviewResult::Pass, 10).await.unwrap();
    let [lesson] = lessons.as_slice() else { panic!("{lessons:?}") };
    assert_eq!((lesson.memory_id, lesson.speaker), (best.memory, founder.memory));
    assert_eq!(
        (lesson.task.as_str(), lesson.reflection.as_str()),
        ("no bars", "In `no signal`: restart the phone")
    );
    let (content, memory_ids) = ("canary-skill".to_owned(), vec![lesson.memory_id, lesson.speaker]);
    let skill = NewSkill { content, passed: 1, failed: 0, memory_ids, model: None };
    bank.project.lessons().skills().create(&skill, None).await.unwrap();

    erase(&bank, founder).await;

    assert_eq!(bank.db.tables_with("canary-skill").await, Vec::<String>::new());
}

#[tokio::test]
async fn erasing_a_run_removes_its_words_and_releases_what_it_absorbed() {
    let bank = Bank::new().await;
    let mut first = bank.lesson("no signal", "restart the phone");
    first.reflection = "canary-erased words".to_owned();
    let first = bank.learn(&first).await;
    let second = bank.learn(&absorbed(bank.lesson("no signal!", "restart the phone"), first.memory)).await;
    let third = bank.learn(&joining(bank.lesson("no bars", "restart the phone"), first.memory)).await;
    let before = bank.project.memories().get(third.memory).await.unwrap();
    assert_eq!(before.text.reflection, "canary-erased words", "the founder speaks");

    erase(&bank, first).await;

    let left = bank.stat(second.memory).await;
    assert_eq!((left.status, left.searched, left.lesson_id), (ACTIVE, true, Some(first.memory.into())));
    let after = bank.project.memories().get(third.memory).await.unwrap();
    assert_eq!(after.text.reflection, "In `no signal!`: restart the phone", "the next oldest speaks");
    assert_eq!(bank.db.tables_with("canary-erased").await, Vec::<String>::new());
}

#[tokio::test]
async fn erasing_a_memory_releases_what_it_absorbed() {
    let bank = Bank::new().await;
    let (first, second) = two(&bank).await;

    bank.project.curation().erase(first.memory, &given::actor(), Trust::Normal).await.unwrap();

    let left = bank.stat(second.memory).await;
    assert_eq!((left.status, left.searched), (ACTIVE, true));
}

#[tokio::test]
async fn a_target_that_is_gone_or_not_trusted_is_not_joined() {
    let bank = Bank::new().await;
    let disabled = bank.learn(&bank.lesson("a", "wait")).await;
    bank.curate(disabled.memory, MemoryChange::Presence(Presence::Disabled)).await;
    let untrusted = NewMemoryRow { trust: Trust::Untrusted, ..bank.lesson("b", "go") };
    let untrusted = bank.learn(&untrusted).await;
    let corroborated = NewMemoryRow { trust: Trust::Untrusted, ..bank.lesson("d", "look") };
    let corroborated = bank.learn(&corroborated).await;
    bank.corroborate(corroborated.memory).await;

    for (target, action) in [(disabled, "wait"), (untrusted, "go"), (corroborated, "look")] {
        for placement in [joining, absorbed] {
            let run = bank.learn(&placement(bank.lesson("c", &format!("{action} now")), target.memory)).await;

            let stat = bank.stat(run.memory).await;
            assert_eq!((stat.status, stat.lesson_id), (ACTIVE, Some(LessonId::from(run.memory))));
            assert_eq!(run.created, run.memory);
        }
    }
    // The same text is another lesson too.
    let same = bank.learn(&bank.lesson("d", "look")).await;
    assert_eq!(bank.stat(same.memory).await.lesson_id, Some(LessonId::from(same.memory)));
    assert_eq!(bank.automatic("lesson.join").await, []);
}

#[tokio::test]
async fn a_situation_that_was_not_grouped_founds_its_lesson_when_it_is_joined() {
    let bank = Bank::new().await;
    let old = bank.learn(&placed(bank.lesson("a", "wait"), Placement::Apart)).await;
    assert_eq!(bank.stat(old.memory).await.lesson_id, None);

    let new = bank.learn(&joining(bank.lesson("b", "wait"), old.memory)).await;

    assert_eq!(bank.stat(old.memory).await.lesson_id, Some(old.memory.into()));
    assert_eq!(bank.stat(new.memory).await.lesson_id, Some(old.memory.into()));
    bank.undo(&bank.automatic("lesson.join").await[0]).await;
    assert_eq!(bank.stat(old.memory).await.lesson_id, None);
    assert_eq!(bank.stat(new.memory).await.lesson_id, Some(new.memory.into()));
}
