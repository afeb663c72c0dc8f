//! Steps of a run, and runs as rows.

use reflect_api::{Part, PartForm, Step, StepKind, TraceLine};
use reflect_engine::steps::{self, Shown, shown};

const LONGEST_TASK: usize = 200;

/// One step. `first_part` is the number of its first part within the run.
pub(crate) fn step(n: usize, step: &steps::Step, first_part: usize) -> Step {
    Step {
        n,
        message: step.message,
        kind: step_kind(step.kind),
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

pub(crate) const fn step_kind(kind: steps::StepKind) -> StepKind {
    match kind {
        steps::StepKind::System => StepKind::System,
        steps::StepKind::User => StepKind::User,
        steps::StepKind::Assistant => StepKind::Assistant,
        steps::StepKind::Reasoning => StepKind::Reasoning,
        steps::StepKind::ToolCall => StepKind::ToolCall,
        steps::StepKind::ToolResult => StepKind::ToolResult,
        steps::StepKind::Error => StepKind::Error,
        steps::StepKind::Memory => StepKind::Memory,
        steps::StepKind::Note => StepKind::Note,
    }
}

fn part(n: usize, part: &steps::Part) -> Part {
    let (text, head, tail) = match shown(&part.text) {
        Shown::Whole(text) => (Some(text.to_owned()), None, None),
        Shown::Ends(head, tail) => (None, Some(head.to_owned()), Some(tail.to_owned())),
    };
    Part {
        n,
        form: match part.form {
            steps::PartForm::Text => PartForm::Text,
            steps::PartForm::Json => PartForm::Json,
            steps::PartForm::Media => PartForm::Media,
        },
        label: part.label.map(str::to_owned),
        media_type: part.media_type.clone(),
        size: part.text.len(),
        text,
        head,
        tail,
    }
}

pub(crate) fn trace_line(line: reflect_engine::TraceLine) -> TraceLine {
    let row = line.row;
    let first = row.task.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    TraceLine {
        id: row.trace_id,
        created_at: row.created_at,
        task: first.chars().take(LONGEST_TASK).collect(),
        result: row.result,
        reviewer: row.reviewer,
        review_status: row.review_status,
        ingest_status: row.ingest,
        messages: row.messages,
        errors: line.errors,
        memories: i32::try_from(row.linked.len()).unwrap_or(i32::MAX),
        created_memory_id: row.memory_id,
        model: row.model,
        latency_ms: line.latency_ms,
        tokens: line.tokens,
    }
}
