//! CLINC150: one JSON file. Queries without an intent are skipped.

use std::collections::BTreeSet;
use std::path::Path;

use serde::Deserialize;

use super::{Dataset, SetName, numbered, read_file};

const SOURCE: &str = "github.com/clinc/oos-eval, folder data";

#[derive(Deserialize)]
struct Full {
    train: Vec<(String, String)>,
    val: Vec<(String, String)>,
    test: Vec<(String, String)>,
}

pub(super) fn read(folder: &Path) -> anyhow::Result<Dataset> {
    let full: Full = serde_json::from_str(&read_file(&folder.join("data_full.json"), SOURCE)?)?;
    let intents: BTreeSet<String> = full.train.iter().map(|(_, intent)| intent.clone()).collect();
    let tools: Vec<String> = intents.into_iter().collect();
    let mut rows = full.train;
    rows.extend(full.val);
    let train = rows.len();
    rows.extend(full.test);
    let (texts, labels) = numbered(rows, &tools)?;
    Ok(Dataset { name: SetName::Clinc, texts, labels, train, tools })
}
