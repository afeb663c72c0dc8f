//! The example runs of `runs.json`. They are invented, and their metadata says so.

use reflect_sdk::types::MemoryId;
use reflect_sdk::{Message, NewTrace, Recalled, ReviewVerdict};
use reflect_types::ReviewResult;
use serde::Deserialize;
use serde_json::Value;

const RUNS: &str = include_str!("runs.json");

/// One example run.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct ExampleRun {
    /// Runs of one wave are sent together. Each wave can use memories from the waves before.
    pub(super) wave: u8,
    pub(super) task: String,
    /// Tool, arguments, result.
    calls: Vec<(String, Value, String)>,
    answer: String,
    /// Whether the agent used the first memory that it was shown.
    #[serde(default)]
    used: bool,
    result: Option<ReviewResult>,
    feedback: Option<String>,
}

/// All runs, in order.
pub(super) fn all() -> anyhow::Result<Vec<ExampleRun>> {
    Ok(serde_json::from_str(RUNS)?)
}

impl ExampleRun {
    pub(super) fn is_reviewed(&self) -> bool {
        self.result.is_some()
    }

    /// The run as an agent with these memories would send it.
    pub(super) fn trace(&self, recalled: &Recalled) -> NewTrace {
        let mut messages = vec![
            Message::system("You are the support agent of a shop. Look things up before you promise them."),
            Message::user(self.task.as_str()),
        ];
        for (tool, arguments, result) in &self.calls {
            messages.push(Message::tool_call(tool, arguments.clone()));
            messages.push(Message::tool_result(tool, result.as_str()));
        }
        messages.push(Message::assistant(self.answer.as_str()));
        let shown: Vec<MemoryId> = recalled.memory_ids().collect();
        let mut trace = NewTrace::new(self.task.as_str(), messages)
            .model("example-agent")
            .metadata("example", true)
            .metadata("note", "made up, sent by `reflect demo`")
            .used_memory_ids(shown.iter().copied().take(usize::from(self.used)))
            .retrieved_memory_ids(shown);
        if let Some(receipt) = recalled.retrieval_id {
            trace = trace.retrieval_id(receipt);
        }
        match self.verdict() {
            Some(verdict) => trace.review(verdict),
            None => trace,
        }
    }

    fn verdict(&self) -> Option<ReviewVerdict> {
        let verdict = ReviewVerdict::new(self.result?);
        Some(match &self.feedback {
            Some(feedback) => verdict.feedback(feedback),
            None => verdict,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_thirds_are_reviewed_with_both_results_and_the_rest_waits() {
        let runs = all().unwrap();
        let of = |result| runs.iter().filter(|run| run.result == Some(result)).count();

        assert_eq!(runs.len(), 30);
        assert_eq!(runs.iter().filter(|run| run.is_reviewed()).count(), 20);
        assert!(of(ReviewResult::Pass) >= 5 && of(ReviewResult::Fail) >= 5);
        assert!(runs.iter().all(|run| run.is_reviewed() == run.feedback.is_some()));
    }
}
