//! Steps of a trace.

use reflect_api::{Part, Step};
use reflect_engine::steps::{Shown, StepPart, TrajectoryStep, shown};

/// One step. `first_part` is the number of its first part within the trace.
pub(crate) fn step(n: usize, step: &TrajectoryStep, first_part: usize) -> Step {
    Step {
        n,
        message: step.message,
        kind: step.kind,
        title: step.title.clone(),
        parts: step
            .parts
            .iter()
            .enumerate()
            .map(|(index, part)| self::part(first_part + index, part))
            .collect(),
        call_id: step.call_id.clone(),
        tool: step.tool.clone(),
        failed: step.failed,
        at: step.at,
        duration_ms: step.duration_ms,
        tokens: step.tokens,
    }
}

fn part(n: usize, part: &StepPart) -> Part {
    let (text, head, tail) = match shown(&part.text) {
        Shown::Whole(text) => (Some(text.to_owned()), None, None),
        Shown::Ends(head, tail) => (None, Some(head.to_owned()), Some(tail.to_owned())),
    };
    Part {
        n,
        form: part.form,
        label: part.label.map(str::to_owned),
        media_type: part.media_type.clone(),
        size: part.text.len(),
        text,
        head,
        tail,
    }
}
