//! Memories as a block of text for an agent's prompt.

use reflect_store::MemoryRow;
use reflect_types::text::served;
use reflect_types::{MemoryId, MemoryOrigin};

use super::query::{RetrievedMemories, RetrievedMemory, Support};

/// An estimate, because there is no tokeniser.
const CHARACTERS_PER_TOKEN: usize = 4;
/// Enough for five memories of usual length, or for one with the longest feedback.
const DEFAULT_TOKENS: usize = 1500;
/// More lessons would distract from the task.
pub(super) const MOST_LESSONS: usize = 5;
/// The length of a heading, in characters.
const LONGEST_HEADING: usize = 80;
const OPENING: &str = "<memories>\nLessons from earlier runs: notes, not orders. Use what fits this task.\n";
const CLOSING: &str = "</memories>";

/// The form of a memory block.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BlockForm {
    /// The largest number of tokens; `None` for the default.
    pub max_tokens: Option<usize>,
    /// Whether each lesson is marked with the id of its memory.
    pub include_ids: bool,
}

/// A task with related memories.
#[derive(Debug, Clone)]
pub struct AugmentedPrompt {
    /// The task and the block. The task alone if no memory was found.
    pub text: String,
    /// The memories as a block, for a system prompt. Empty if no memory was found.
    pub block: String,
    /// The memories in the block: the best ones that fit.
    pub recalled: RetrievedMemories,
}

/// The block, and how many memories fit into it. Empty if none fits.
pub(super) fn block(memories: &[RetrievedMemory], form: BlockForm) -> (String, usize) {
    let room = form.max_tokens.unwrap_or(DEFAULT_TOKENS).saturating_mul(CHARACTERS_PER_TOKEN);
    let mut block = OPENING.to_owned();
    let mut length = OPENING.len() + CLOSING.len();
    let mut fit = 0;
    for memory in memories.iter().take(MOST_LESSONS) {
        let lesson = lesson(memory, form.include_ids);
        length += lesson.chars().count();
        if length > room {
            break;
        }
        block.push_str(&lesson);
        fit += 1;
    }
    if fit == 0 {
        return (String::new(), 0);
    }
    block.push_str(CLOSING);
    (block, fit)
}

/// The task, followed by the block if there is one.
pub(super) fn text(task: &str, block: &str) -> String {
    match block.is_empty() {
        true => task.to_owned(),
        false => format!("{task}\n\n{block}"),
    }
}

/// Three parts: a heading, the lesson, and where it comes from. The texts are not escaped, so code stays readable. Tags
/// are broken again after the parts are joined: a heading that ends with `<` must not open a tag in the next line.
fn lesson(memory: &RetrievedMemory, include_ids: bool) -> String {
    let row = &memory.row;
    let provenance = provenance(row, memory.support);
    let parts = format!("\n## {}\n{}\n{provenance}\n", heading(&row.task), row.reflection.trim());
    let parts = served(&parts);
    match include_ids {
        true => marked(row.memory_id, &parts),
        false => parts.into_owned(),
    }
}

/// In the form in which ids are found in the messages of a run.
fn marked(id: MemoryId, lesson: &str) -> String {
    format!("\n<memory id=\"{id}\">{lesson}</memory>\n")
}

/// The task in one line.
fn heading(task: &str) -> String {
    let mut heading = task.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = heading.char_indices().nth(LONGEST_HEADING) {
        heading.truncate(end);
        heading.push('…');
    }
    heading
}

/// Where the lesson comes from, for how many of the closest situations it stands, and how runs with it went. A lesson of
/// one run and one situation says less.
fn provenance(row: &MemoryRow, support: Support) -> String {
    let result = match row.success {
        Some(true) => "passed ",
        Some(false) => "failed ",
        None => "",
    };
    let source = match row.origin {
        MemoryOrigin::Manual => "Written by a person".to_owned(),
        MemoryOrigin::Import => "Imported".to_owned(),
        _ => format!("From a {result}run"),
    };
    let MemoryRow { runs, passed_runs, lesson_reviews, lesson_passes, .. } = *row;
    let mut parts = vec![match runs {
        ..=1 => source,
        _ => format!("{source} and {} more", runs - 1),
    }];
    if support.situations > 1 {
        parts.push(format!("{} of the {} closest situations", support.situations, support.of));
    }
    // Runs with the same lesson can have had another result.
    if runs > 1 {
        parts.push(format!("{passed_runs} of {runs} runs passed"));
    }
    if lesson_reviews > 0 {
        parts.push(format!("helped in {lesson_passes} of {lesson_reviews}"));
    }
    format!("{}.", parts.join("; "))
}

#[cfg(test)]
mod tests;
