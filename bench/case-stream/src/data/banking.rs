//! Banking77: two tables and the list of intents.

use std::path::Path;

use anyhow::ensure;

use super::{Dataset, SetName, csv, numbered, read_file};

const SOURCE: &str = "github.com/PolyAI-LDN/task-specific-datasets, folder banking_data";

pub(super) fn read(folder: &Path) -> anyhow::Result<Dataset> {
    let tools: Vec<String> = serde_json::from_str(&read_file(&folder.join("categories.json"), SOURCE)?)?;
    let mut rows = table(&folder.join("train.csv"))?;
    let train = rows.len();
    rows.extend(table(&folder.join("test.csv"))?);
    let (texts, labels) = numbered(rows, &tools)?;
    Ok(Dataset { name: SetName::Bank, texts, labels, train, tools })
}

/// Queries and the names of their intents.
fn table(path: &Path) -> anyhow::Result<Vec<(String, String)>> {
    let mut records = csv::records(&read_file(path, SOURCE)?).into_iter();
    ensure!(
        records.next().is_some_and(|head| head == ["text", "category"]),
        "{} does not begin with text,category",
        path.display()
    );
    records
        .map(|record| match <[String; 2]>::try_from(record) {
            Ok([text, category]) => Ok((text, category)),
            Err(record) => anyhow::bail!("a line of {} has {} fields", path.display(), record.len()),
        })
        .collect()
}
