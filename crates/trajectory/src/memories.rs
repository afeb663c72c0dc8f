//! Memories that were pasted into a prompt: as a step of their own, and by their ids.

use memchr::memmem;
use reflect_types::{MemoryId, PartForm, StepKind};

use crate::fields::text_part;
use crate::step::{StepPart, TrajectoryStep};

/// What every client writes before a memory that it puts into a prompt.
const ID_MARK: &str = "<memory id=";
/// The length of an id in characters.
const ID_LENGTH: usize = 36;
const MOST_IDS: usize = 100;
const OPENINGS: [&str; 3] = ["<relevant_memories", "<memories", "<memory "];
const CLOSINGS: [&str; 3] = ["</relevant_memories>", "</memories>", "</memory>"];

/// Splits a step whose text contains memories: the text before them, the memories, the text after them.
pub(crate) fn apart(step: TrajectoryStep) -> Vec<TrajectoryStep> {
    if !matches!(step.kind, StepKind::System | StepKind::User) {
        return vec![step];
    }
    let Some((index, from, to)) = step.parts.iter().enumerate().find_map(|(index, part)| {
        let (from, to) = find(part)?;
        Some((index, from, to))
    }) else {
        return vec![step];
    };
    let mut before = step;
    let mut rest = before.parts.split_off(index);
    let text = rest.remove(0).text;
    let mut memory = TrajectoryStep::new(StepKind::Memory);
    memory.parts.push(text_part(text[from..to].to_owned()));
    let mut after = TrajectoryStep::new(before.kind);
    for (side, piece) in [(&mut before, &text[..from]), (&mut after, &text[to..])] {
        if !piece.trim().is_empty() {
            side.parts.push(text_part(piece.to_owned()));
        }
    }
    after.parts.extend(rest);
    let mut steps = Vec::new();
    if before.parts.is_empty() {
        (memory.at, memory.duration_ms, memory.tokens) = (before.at, before.duration_ms, before.tokens);
    } else {
        steps.push(before);
    }
    steps.push(memory);
    if !after.parts.is_empty() {
        steps.push(after);
    }
    steps
}

/// Where the memories begin and end in a text.
fn find(part: &StepPart) -> Option<(usize, usize)> {
    if part.form != PartForm::Text || part.label.is_some() {
        return None;
    }
    let text = &part.text;
    let from = OPENINGS.iter().filter_map(|opening| text.find(opening)).min()?;
    let to = CLOSINGS.iter().filter_map(|closing| Some(text.rfind(closing)? + closing.len())).max()?;
    // A text that only mentions the tags has no memories.
    let is_block = |block: &str| {
        block.contains("<memory ") || (block.starts_with("<memories>\n") && block.ends_with("\n</memories>"))
    };
    (to > from && is_block(&text[from..to])).then_some((from, to))
}

/// The ids of the memories in the JSON text of a trajectory, each once, at most 100. Quotes may be escaped any number of
/// times.
///
/// ```
/// use reflect_trajectory::memory_ids;
/// use reflect_types::MemoryId;
///
/// let id = MemoryId::generate();
/// let run = format!(r#"[{{"role":"user","content":"<memory id=\\"{id}\\">"}}]"#);
/// assert_eq!(memory_ids(&run), [id]);
/// ```
pub fn memory_ids(trajectory: &str) -> Vec<MemoryId> {
    let mut found = Vec::new();
    for at in memmem::find_iter(trajectory.as_bytes(), ID_MARK) {
        let rest = trajectory[at + ID_MARK.len()..].trim_start_matches(['\\', '"', '\'']);
        let id = rest.get(..ID_LENGTH).and_then(|id| id.parse().ok());
        found.extend(id.filter(|id| !found.contains(id)));
        if found.len() == MOST_IDS {
            break;
        }
    }
    found
}
