//! An arm that uses the server: it queries, reports the run with its review, and waits until the memory exists.

use std::collections::HashMap;

use anyhow::{Context, ensure};
use reflect_bench_ingest::http::{Answer, Connection};
use reflect_bench_query::server::Server;
use reflect_types::MemoryId;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use super::doubles::ScriptedLessons;
use super::import::guidance;
use crate::arms::{Arm, LIMIT, Question, Review};
use crate::data::Dataset;
use crate::stream::Outcome;

/// The server as an arm, and its expected choices.
pub(super) struct Served<'a> {
    set: &'a Dataset,
    server: &'a Server,
    client: Runtime,
    connection: Connection,
    lessons: ScriptedLessons,
    ids: Vec<MemoryId>,
    numbers: HashMap<MemoryId, usize>,
    retrieval: Value,
    expected: Vec<&'a [usize]>,
    asked: usize,
}

impl<'a> Served<'a> {
    pub(super) fn new(
        set: &'a Dataset,
        server: &'a Server,
        client: Runtime,
        lessons: ScriptedLessons,
        imported: Vec<MemoryId>,
        expected: &'a Outcome,
    ) -> anyhow::Result<Self> {
        let connection = client.block_on(Connection::open(&server.address))?;
        let runs = expected.stream.iter().chain(&expected.held_out);
        Ok(Self {
            set,
            server,
            client,
            connection,
            lessons,
            numbers: imported.iter().copied().zip(0..).collect(),
            ids: imported,
            retrieval: Value::Null,
            expected: runs.map(|run| run.shown.as_slice()).collect(),
            asked: 0,
        })
    }

    fn post(&mut self, path: &str, body: &Value) -> anyhow::Result<Value> {
        let (path, headers) = (self.server.path(path), self.server.authorization());
        let body = body.to_string();
        read(self.client.block_on(self.connection.post(&path, &headers, body.as_bytes()))?)
    }

    fn get(&mut self, path: &str) -> anyhow::Result<Value> {
        let (path, headers) = (self.server.path(path), self.server.authorization());
        read(self.client.block_on(self.connection.get(&path, &headers))?)
    }

    /// The index of a served memory, after its content was checked.
    fn number(&self, memory: &Value, question: &Question<'_>) -> anyhow::Result<usize> {
        let id: MemoryId = serde_json::from_value(memory["id"].clone())?;
        let number = *self.numbers.get(&id).with_context(|| format!("{id} is no memory of this run"))?;
        let advice = question.bank.advice(number).context("a memory without advice was served")?;
        let text = guidance(&self.set.tools[advice], number);
        ensure!(
            memory["guidance"] == text.as_str(),
            "memory {number} says {}, not {text}",
            memory["guidance"]
        );
        let there: f32 = serde_json::from_value(memory["similarity"].clone())?;
        let here = question.similarities[number];
        ensure!(
            there.to_bits() == here.to_bits(),
            "decision {}: memory {number} is similar by {here} here and by {there} in the database",
            self.asked
        );
        Ok(number)
    }
}

impl Arm for Served<'_> {
    fn choose(&mut self, question: &Question<'_>) -> anyhow::Result<Vec<usize>> {
        let body =
            json!({ "task": self.set.texts[question.query], "limit": LIMIT, "similarity_threshold": -1.0 });
        let answer = self.post("/memory/query", &body)?;
        let memories = answer.as_array().context("not a list of memories")?;
        self.retrieval = memories.first().map_or(Value::Null, |memory| memory["retrieval_id"].clone());
        let shown: anyhow::Result<Vec<usize>> =
            memories.iter().map(|memory| self.number(memory, question)).collect();
        let shown = shown?;
        let expected = self.expected.get(self.asked).context("more was asked than expected")?;
        if *expected != shown {
            let scores: Vec<&Value> = memories.iter().map(|memory| &memory["score"]).collect();
            anyhow::bail!(
                "decision {}: the functions serve {expected:?}, the server serves {shown:?} with scores {scores:?}",
                self.asked
            );
        }
        self.asked += 1;
        Ok(shown)
    }

    fn learn(&mut self, review: &Review<'_>) -> anyhow::Result<()> {
        let followed = review.shown.iter().filter(|memory| review.followed(**memory));
        let used: Vec<MemoryId> = followed.map(|memory| self.ids[*memory]).collect();
        let advice = guidance(&self.set.tools[review.lesson], self.ids.len());
        self.lessons.put(json!({
            "summary": advice, "guidance": advice, "key_mistake": "", "correct_action": "",
            "applicable_tools": [self.set.tools[review.lesson]], "used_memory_ids": used,
        }));
        let (task, action) = (&self.set.texts[review.query], &self.set.tools[review.decision.action]);
        let trace = json!({
            "task": task,
            "trajectory": [
                { "role": "user", "content": task },
                { "role": "assistant", "content": format!("I called the tool {action}.") },
            ],
            "retrieval_id": self.retrieval,
            "review": {
                "result": if review.passed { "pass" } else { "fail" },
                "feedback_text": format!("The tool was {}.", if review.passed { "right" } else { "wrong" }),
            },
        });
        let submitted = self.post("/traces", &trace)?;
        let trace_id = submitted["trace_id"].as_str().context("no trace id")?;
        // The response arrives when the run is processed.
        let trace = self.get(&format!("/traces/{trace_id}?wait=9"))?;
        ensure!(trace["ingest_status"] == "completed", "the run did not settle: {trace}");
        let id: MemoryId = serde_json::from_value(trace["created_memory_id"].clone())?;
        self.numbers.insert(id, self.ids.len());
        self.ids.push(id);
        Ok(())
    }
}

fn read(answer: Answer) -> anyhow::Result<Value> {
    let text = String::from_utf8_lossy(&answer.body);
    ensure!((200..300).contains(&answer.status), "status {}: {text}", answer.status);
    Ok(serde_json::from_str(&text)?)
}
