//! Traces to send: all different, and about as compressible as those of real agents.

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};

/// Words of agent logs. Text with a vocabulary of this size compresses to about a third.
const WORDS: &[&str] = &[
    "order", "customer", "refund", "lookup", "error", "not", "found", "the", "table", "select", "where",
    "id", "returned", "rows", "tool", "call", "result", "status", "pending", "shipped", "address", "update",
    "failed", "retry", "because", "policy", "requires", "approval", "amount", "currency", "EUR", "file",
    "line", "function", "argument", "value", "null", "expected", "string", "number", "deadline", "exceeded",
    "please", "confirm",
];

/// Generates traces. The same seed gives the same traces.
#[derive(Debug)]
pub struct Workload {
    random: SmallRng,
    bytes: usize,
}

impl Workload {
    /// Traces of about this many bytes.
    pub fn new(seed: u64, bytes: usize) -> Self {
        Self { random: SmallRng::seed_from_u64(seed), bytes }
    }

    /// The next trace, as the body of a call.
    pub fn next_trace(&mut self) -> Value {
        let mut messages = vec![json!({ "role": "user", "content": self.text(200) })];
        let mut length = 250;
        while length < self.bytes {
            let size = self.random.random_range(200..1500).min(self.bytes.saturating_sub(length).max(50));
            let role = ["assistant", "tool"][messages.len() % 2];
            messages.push(
                json!({ "role": role, "content": self.text(size), "call_id": self.random.random::<u64>() }),
            );
            length += size + 70;
        }
        json!({
            "task": self.text(80),
            "trajectory": messages,
            "retrieved_memory_ids": [],
            "model": "bench",
            "metadata": { "run": self.random.random::<u32>() },
        })
    }

    fn text(&mut self, length: usize) -> String {
        let mut text = String::with_capacity(length + 16);
        while text.len() < length {
            if self.random.random_range(0..6) == 0 {
                text.push_str(&self.random.random_range(0..1_000_000_u32).to_string());
            } else {
                text.push_str(WORDS[self.random.random_range(0..WORDS.len())]);
            }
            text.push(' ');
        }
        text
    }
}
