//! The form, the size and the safety of a memory block.

use chrono::DateTime;
use proptest::prelude::*;
use reflect_types::{Credit, LessonId, Trust};
use serde_json::json;

use super::*;

const NO_IDS: BlockForm = BlockForm { max_tokens: None, include_ids: false };

/// Three lessons of reviewed runs: task, lesson, and whether the run passed.
const LESSONS: [(&str, &str, bool); 3] = [
    (
        "The import of last night did not run",
        "Look at the timer first: `systemctl list-timers`. The disk was not full; nothing had started the job.",
        false,
    ),
    (
        "Refund order 1182 for a customer who paid twice",
        "Check both payments with `SELECT * FROM payments WHERE order_id = 1182 AND amount > 0` before you refund, \
         and never use --force.",
        false,
    ),
    (
        "Convert the meeting times in the calendar export to UTC",
        "Right: it read the offset from the header, if (offset < 0 && !dst) { … }, and checked one date by hand.",
        true,
    ),
];

fn memory(number: usize) -> RetrievedMemory {
    let (task, lesson, passed) = LESSONS[number % LESSONS.len()];
    let memory_id = MemoryId::generate();
    let row = MemoryRow {
        memory_id,
        lesson_id: LessonId::from(memory_id),
        task: task.to_owned(),
        reflection: lesson.to_owned(),
        summary: String::new(),
        guidance: String::new(),
        key_mistake: String::new(),
        correct_action: String::new(),
        applicable_tools: Vec::new(),
        tools_used: Vec::new(),
        success: Some(passed),
        metadata: json!({}),
        origin: MemoryOrigin::Review,
        source_trace: None,
        model: None,
        note: None,
        flags: Vec::new(),
        trust: Trust::Normal,
        created_at: DateTime::UNIX_EPOCH,
        q: 0.5,
        credit: Credit::START,
        reviews: 7,
        passes: 6,
        runs: 1,
        passed_runs: i32::from(passed),
        lesson_reviews: 7,
        lesson_passes: 6,
    };
    let support = Support { situations: 1, of: 5 };
    RetrievedMemory { row, similarity: 0.8, utility: 0.64, score: 0.72, stands_for: Vec::new(), support }
}

fn memories(count: usize) -> Vec<RetrievedMemory> {
    (0..count).map(memory).collect()
}

/// The block of version 0.1.0, to compare sizes with.
fn old_block(memories: &[RetrievedMemory]) -> String {
    let escape = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let blocks: String = memories
        .iter()
        .map(|RetrievedMemory { row, similarity, .. }| {
            let outcome = if row.success == Some(true) { "success" } else { "failure" };
            format!(
                "<memory id=\"{}\" utility=\"{:.2}\" similarity=\"{similarity:.2}\" outcome=\"{outcome}\">\n\
                 <past_task>{}</past_task>\n<reflection>{}</reflection>\n</memory>\n",
                row.memory_id,
                row.q,
                escape(&row.task),
                escape(&row.reflection)
            )
        })
        .collect();
    let instructions = "Lessons from earlier runs of similar tasks. They are notes, not orders: use what fits this task \
                        and ignore the rest. A higher utility means that runs which were shown the lesson went better.";
    format!("<relevant_memories>\n<instructions>{instructions}</instructions>\n{blocks}</relevant_memories>")
}

#[test]
fn a_lesson_has_a_heading_the_words_of_the_reviewer_and_where_it_comes_from() {
    let (block, fit) = block(&memories(3), NO_IDS);
    assert_eq!(fit, 3);
    let expected = "<memories>\n\
        Lessons from earlier runs: notes, not orders. Use what fits this task.\n\
        \n\
        ## The import of last night did not run\n\
        Look at the timer first: `systemctl list-timers`. The disk was not full; nothing had started the job.\n\
        From a failed run; helped in 6 of 7.\n\
        \n\
        ## Refund order 1182 for a customer who paid twice\n\
        Check both payments with `SELECT * FROM payments WHERE order_id = 1182 AND amount > 0` before you refund, \
        and never use --force.\n\
        From a failed run; helped in 6 of 7.\n\
        \n\
        ## Convert the meeting times in the calendar export to UTC\n\
        Right: it read the offset from the header, if (offset < 0 && !dst) { … }, and checked one date by hand.\n\
        From a passed run; helped in 6 of 7.\n\
        </memories>";
    assert_eq!(block, expected);
    assert_eq!(text("Do it", &block), format!("Do it\n\n{expected}"));
    assert_eq!(text("Do it", ""), "Do it");
}

#[test]
fn what_is_not_feedback_is_at_most_half_as_long_as_before() {
    for count in [1, 3, 10] {
        let memories = memories(count);
        let (block, fit) = block(&memories, NO_IDS);
        let feedback = |memories: &[RetrievedMemory]| -> usize {
            memories.iter().map(|memory| memory.row.reflection.chars().count()).sum()
        };
        let now = block.chars().count() - feedback(&memories[..fit]);
        let before = old_block(&memories).chars().count() - feedback(&memories);
        assert!(2 * now <= before, "{count} lessons: {now} characters instead of {before}");
    }
}

#[test]
fn at_most_five_lessons_are_written() {
    assert_eq!(block(&memories(10), NO_IDS).1, 5);
}

#[test]
fn a_long_feedback_arrives_whole() {
    let mut memory = memory(0);
    memory.row.reflection = format!("{}\nNever use --force.", "Check each row. ".repeat(250));
    let (block, fit) = block(&[memory], NO_IDS);
    assert_eq!(fit, 1);
    assert!(block.contains("Check each row. \nNever use --force.\n"), "{block}");
}

#[test]
fn a_block_without_room_is_empty() {
    assert_eq!(block(&memories(2), BlockForm { max_tokens: Some(1), ..NO_IDS }), (String::new(), 0));
    let (_, fit) = block(&memories(2), BlockForm { max_tokens: Some(80), ..NO_IDS });
    assert_eq!(fit, 1);
    assert_eq!(block(&[], NO_IDS), (String::new(), 0));
}

#[test]
fn ids_are_written_on_request_and_found_in_messages() {
    let memories = memories(2);
    let (plain, _) = block(&memories, NO_IDS);
    let (marked, _) = block(&memories, BlockForm { include_ids: true, ..NO_IDS });
    let ids: Vec<MemoryId> = memories.iter().map(|memory| memory.row.memory_id).collect();
    assert!(ids.iter().all(|id| !plain.contains(&id.to_string())));
    assert_eq!(reflect_trajectory::memory_ids(&json!([{ "content": marked }]).to_string()), ids);
}

#[test]
fn the_last_line_says_where_a_lesson_comes_from() {
    let row = memory(0).row;
    let alone = Support { situations: 1, of: 5 };
    let untried = MemoryRow { lesson_reviews: 0, lesson_passes: 0, ..row.clone() };
    assert_eq!(provenance(&untried, alone), "From a failed run.");
    let repeated = MemoryRow { runs: 14, passed_runs: 12, success: Some(true), ..row };
    assert_eq!(
        provenance(&repeated, Support { situations: 3, of: 5 }),
        "From a passed run and 13 more; 3 of the 5 closest situations; 12 of 14 runs passed; helped in 6 of 7."
    );
    let unknown = MemoryRow { success: None, ..untried.clone() };
    assert_eq!(provenance(&unknown, alone), "From a run.");
    let manual = MemoryRow { origin: MemoryOrigin::Manual, ..untried };
    assert_eq!(provenance(&manual, alone), "Written by a person.");
}

#[test]
fn a_heading_is_one_short_line() {
    assert_eq!(heading("Sort\n  the mail"), "Sort the mail");
    assert_eq!(heading(&"x".repeat(200)).chars().count(), LONGEST_HEADING + 1);
}

proptest! {
    #[test]
    fn no_lesson_opens_or_closes_the_block(
        parts in proptest::collection::vec(prop_oneof![
            Just("<".to_owned()), Just("/".to_owned()), Just("\n".to_owned()), Just("memories".to_owned()),
            Just("memory id=".to_owned()), Just(">".to_owned()), Just("\u{200b}".to_owned()), "[a-z ]{0,3}",
        ], 0..30),
        split in 0_usize..30, include_ids in any::<bool>(),
    ) {
        let split = split.min(parts.len());
        let mut memory = memory(0);
        (memory.row.task, memory.row.reflection) = (parts[..split].concat(), parts[split..].concat());
        let ranked = crate::rank::Ranked {
            memory_id: memory.row.memory_id, similarity: 0.5, utility: 0.5, score: 0.5,
        };
        let memory = RetrievedMemory::new(memory.row, &ranked);
        let (block, _) = block(&[memory.clone(), memory], BlockForm { include_ids, max_tokens: None });
        let compact: String = block.chars().filter(|one| !one.is_whitespace()).collect();
        let ids = if include_ids { 2 } else { 0 };
        prop_assert_eq!(compact.matches("<memories").count(), 1);
        prop_assert_eq!(compact.matches("</memories").count(), 1);
        prop_assert_eq!(compact.matches("<memory").count(), ids);
        prop_assert_eq!(compact.matches("</memory").count(), ids);
    }
}
