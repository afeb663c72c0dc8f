//! An arm that uses the server: it queries, reports the run with its review, and waits until the memory exists.

use std::collections::HashMap;

use anyhow::{Context, ensure};
use reflect_bench_ingest::http::{Answer, Connection};
use reflect_bench_query::server::Server;
use reflect_types::MemoryId;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use super::doubles::ScriptedLessons;
use super::import::{correct_action, guidance};
use crate::arms::{Arm, LIMIT, Question, Review};
use crate::data::Dataset;
use crate::stream::Outcome;

/// The server as an arm, and its expected choices.
pub(super) struct Served<'a> {
    set: &'a Dataset,
    server: &'a Server,
    client: Runtime,
    connection: Connection,
    script: ScriptedLessons,
    /// The memory of each run. Runs that a memory absorbed have its id.
    ids: Vec<MemoryId>,
    numbers: HashMap<MemoryId, usize>,
    retrieval: Value,
    expected: Vec<&'a [usize]>,
    /// The expected lesson of each memory.
    lessons: &'a [usize],
    asked: usize,
    /// The last answer.
    served: Vec<usize>,
    /// Whether the last run was absorbed.
    is_absorbed: bool,
}

impl<'a> Served<'a> {
    pub(super) fn new(
        set: &'a Dataset,
        server: &'a Server,
        client: Runtime,
        script: ScriptedLessons,
        imported: Vec<MemoryId>,
        (expected, lessons): (&'a Outcome, &'a [usize]),
    ) -> anyhow::Result<Self> {
        let connection = client.block_on(Connection::open(&server.address))?;
        let runs = expected.stream.iter().chain(&expected.held_out);
        Ok(Self {
            set,
            server,
            client,
            connection,
            script,
            numbers: imported.iter().copied().zip(0..).collect(),
            ids: imported,
            retrieval: Value::Null,
            expected: runs.map(|run| run.shown.as_slice()).collect(),
            lessons,
            asked: 0,
            served: Vec::new(),
            is_absorbed: false,
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
        // Its lesson speaks with the words of the founder. Words of a reviewer come before those of a model.
        let text = guidance(&self.set.tools[advice], self.lessons[number]);
        ensure!(
            memory["guidance"].as_str().is_some_and(|said| said.ends_with(&text)),
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

    /// The memories that the last receipt counts as received, in the order of their numbers.
    fn selected(&mut self) -> anyhow::Result<Vec<usize>> {
        let id = self.retrieval.as_str().context("an answer without a receipt")?.to_owned();
        let receipt = self.get(&format!("/retrievals/{id}"))?;
        let lines = receipt["considered"].as_array().context("a receipt without candidates")?;
        let mut selected = Vec::new();
        for line in lines.iter().filter(|line| line["fate"] == "served" || line["fate"] == "samelesson") {
            let id: MemoryId = serde_json::from_value(line["memory_id"].clone())?;
            selected.push(*self.numbers.get(&id).with_context(|| format!("{id} is no memory of this run"))?);
        }
        selected.sort_unstable();
        Ok(selected)
    }

    /// Compares an answer with what the functions select: the memories, the lessons in their order, and their support.
    fn check(&mut self, memories: &[Value], expected: &[usize]) -> anyhow::Result<()> {
        let (asked, selected) = (self.asked, self.selected()?);
        let mut wanted = expected.to_vec();
        wanted.sort_unstable();
        wanted.dedup();
        ensure!(
            wanted == selected,
            "decision {asked}: the functions select {wanted:?}, the server selects {selected:?}"
        );
        let mut firsts: Vec<usize> = Vec::new();
        for memory in expected {
            if firsts.iter().all(|first| self.lessons[*first] != self.lessons[*memory]) {
                firsts.push(*memory);
            }
        }
        let scores: Vec<&Value> = memories.iter().map(|memory| &memory["score"]).collect();
        ensure!(
            firsts == self.served,
            "decision {asked}: the functions serve {firsts:?}, the server serves {:?} with scores {scores:?}",
            self.served
        );
        for (memory, first) in memories.iter().zip(&firsts) {
            let votes = expected.iter().filter(|one| self.lessons[**one] == self.lessons[*first]).count();
            let support = json!({ "situations": votes, "of": expected.len() });
            ensure!(
                memory["support"] == support,
                "decision {asked}: memory {first} has the support {}, not {support}",
                memory["support"]
            );
        }
        Ok(())
    }
}

impl Arm for Served<'_> {
    fn choose(&mut self, question: &Question<'_>) -> anyhow::Result<Vec<usize>> {
        let body =
            json!({ "task": self.set.texts[question.query], "limit": LIMIT, "similarity_threshold": -1.0 });
        let answer = self.post("/memory/query", &body)?;
        let memories = answer.as_array().context("not a list of memories")?;
        self.retrieval = memories.first().map_or(Value::Null, |memory| memory["retrieval_id"].clone());
        let served: anyhow::Result<Vec<usize>> =
            memories.iter().map(|memory| self.number(memory, question)).collect();
        self.served = served?;
        let expected = *self.expected.get(self.asked).context("more was asked than expected")?;
        self.check(memories, expected)?;
        self.asked += 1;
        Ok(expected.to_vec())
    }

    fn learn(&mut self, review: &Review<'_>) -> anyhow::Result<()> {
        let followed = self.served.iter().filter(|memory| review.followed(**memory));
        let used: Vec<MemoryId> = followed.map(|memory| self.ids[*memory]).collect();
        let tool = &self.set.tools[review.lesson];
        let advice = guidance(tool, self.ids.len());
        let mut lesson = json!({
            "summary": advice, "guidance": advice, "key_mistake": "", "correct_action": correct_action(tool),
            "applicable_tools": [tool],
        });
        let result = if review.passed { "pass" } else { "fail" };
        let verdict = if review.passed || review.has_words {
            json!({ "result": result, "reflection": lesson })
        } else {
            // A failure without words: a model writes the lesson.
            lesson["used_memory_ids"] = json!(used);
            self.script.put(lesson);
            json!({ "result": result })
        };
        let (task, action) = (&self.set.texts[review.query], &self.set.tools[review.decision.action]);
        let trace = json!({
            "task": task,
            "trajectory": [
                { "role": "user", "content": task },
                { "role": "assistant", "content": format!("I called the tool {action}.") },
            ],
            "retrieval_id": self.retrieval,
            "used_memory_ids": used,
            "review": verdict,
        });
        let submitted = self.post("/traces", &trace)?;
        let trace_id = submitted["trace_id"].as_str().context("no trace id")?;
        // The response arrives when the run is processed.
        let trace = self.get(&format!("/traces/{trace_id}?wait=9"))?;
        ensure!(trace["ingest_status"] == "completed", "the run did not settle: {trace}");
        let id: MemoryId = serde_json::from_value(trace["created_memory_id"].clone())?;
        self.is_absorbed = self.numbers.contains_key(&id);
        if !self.is_absorbed {
            self.numbers.insert(id, self.ids.len());
        }
        self.ids.push(id);
        Ok(())
    }

    fn add(&mut self, review: &Review<'_>) -> Option<usize> {
        (!self.is_absorbed).then_some(review.lesson)
    }
}

fn read(answer: Answer) -> anyhow::Result<Value> {
    let text = String::from_utf8_lossy(&answer.body);
    ensure!((200..300).contains(&answer.status), "status {}: {text}", answer.status);
    Ok(serde_json::from_str(&text)?)
}
