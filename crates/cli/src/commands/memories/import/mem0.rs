//! Memories of Mem0: what `get_all` returns, or an export of its platform. Both are a list, which may be in `results` or
//! `memories`.

use serde_json::{Map, Value};

use super::candidate::Candidate;
use super::sources::{SourceFile, json_of};
use super::{Format, Items, Unreadable};
use crate::failure::Failure;

/// Fields beside the text that are kept as metadata.
const METADATA: [&str; 7] = ["user_id", "agent_id", "run_id", "actor_id", "role", "categories", "created_at"];

pub(super) fn read(file: &SourceFile) -> anyhow::Result<Items> {
    let json = json_of(file)?;
    let list = ["results", "memories"].iter().find_map(|name| json.get(*name)).unwrap_or(&json);
    let items = list.as_array().ok_or_else(|| {
        Failure::usage(format!("{} has no list of memories", file.name))
            .fix("write the result of `get_all` into the file, or choose another format with --format")
    })?;
    Ok(items.iter().enumerate().map(|(index, item)| candidate(item, index, file)).collect())
}

fn candidate(item: &Value, index: usize, file: &SourceFile) -> Result<Candidate, Unreadable> {
    let text =
        |name: &str| item.get(name).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    let memory = text("memory").or_else(|| text("data")).ok_or_else(|| Unreadable {
        line: None,
        why: format!("item {} has no text in `memory`", index + 1),
    })?;
    let mut metadata = match item.get("metadata") {
        Some(Value::Object(metadata)) => metadata.clone(),
        _ => Map::new(),
    };
    for name in METADATA {
        if let Some(value) = item.get(name).filter(|value| !value.is_null()) {
            metadata.insert(name.to_owned(), value.clone());
        }
    }
    Ok(Candidate {
        file: file.name.clone(),
        item: text("id").map(str::to_owned),
        metadata,
        ..Candidate::of_text(Format::Mem0.importer(), memory, "")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_memory_becomes_a_candidate_with_its_id() {
        let file = SourceFile { name: "mem0.json".into(), text: include_str!("samples/mem0.json").into() };
        let items = read(&file).unwrap();

        let [Ok(first), Ok(second), Err(third)] = items.as_slice() else { panic!("{items:?}") };
        assert_eq!(first.guidance, "Prefers answers in short sentences");
        assert_eq!(first.item.as_deref(), Some("8ad1fbd5-7d7f-4a3c-9d3a-3a3c3f3a7f10"));
        assert_eq!((&first.metadata["user_id"], &first.metadata["topic"]), (&"ana".into(), &"style".into()));
        assert_eq!(second.task, "Deploys to staging need the VPN.");
        assert!(third.why.starts_with("item 3"), "{}", third.why);
    }

    #[test]
    fn a_file_without_a_list_is_refused() {
        for text in ["{}", "5", "nothing"] {
            assert!(read(&SourceFile { name: "x.json".into(), text: text.into() }).is_err(), "{text}");
        }
    }
}
