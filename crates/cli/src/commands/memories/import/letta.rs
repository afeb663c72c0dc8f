//! Memories of Letta: an agent file, which has the blocks of its core memory, or a list of passages of its archival memory.
//!
//! A block is a text of several paragraphs or list items. Each becomes a memory of its own.

use serde_json::{Map, Value, json};

use super::candidate::Candidate;
use super::rules::{Rule, rules_of};
use super::sources::{SourceFile, json_of};
use super::{Format, Items, Unreadable};
use crate::failure::Failure;

pub(super) fn read(file: &SourceFile) -> anyhow::Result<Items> {
    let json = json_of(file)?;
    let list = |name: &str| json.get(name).and_then(Value::as_array).cloned();
    // The second format has the blocks of all agents in one list, the first one those of its only agent.
    let blocks = [list("blocks"), list("core_memory")].into_iter().flatten().flatten();
    let mut items: Items = blocks.flat_map(|block| block_items(&block, file)).collect();
    let passages = list("passages").or_else(|| json.as_array().cloned());
    if items.is_empty() && passages.is_none() {
        return Err(Failure::usage(format!("{} has no blocks and no passages", file.name))
            .fix("export the agent as an agent file, or its passages as a list")
            .into());
    }
    for (index, passage) in passages.into_iter().flatten().enumerate() {
        items.push(passage_item(&passage, index, file));
    }
    Ok(items)
}

fn text<'a>(item: &'a Value, name: &str) -> Option<&'a str> {
    item.get(name).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
}

fn block_items(block: &Value, file: &SourceFile) -> Items {
    let label = text(block, "label").unwrap_or("memory");
    let Some(value) = text(block, "value") else { return Vec::new() };
    let rules = rules_of(value).into_iter();
    rules
        .map(|Rule { topic, text: rule, .. }| {
            let topic = if topic.is_empty() { label.to_owned() } else { format!("{label}: {topic}") };
            let mut metadata = Map::new();
            metadata.insert("block".to_owned(), json!(label));
            Ok(Candidate {
                file: file.name.clone(),
                item: text(block, "id").map(str::to_owned),
                metadata,
                ..Candidate::of_text(Format::Letta.importer(), &rule, &topic)
            })
        })
        .collect()
}

fn passage_item(passage: &Value, index: usize, file: &SourceFile) -> Result<Candidate, Unreadable> {
    let why = || Unreadable { line: None, why: format!("passage {} has no text", index + 1) };
    let said = text(passage, "text").ok_or_else(why)?;
    let mut metadata = match passage.get("metadata") {
        Some(Value::Object(metadata)) => metadata.clone(),
        _ => Map::new(),
    };
    if let Some(tags) =
        passage.get("tags").filter(|tags| tags.as_array().is_some_and(|tags| !tags.is_empty()))
    {
        metadata.insert("tags".to_owned(), tags.clone());
    }
    Ok(Candidate {
        file: file.name.clone(),
        item: text(passage, "id").map(str::to_owned),
        metadata,
        ..Candidate::of_text(Format::Letta.importer(), said, "")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(name: &str, text: &str) -> Items {
        read(&SourceFile { name: name.into(), text: text.into() }).unwrap()
    }

    #[test]
    fn blocks_of_both_agent_files_become_candidates() {
        let second = sample("agent.af", include_str!("samples/letta-agent.af"));
        let first = sample("agent.af", include_str!("samples/letta-agent-v1.af"));

        let texts = |items: &Items| {
            let tasks = items.iter().map(|item| item.as_ref().unwrap());
            tasks.map(|item| format!("{} | {}", item.task, item.guidance)).collect::<Vec<_>>()
        };
        let expected = [
            "human: The customer is called Ana. | The customer is called Ana.",
            "human: She wants prices with tax. | She wants prices with tax.",
            "policies: Refunds: Look up the price before a refund. | Look up the price before a refund.",
        ];
        assert_eq!(texts(&second), expected);
        assert_eq!(texts(&first), ["human: Likes tea. | Likes tea."]);
        assert_eq!(second[0].as_ref().unwrap().item.as_deref(), Some("block-0"));
    }

    #[test]
    fn passages_become_candidates_with_their_tags() {
        let items = sample("passages.json", include_str!("samples/letta-passages.json"));

        let [Ok(first), Err(second)] = items.as_slice() else { panic!("{items:?}") };
        assert_eq!(first.guidance, "The staging database is reset on Mondays.");
        assert_eq!(first.metadata["tags"], json!(["staging"]));
        assert!(second.why.starts_with("passage 2"), "{}", second.why);
        assert!(read(&SourceFile { name: "x".into(), text: "{}".into() }).is_err());
    }
}
