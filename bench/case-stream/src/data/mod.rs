//! The two public datasets of real queries. A query is a task of the agent, and the intents are its tools.

mod banking;
mod clinc;
mod csv;
#[cfg(test)]
mod tests;

use std::fs;
use std::path::Path;

use anyhow::Context;
use clap::ValueEnum;
use serde::Serialize;

/// One of the two datasets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SetName {
    /// Banking77: customers of a bank, 77 intents that are easily confused.
    Bank,
    /// CLINC150: a general assistant, 150 intents.
    Clinc,
}

impl SetName {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Bank, Self::Clinc];

    /// The name in tables.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Bank => "Bank",
            Self::Clinc => "CLINC",
        }
    }
}

/// A dataset as published.
#[derive(Debug, Clone)]
pub struct Dataset {
    /// Which dataset.
    pub name: SetName,
    /// The queries. Those for training come first.
    pub texts: Vec<String>,
    /// The right tool of each query.
    pub labels: Vec<usize>,
    /// The number of training queries. The rest is the official test set.
    pub train: usize,
    /// The names of the tools.
    pub tools: Vec<String>,
}

impl Dataset {
    /// Reads a dataset from the folder of public data.
    pub fn read(name: SetName, folder: &Path) -> anyhow::Result<Self> {
        match name {
            SetName::Bank => banking::read(&folder.join("banking77")),
            SetName::Clinc => clinc::read(&folder.join("clinc150")),
        }
    }

    /// The name of a tool in words, as the agent reads it.
    pub fn tool_texts(&self) -> Vec<String> {
        self.tools.iter().map(|tool| tool.replace('_', " ").trim().to_owned()).collect()
    }
}

/// A file of a dataset. The error names the missing file and its source.
fn read_file(path: &Path, source: &str) -> anyhow::Result<String> {
    fs::read_to_string(path).with_context(|| {
        format!(
            "{} cannot be read. It comes from {source}; docs/LEARNING.md says where the files lie, \
             and --data names another folder",
            path.display()
        )
    })
}

/// Queries with the indexes of their tools.
fn numbered(rows: Vec<(String, String)>, tools: &[String]) -> anyhow::Result<(Vec<String>, Vec<usize>)> {
    let mut texts = Vec::with_capacity(rows.len());
    let mut labels = Vec::with_capacity(rows.len());
    for (text, intent) in rows {
        let label = tools.iter().position(|tool| *tool == intent);
        labels.push(label.with_context(|| format!("the intent {intent} is not in the list of intents"))?);
        texts.push(text);
    }
    Ok((texts, labels))
}
