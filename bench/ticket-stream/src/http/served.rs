//! An arm that uses the server: it queries, and reports each run with its marked steps and its review. Beside it the
//! product's functions do the same, and every answer is compared.

use std::collections::{BTreeSet, HashMap};

use anyhow::{Context, bail, ensure};
use reflect_bench_ingest::http::{Answer, Connection};
use reflect_bench_query::server::Server;
use reflect_engine::rank::Ranking;
use reflect_types::MemoryId;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use super::Equal;
use super::models::ScriptedLessons;
use crate::arms::{Arm, Author, LIMIT, Parts, Product, Review, Vote};
use crate::environment::{Situation, World};

/// The server as an arm, beside the functions.
pub(super) struct Served<'a> {
    world: &'a World,
    server: &'a Server,
    client: Runtime,
    connection: Connection,
    lessons: ScriptedLessons,
    product: Product,
    numbers: HashMap<MemoryId, usize>,
    ids: HashMap<usize, MemoryId>,
    /// The receipts since the last review, one per step.
    receipts: Vec<String>,
    equal: Equal,
}

/// A line of a receipt.
struct Line {
    memory: usize,
    similarity: f32,
    utility: f32,
    selected: bool,
}

impl<'a> Served<'a> {
    pub(super) fn new(
        world: &'a World,
        server: &'a Server,
        client: Runtime,
        lessons: ScriptedLessons,
    ) -> anyhow::Result<Self> {
        let connection = client.block_on(Connection::open(&server.address))?;
        Ok(Self {
            world,
            server,
            client,
            connection,
            lessons,
            product: Product::new(&world.actions, Parts::default()),
            numbers: HashMap::new(),
            ids: HashMap::new(),
            receipts: Vec::new(),
            equal: Equal::default(),
        })
    }

    /// What was compared.
    pub(super) const fn equal(&self) -> Equal {
        self.equal
    }

    fn post(&mut self, path: &str, body: &Value) -> anyhow::Result<Answer> {
        let (path, headers) = (self.server.path(path), self.server.authorization());
        let body = body.to_string();
        accepted(self.client.block_on(self.connection.post(&path, &headers, body.as_bytes()))?)
    }

    fn get(&mut self, path: &str) -> anyhow::Result<Value> {
        let (path, headers) = (self.server.path(path), self.server.authorization());
        let answer = self.client.block_on(self.connection.get(&path, &headers))?;
        Ok(serde_json::from_slice(&accepted(answer)?.body)?)
    }

    /// Finds out which memories of the server a run added. A run takes each action at most once, so that task and action
    /// tell its memories apart.
    fn match_new(&mut self, trace_id: &str) -> anyhow::Result<()> {
        let path = format!("/memories?source_trace_id={trace_id}&include_same_lesson=true&limit=100");
        let memories = self.get(&path)?;
        for memory in memories.as_array().context("no list of memories")? {
            let id: MemoryId = serde_json::from_value(memory["id"].clone())?;
            let (task, action) = (&memory["task"], &memory["correct_action"]);
            let known = self.world.actions.iter().position(|known| action == known.name.as_str());
            let found = known.zip(task.as_str()).and_then(|(action, task)| self.product.find(task, action));
            let number =
                found.with_context(|| format!("the functions have no memory {action} for {task}"))?;
            self.numbers.insert(id, number);
            self.ids.insert(number, id);
        }
        Ok(())
    }

    /// The candidates of a retrieval.
    fn candidates(&mut self, receipt: &str) -> anyhow::Result<Vec<Line>> {
        let receipt = self.get(&format!("/retrievals/{receipt}"))?;
        let lines = receipt["considered"].as_array().context("a receipt without candidates")?;
        let read = |line: &Value| -> anyhow::Result<Line> {
            let id: MemoryId = serde_json::from_value(line["memory_id"].clone())?;
            Ok(Line {
                memory: *self
                    .numbers
                    .get(&id)
                    .with_context(|| format!("the functions have no memory {id}"))?,
                similarity: serde_json::from_value(line["similarity"].clone())?,
                utility: serde_json::from_value(line["utility"].clone())?,
                selected: line["fate"] == "served" || line["fate"] == "samelesson",
            })
        };
        lines.iter().map(read).collect()
    }

    /// Compares candidates and their values. Returns the candidates in order, and whether others are equally similar.
    fn check(&self, lines: &[Line], similarities: &[f32]) -> anyhow::Result<(Vec<(usize, f32)>, bool)> {
        let asked = self.equal.decisions;
        for Line { memory, similarity, utility, .. } in lines {
            let here = self.product.considered((*memory, similarities[*memory]));
            let value = here.utility(Ranking::Learned);
            ensure!(
                in_receipt(here.similarity) == in_receipt(*similarity)
                    && in_receipt(value) == in_receipt(*utility),
                "decision {asked}: memory {memory} has similarity {} and utility {value} here, \
                 {similarity} and {utility} on the server",
                here.similarity
            );
        }
        let exact = |line: &Line| (line.memory, similarities[line.memory]);
        let mut there: Vec<(usize, f32)> = lines.iter().map(exact).collect();
        there.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        let here = self.product.candidates(similarities);
        let values =
            |candidates: &[(usize, f32)]| candidates.iter().map(|one| one.1.to_bits()).collect::<Vec<_>>();
        ensure!(
            values(&here) == values(&there),
            "decision {asked}: the functions consider {here:?}, the server considers {there:?}"
        );
        let exchanged = here != there;
        Ok((there, exchanged))
    }
}

impl Arm for Served<'_> {
    fn choose(&mut self, state: &Situation, taken: &[usize]) -> anyhow::Result<Vec<Vote>> {
        let body = json!({
            "task": state.text, "limit": LIMIT, "similarity_threshold": -1.0, "utility_weight": 0.5,
        });
        let answer = self.post("/memory/query", &body)?;
        let receipt = answer.header("x-retrieval-id").context("an answer without a receipt")?.to_owned();
        let lines = self.candidates(&receipt)?;
        self.receipts.push(receipt);
        let similarities = self.product.similarities(state);
        let (candidates, exchanged) = self.check(&lines, &similarities)?;
        let votes = self.product.select(&candidates, state, taken);
        let here: BTreeSet<usize> = votes.iter().map(|vote| vote.memory).collect();
        let there: BTreeSet<usize> =
            lines.iter().filter(|line| line.selected).map(|line| line.memory).collect();
        let asked = self.equal.decisions;
        ensure!(here == there, "decision {asked}: the functions select {here:?}, the server {there:?}");
        let nearest: BTreeSet<usize> = candidates.iter().take(LIMIT).map(|one| one.0).collect();
        self.equal.decisions += 1;
        self.equal.learned += usize::from(nearest != here);
        self.equal.exchanged += usize::from(exchanged);
        Ok(votes)
    }

    fn learn(&mut self, review: &Review<'_>) -> anyhow::Result<()> {
        let run = review.run;
        let name = |action: usize| self.world.actions[action].name.as_str();
        let mut messages = vec![json!({ "role": "user", "content": run.first().text })];
        for (step, receipt) in run.steps.iter().zip(&self.receipts) {
            let action = name(step.action);
            messages.push(json!({
                "role": "assistant",
                "content": format!("I do {action}."),
                "reflect_step": { "task": step.state.text, "action": action, "retrieval_id": receipt },
            }));
        }
        let verdict = match review.missing {
            None => json!({ "result": "pass" }),
            Some((action, author)) => {
                let end = json!({ "task": run.end.text, "action": "" });
                let content = "The problem is not solved.";
                messages.push(json!({ "role": "assistant", "content": content, "reflect_step": end }));
                let lesson = json!({
                    "summary": "One more step is needed.", "guidance": "One more step is needed.",
                    "key_mistake": "", "correct_action": name(action), "applicable_tools": [],
                });
                if author == Author::Reviewer {
                    json!({ "result": "fail", "reflection": lesson })
                } else {
                    self.lessons.put(lesson);
                    json!({ "result": "fail" })
                }
            }
        };
        let used: Vec<MemoryId> =
            self.product.used(review).iter().filter_map(|memory| self.ids.get(memory).copied()).collect();
        let trace = json!({
            "task": run.first().text, "trajectory": messages, "used_memory_ids": used, "review": verdict,
        });
        let submitted: Value = serde_json::from_slice(&self.post("/traces", &trace)?.body)?;
        let trace_id = submitted["trace_id"].as_str().context("no trace id")?;
        // The response arrives when the run is processed.
        let stored = self.get(&format!("/traces/{trace_id}?wait=9"))?;
        ensure!(stored["ingest_status"] == "completed", "the run did not settle: {stored}");
        self.receipts.clear();
        self.product.learn(review)?;
        self.match_new(trace_id)
    }
}

/// A similarity or a utility as receipts store it.
fn in_receipt(value: f32) -> f32 {
    (value.clamp(-1.0, 1.0) * f32::from(i16::MAX)).round()
}

fn accepted(answer: Answer) -> anyhow::Result<Answer> {
    if !(200..300).contains(&answer.status) {
        bail!("status {}: {}", answer.status, String::from_utf8_lossy(&answer.body));
    }
    Ok(answer)
}
