//! Memories that were pasted into a prompt, set apart from what they were pasted into.

use super::fields::text_part;
use super::{Part, PartForm, Step, StepKind};

const OPENINGS: [&str; 3] = ["<relevant_memories", "<memories", "<memory "];
const CLOSINGS: [&str; 3] = ["</relevant_memories>", "</memories>", "</memory>"];

/// Splits a step whose text holds memories: what stands before, the memories, what stands after.
pub(super) fn apart(step: Step) -> Vec<Step> {
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
    let mut memory = Step::new(StepKind::Memory);
    memory.parts.push(text_part(text[from..to].to_owned()));
    let mut after = Step::new(before.kind);
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

/// Where the memories begin and end.
fn find(part: &Part) -> Option<(usize, usize)> {
    if part.form != PartForm::Text || part.label.is_some() {
        return None;
    }
    let text = &part.text;
    let from = OPENINGS.iter().filter_map(|opening| text.find(opening)).min()?;
    let to = CLOSINGS.iter().filter_map(|closing| Some(text.rfind(closing)? + closing.len())).max()?;
    // A word about memories is no memory.
    (to > from && text[from..to].contains("<memory ")).then_some((from, to))
}
