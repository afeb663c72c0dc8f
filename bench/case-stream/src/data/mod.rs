//! The two public sets of real queries. An agent's task is a query, and its tools are the set's intents.

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

/// One of the two sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SetName {
    /// Banking77: customers of a bank, 77 intents that are easily confused.
    Bank,
    /// CLINC150: an assistant for everything, 150 intents.
    Clinc,
}

impl SetName {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Bank, Self::Clinc];

    /// As tables write it.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Bank => "Bank",
            Self::Clinc => "CLINC",
        }
    }
}

/// A set as it was published.
#[derive(Debug, Clone)]
pub struct Dataset {
    /// Which one.
    pub name: SetName,
    /// The queries: those for training first.
    pub texts: Vec<String>,
    /// The right tool of each.
    pub labels: Vec<usize>,
    /// How many are for training. The rest is the official test.
    pub train: usize,
    /// The tools' names.
    pub tools: Vec<String>,
}

impl Dataset {
    /// Reads a set out of the folder of public data.
    pub fn read(name: SetName, folder: &Path) -> anyhow::Result<Self> {
        match name {
            SetName::Bank => banking::read(&folder.join("banking77")),
            SetName::Clinc => clinc::read(&folder.join("clinc150")),
        }
    }

    /// What the agent reads of a tool: its name in words.
    pub fn tool_texts(&self) -> Vec<String> {
        self.tools.iter().map(|tool| tool.replace('_', " ").trim().to_owned()).collect()
    }
}

/// A file of a set, or what is missing and where it is to be had.
fn read_file(path: &Path, source: &str) -> anyhow::Result<String> {
    fs::read_to_string(path).with_context(|| {
        format!(
            "{} cannot be read. It comes from {source}; docs/LEARNING.md says where the files lie, \
             and --data names another folder",
            path.display()
        )
    })
}

/// Queries with the names of their intents, as tools by number.
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
