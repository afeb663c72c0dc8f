//! What a run did, in one or two lines. A pure function of the trajectory.

use reflect_store::LearnInput;
use reflection_pipeline::trajectory::{self, StepKind};

use crate::one_line::one_line;

const LONGEST_ANSWER: usize = 300;
const LONGEST_PLAN: usize = 160;
const LONGEST_TOOL: usize = 60;
const MOST_TOOLS: usize = 10;

/// What a run did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct RunSummary {
    /// The tools in the order of first use: "called lookup, then refund". `None` if none was called.
    pub(super) tools: Option<String>,
    /// How the run worked: "called lookup, then refund (3 calls)". `None` if the trajectory is empty.
    pub(super) approach: Option<String>,
    /// What the agent said before its first call.
    pub(super) plan: Option<String>,
    /// The answer, as one line.
    pub(super) answer: Option<String>,
}

impl RunSummary {
    /// Reads a run.
    pub(super) fn of(input: &LearnInput) -> Self {
        let messages = trajectory::messages(&input.trajectory);
        let steps = trajectory::steps(&input.trajectory);
        let calls = steps.iter().filter(|step| step.kind == StepKind::ToolCall).count();
        let said = |step: &&trajectory::TrajectoryStep| step.kind == StepKind::Assistant;
        let text = |step: &trajectory::TrajectoryStep| one_line(&step.text(), LONGEST_ANSWER);
        let given = input.final_response.as_deref().map(|answer| one_line(answer, LONGEST_ANSWER));
        let last = || steps.iter().rev().find(said).map(text);
        let answer =
            given.filter(|answer| !answer.is_empty()).or_else(last).filter(|answer| !answer.is_empty());
        let tools = trajectory::tool_names(&messages);
        let before_calls = steps.iter().take_while(|step| step.kind != StepKind::ToolCall);
        let plan = before_calls.filter(|_| calls > 0).find(said).map(text);
        Self {
            approach: approach(&tools, calls, answer.is_some() && !steps.is_empty()),
            tools: called(&tools),
            plan: plan
                .filter(|plan| !plan.is_empty() && answer.as_ref() != Some(plan))
                .map(|plan| one_line(&plan, LONGEST_PLAN)),
            answer,
        }
    }
}

/// The tools and the number of calls.
fn approach(tools: &[String], calls: usize, answered: bool) -> Option<String> {
    let Some(called) = called(tools) else {
        return answered.then(|| "answered directly, without tools".to_owned());
    };
    let is_more = calls > tools.len().min(MOST_TOOLS + 1);
    Some(if is_more { format!("{called} ({calls} calls)") } else { called })
}

/// The tools in the order of their first use.
fn called(tools: &[String]) -> Option<String> {
    if tools.is_empty() {
        return None;
    }
    let mut named: Vec<String> =
        tools.iter().take(MOST_TOOLS).map(|tool| one_line(tool, LONGEST_TOOL)).collect();
    if tools.len() > MOST_TOOLS {
        named.push(format!("{} more", tools.len() - MOST_TOOLS));
    }
    Some(format!("called {}", named.join(", then ")))
}
