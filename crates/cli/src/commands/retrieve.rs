//! `reflect retrieve`: which memories an agent would get for a task, and why.

use std::collections::HashMap;

use clap::Args;
use reflect_api::{Memory, Retrieval};
use reflect_sdk::{MemoryQuery, Recalled, ReflectClient};
use reflect_types::{Fate, MemoryId};
use serde_json::{Value, json};

use crate::connection::Connection;
use crate::failure::Failure;
use crate::output::{Output, Table};

/// Show which memories an agent would get for a task.
#[derive(Debug, Args)]
pub(crate) struct Retrieve {
    #[command(flatten)]
    connection: Connection,
    /// The task.
    task: String,
    /// Also show memories that were considered and not returned, and why.
    #[arg(long)]
    explain: bool,
    /// The weight of utility against similarity: 0 is only similarity, 1 is only utility.
    #[arg(long, value_name = "0..1")]
    lambda: Option<f32>,
    /// The maximum number of memories.
    #[arg(long)]
    limit: Option<usize>,
    /// The minimum similarity, -1 to 1.
    #[arg(long)]
    threshold: Option<f32>,
}

const SUPPORT: &str =
    "SUPPORT: how many of the closest situations have this lesson. PASSED: how many of its runs passed.";

/// How many memories that were not returned are shown.
const MAX_EXPLAINED: usize = 20;

pub(crate) async fn run(arguments: Retrieve, output: &Output) -> anyhow::Result<()> {
    if arguments.task.trim().is_empty() {
        return Err(Failure::usage("the task must not be empty").into());
    }
    let client = arguments.connection.client()?;
    let mut query = MemoryQuery::new(&arguments.task);
    query = arguments.lambda.into_iter().fold(query, MemoryQuery::utility_weight);
    query = arguments.limit.into_iter().fold(query, MemoryQuery::limit);
    query = arguments.threshold.into_iter().fold(query, MemoryQuery::similarity_threshold);
    let found = client.memories.query(query).await?;
    if let Some(why) = &found.degraded {
        output.warn(&format!("memories were searched by words only: {why}"));
    }
    let receipt = match found.retrieval_id.filter(|_| arguments.explain) {
        Some(id) => Some(client.memories.retrieval(id).await?),
        None => None,
    };
    if output.is_json() {
        let item = json!({
            "memories": found.memories,
            "retrieval_id": found.retrieval_id,
            "degraded": found.degraded,
            "considered": receipt.as_ref().map(|receipt| &receipt.considered),
            "parameters": receipt.as_ref().map(|receipt| &receipt.parameters),
        });
        return output.item("memory.retrieve/1", &item, String::new);
    }
    let mut table = served(&found);
    if let Some(receipt) = &receipt {
        left_out(&client, &found, receipt, &mut table).await;
    }
    output.table(table)?;
    if let Some(meaning) = receipt.as_ref().and_then(|receipt| meaning(&receipt.parameters)) {
        output.say(&meaning);
        output.say(SUPPORT);
    }
    match found.memories.first() {
        Some(first) => output.next(&format!("reflect memories get {}", first.id)),
        None if !arguments.explain => output.next("reflect retrieve … --explain"),
        None => {}
    }
    Ok(())
}

fn served(found: &Recalled) -> Table {
    let headings = [">#", ">SCORE", ">SIM", ">UTIL", "?>N", "?>SUPPORT", "?>PASSED", "#ID", "~MEMORY"];
    let mut table = Table::new(&headings);
    for (index, memory) in found.memories.iter().enumerate() {
        let lesson = if memory.summary.is_empty() { &memory.reflection } else { &memory.summary };
        table.row(&[
            &(index + 1).to_string(),
            &format!("{:.2}", memory.score),
            &format!("{:.2}", memory.similarity),
            &format!("{:.2}", memory.utility),
            &memory.evidence.to_string(),
            &support(memory),
            &passed(memory),
            &memory.id.to_string(),
            lesson,
        ]);
    }
    table
}

/// `3 of 5`: the closest situations with this lesson, of all that were selected.
fn support(memory: &Memory) -> String {
    memory
        .support
        .as_ref()
        .map_or("-".to_owned(), |support| format!("{} of {}", support.situations, support.of))
}

/// `12 of 14`: the passed runs of its lesson.
fn passed(memory: &Memory) -> String {
    format!("{} of {}", memory.passed_runs, memory.runs)
}

/// Explains how the columns relate.
fn meaning(parameters: &Value) -> Option<String> {
    let weight = parameters["utility_weight"].as_f64()?;
    let utility = match parameters["ranking"].as_str()? {
        "learned" => "the credit, more while N is small",
        _ => "the utility of reviews",
    };
    let score = format!("SCORE = {:.2} x SIM + {weight:.2} x UTIL", 1.0 - weight);
    let from = match parameters["utility_weight_from"].as_str() {
        Some("request") => " The weight is that of --lambda.",
        Some("replay") => " The weight is the one that would have served earlier reviewed runs best.",
        _ => "",
    };
    Some(format!("\n{score}; UTIL, as in `memories list`, is {utility}.{from}"))
}

/// Adds memories that were considered and not returned, with the reason before the text.
async fn left_out(client: &ReflectClient, found: &Recalled, receipt: &Retrieval, table: &mut Table) {
    let given: HashMap<MemoryId, ()> = found.memory_ids().map(|id| (id, ())).collect();
    let others = receipt.considered.iter().filter(|considered| !given.contains_key(&considered.memory_id));
    for considered in others.take(MAX_EXPLAINED) {
        let memory = client.memories.get(considered.memory_id).await.ok().map(|detail| detail.memory);
        let why = considered.fate.map_or("not returned", Fate::as_str).replace('_', " ");
        let (evidence, text) = memory.map_or(("-".to_owned(), String::new()), |memory| {
            let lesson = if memory.summary.is_empty() { memory.reflection } else { memory.summary };
            (memory.evidence.to_string(), lesson)
        });
        table.row(&[
            "-",
            "-",
            &format!("{:.2}", considered.similarity),
            &format!("{:.2}", considered.utility),
            &evidence,
            "-",
            "-",
            &considered.memory_id.to_string(),
            &format!("({why}) {text}"),
        ]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_score_is_explained_with_the_weights_that_were_used() {
        let learned = meaning(&json!({ "utility_weight": 0.25, "ranking": "learned" })).unwrap();
        assert!(learned.contains("0.75 x SIM + 0.25 x UTIL") && learned.contains("credit"), "{learned}");
        let parameters =
            json!({ "utility_weight": 0.15, "ranking": "learned", "utility_weight_from": "replay" });
        let replayed = meaning(&parameters).unwrap();
        assert!(replayed.contains("earlier reviewed runs"), "{replayed}");
        assert_eq!(meaning(&json!({})), None);
    }
}
