//! Writes the results: figures as JSON, tables as Markdown, learning curves as SVG.

mod plot;
mod tables;

use std::fs;
use std::path::Path;

use anyhow::Context;
use serde_json::{Value, json};

use crate::arms::{FINAL, LESSON_ARMS, MEMRL, RECOMMENDED, SIMILARITY};
use crate::data::SetName;
use crate::environment::REGIMES;
use crate::measure::{FIGURES, Plan, Results};
pub use tables::tables;

/// Writes all files to a folder.
pub fn write(folder: &Path, plan: &Plan, results: &Results) -> anyhow::Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let json = serde_json::to_string_pretty(&as_json(plan, results))?;
    let mut files =
        vec![("case-stream.json".to_owned(), json), ("case-stream.md".to_owned(), tables(results))];
    for set in sets(results) {
        files.push((format!("curves-{}.svg", set.title().to_lowercase()), plot::curves(results, set)));
    }
    for (name, text) in files {
        let path = folder.join(name);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// The differences to MemRL of every measured cell, in one line.
pub fn summary(results: &Results) -> String {
    let of_set = |set: &SetName| {
        let of_regime = |regime: &str| {
            let difference =
                results.difference((*set, regime), RECOMMENDED, MEMRL, |figures| figures.held_out)?;
            Some(format!("{regime} {:+.1}", difference.mean))
        };
        let regimes: Vec<String> = REGIMES.iter().filter_map(|regime| of_regime(regime.name)).collect();
        format!("{} {}", set.title(), regimes.join(", "))
    };
    let sets: Vec<String> = sets(results).iter().map(of_set).collect();
    format!("case-stream: to MemRL {}", sets.join("; "))
}

/// The number of lessons at the end of B, in one line.
pub fn lessons(results: &Results) -> String {
    let of_set = |set: SetName| {
        let (after, before) = (results.cell(set, "B", FINAL)?, results.cell(set, "B", RECOMMENDED)?);
        let (lessons, memories) =
            (after.mean(|figures| figures.lessons), before.mean(|figures| figures.situations));
        Some(format!("{} {lessons:.0} of {memories:.0}", set.title()))
    };
    let sets: Vec<String> = sets(results).into_iter().filter_map(of_set).collect();
    format!("lessons for the memories of B: {}", sets.join(", "))
}

fn sets(results: &Results) -> Vec<SetName> {
    let mut sets: Vec<SetName> = results.cells.iter().map(|cell| cell.set).collect();
    sets.dedup();
    sets
}

fn as_json(plan: &Plan, results: &Results) -> Value {
    let mut differences = Vec::new();
    for set in sets(results) {
        for regime in &plan.regimes {
            let rivals = [SIMILARITY, MEMRL].map(|rival| (RECOMMENDED, rival));
            let lessons = LESSON_ARMS.into_iter().flat_map(|arm| [(arm, RECOMMENDED), (arm, SIMILARITY)]);
            for (one, other) in rivals.into_iter().chain(lessons) {
                for (name, figure) in FIGURES {
                    let interval = results.difference((set, regime.name), one, other, figure);
                    differences.push(json!({
                        "set": set, "regime": regime.name, "one": one, "other": other,
                        "figure": name, "difference": interval,
                    }));
                }
            }
        }
    }
    json!({
        "tasks": plan.sizes.tasks,
        "held_out": plan.sizes.held_out,
        "seeds": plan.seeds,
        "cells": results.cells,
        "differences": differences,
    })
}
