//! The digest of a run: what a reviewer reads first. A pure function.

use reflect_store::{LinkedMemory, TypicalRun};
use reflect_trajectory::{TrajectoryStep, steps};
use reflect_types::text::{served, visible};
use reflect_types::{Alpha, MemoryId, MemoryStatus, StepKind, Utility};
use serde_json::Value;

use super::signals::{Evidence, Signal, is_tool_error, signals};

/// The digest fits a screen without scrolling.
const TASK_LINES: usize = 6;
const TASK_CHARACTERS: usize = 1_000;
const ANSWER_LINES: usize = 20;
const ANSWER_CHARACTERS: usize = 4_000;
const TITLE_CHARACTERS: usize = 120;
const SUMMARY_CHARACTERS: usize = 240;
/// The kinds of steps, in the order in which they are listed.
const KINDS: [&str; 7] = ["system", "user", "assistant", "reasoning", "tool_call", "tool_result", "other"];
/// Of more steps than this, the first and the last half are listed.
const STEPS_LISTED: usize = 60;
const MEMORIES_LISTED: usize = 20;

/// A text, perhaps cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clamped {
    /// Its beginning.
    pub text: String,
    /// Whether there is more.
    pub is_cut: bool,
}

/// One step in one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepLine {
    /// Its number, from 1. The steps are those of the replay, which counts from 0.
    pub step: usize,
    /// The number of its message, from 1.
    pub message: usize,
    /// Its kind, one of the seven words of the API.
    pub kind: &'static str,
    /// What happened, in one line.
    pub title: String,
    /// Whether it reports a failure.
    pub failed: bool,
}

/// The steps of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Steps {
    /// How many there are.
    pub total: usize,
    /// How many of each kind; kinds that do not occur are left out.
    pub by_kind: Vec<(&'static str, usize)>,
    /// The first and the last of them.
    pub listed: Vec<StepLine>,
}

/// A memory that the run had, and the effect of a verdict on it.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryEffect {
    /// The memory.
    pub memory_id: MemoryId,
    /// The lesson in one line.
    pub summary: String,
    /// Whether it may be served.
    pub status: MemoryStatus,
    /// Its utility now.
    pub utility: f32,
    /// Its utility if the run passes.
    pub after_pass: f32,
    /// Its utility if the run fails.
    pub after_fail: f32,
    /// The number of reviews of its credit.
    pub evidence: i32,
}

/// The digest of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Digest {
    /// What the agent was asked to do.
    pub task: Clamped,
    /// What it answered.
    pub answer: Clamped,
    /// What it did; none when the trajectory is too large to be read for this.
    pub steps: Option<Steps>,
    /// Signals that need no understanding of the run.
    pub signals: Vec<Signal>,
    /// The memories it had.
    pub memories: Vec<MemoryEffect>,
}

/// The input of a digest.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// What the agent was asked to do.
    pub task: &'a str,
    /// The messages as a JSON array; none when they were not read.
    pub trajectory: Option<&'a str>,
    /// The agent's answer.
    pub answer: Option<&'a str>,
    /// As sent.
    pub metadata: &'a Value,
    /// The memories it had.
    pub linked: &'a [MemoryId],
    /// What is known of memories, at least of those.
    pub memories: &'a [LinkedMemory],
    /// Whether its retrieval searched by text only.
    pub degraded: bool,
    /// What is usual in the project.
    pub usual: TypicalRun,
}

/// The digest of a run, in any format of its trajectory.
pub fn digest(run: &Subject<'_>) -> Digest {
    let steps = run.trajectory.map(steps);
    let evidence = Evidence {
        steps: steps.as_deref(),
        answer: run.answer,
        metadata: run.metadata,
        degraded: run.degraded,
        usual: run.usual,
    };
    Digest {
        task: clamped(run.task, TASK_LINES, TASK_CHARACTERS),
        answer: clamped(run.answer.unwrap_or_default(), ANSWER_LINES, ANSWER_CHARACTERS),
        signals: signals(&evidence),
        steps: steps.map(|steps| listed(&steps)),
        memories: effects(run.linked, run.memories),
    }
}

fn listed(steps: &[TrajectoryStep]) -> Steps {
    let count = |kind| steps.iter().filter(|step| word(step.kind) == kind).count();
    let by_kind = KINDS.into_iter().map(|kind| (kind, count(kind))).filter(|(_, count)| *count > 0);
    let last = steps.len().saturating_sub(STEPS_LISTED / 2);
    let is_listed = |at: usize| steps.len() <= STEPS_LISTED || at < STEPS_LISTED / 2 || at >= last;
    let lines = steps.iter().enumerate().filter(|(at, _)| is_listed(*at)).map(|(at, step)| StepLine {
        step: at + 1,
        message: step.message + 1,
        kind: word(step.kind),
        title: title(step),
        failed: step.failed || is_tool_error(step),
    });
    Steps { total: steps.len(), by_kind: by_kind.collect(), listed: lines.collect() }
}

/// The contract of the digest has one word for errors, pasted memories and notes.
const fn word(kind: StepKind) -> &'static str {
    match kind {
        StepKind::System => KINDS[0],
        StepKind::User => KINDS[1],
        StepKind::Assistant => KINDS[2],
        StepKind::Reasoning => KINDS[3],
        StepKind::ToolCall => KINDS[4],
        StepKind::ToolResult => KINDS[5],
        StepKind::Error | StepKind::Memory | StepKind::Note => KINDS[6],
    }
}

/// What happened, in one line.
fn title(step: &TrajectoryStep) -> String {
    let text = step.text();
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let title = match (step.kind, &step.tool) {
        (StepKind::ToolCall, Some(tool)) => format!("{tool} {line}"),
        (StepKind::ToolResult, Some(tool)) => format!("{tool}: {line}"),
        _ => line.to_owned(),
    };
    let title = visible(&title).replace(['\n', '\t'], " ");
    cut(title.trim(), TITLE_CHARACTERS).text
}

fn effects(linked: &[MemoryId], memories: &[LinkedMemory]) -> Vec<MemoryEffect> {
    let mut effects: Vec<MemoryEffect> = Vec::new();
    for id in linked {
        let Some(memory) = memories.iter().find(|memory| memory.standing.memory_id == *id) else { continue };
        if effects.len() == MEMORIES_LISTED || effects.iter().any(|effect| effect.memory_id == *id) {
            continue;
        }
        let (utility, alpha) = (Utility::stored(memory.q), Alpha::DEFAULT.get());
        let lesson = if memory.summary.trim().is_empty() { &memory.reflection } else { &memory.summary };
        let line = lesson.split_whitespace().collect::<Vec<_>>().join(" ");
        effects.push(MemoryEffect {
            memory_id: *id,
            summary: cut(&served(&line), SUMMARY_CHARACTERS).text,
            status: memory.status,
            utility: utility.get(),
            after_pass: utility.after(1.0, alpha).get(),
            after_fail: utility.after(0.0, alpha).get(),
            evidence: memory.standing.evidence,
        });
    }
    effects
}

fn clamped(text: &str, lines: usize, characters: usize) -> Clamped {
    let text = text.trim();
    let end = text.match_indices('\n').nth(lines - 1).map_or(text.len(), |(at, _)| at);
    let clamped = cut(text[..end].trim_end(), characters);
    Clamped { is_cut: clamped.is_cut || end < text.len(), ..clamped }
}

fn cut(text: &str, characters: usize) -> Clamped {
    match text.char_indices().nth(characters) {
        None => Clamped { text: text.to_owned(), is_cut: false },
        Some(_) => {
            let kept: String = text.chars().take(characters - 1).collect();
            Clamped { text: format!("{}…", kept.trim_end()), is_cut: true }
        }
    }
}

#[cfg(test)]
mod tests;
