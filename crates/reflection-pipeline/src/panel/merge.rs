//! Merges several reflections into one.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::PanelReport;
use crate::error::{chain, total};
use crate::reflector::Analysis;
use crate::result::{Parse, ReflectionResult};

/// Merges one or more results. Fallback results are used only if there are no others.
pub(super) fn merge(report: PanelReport) -> Analysis {
    let metadata = metadata(&report);
    // Failed members may have used tokens as well.
    let paid = report.results.iter().map(|result| result.usage);
    let usage = total(paid.chain(report.failures.iter().map(|failure| failure.error.usage())));
    let all_unread = report.results.iter().all(|result| result.parse.is_fallback());
    let heard = report.results.into_iter().filter(|result| all_unread || !result.parse.is_fallback());
    let heard: Vec<ReflectionResult> = heard.collect();
    let list = |of: fn(&ReflectionResult) -> &Vec<String>| once_each(heard.iter().flat_map(of));
    Analysis {
        key_findings: list(|result| &result.key_findings),
        root_causes: list(|result| &result.root_causes),
        insights: list(|result| &result.insights),
        suggestions: list(|result| &result.suggestions),
        summary: heard.first().map(|first| first.summary.clone()).unwrap_or_default(),
        parse: worst(&heard),
        extra: Map::new(),
        metadata,
        usage,
    }
}

fn metadata(report: &PanelReport) -> Map<String, Value> {
    let names = |of: &dyn Fn(&ReflectionResult) -> bool| {
        let of = report.results.iter().filter(|result| of(result));
        of.map(|result| result.metadata.get("reflector").cloned().unwrap_or_default()).collect::<Vec<_>>()
    };
    let failed = report.failures.iter();
    let failed =
        failed.map(|failure| json!({ "reflector": failure.reflector, "error": chain(&failure.error) }));
    let lists = [
        ("members", names(&|_| true)),
        ("unread", names(&|result| result.parse.is_fallback())),
        ("failed", failed.collect()),
        ("skipped", report.skipped.iter().map(|name| json!(name)).collect()),
    ];
    let lists = lists.into_iter().filter(|(_, list)| !list.is_empty());
    lists.map(|(key, list)| (key.to_owned(), Value::from(list))).collect()
}

/// Removes duplicates, because reflectors often give the same text. Ignores case and whitespace.
fn once_each<'a>(texts: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut seen = HashSet::new();
    let folded = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    texts.filter(|text| seen.insert(folded(text))).cloned().collect()
}

fn worst(heard: &[ReflectionResult]) -> Parse {
    let fallback = heard.iter().find(|result| result.parse.is_fallback());
    let repaired = heard.iter().any(|result| result.parse == Parse::Repaired);
    match (fallback, repaired) {
        (Some(result), _) => result.parse.clone(),
        (None, true) => Parse::Repaired,
        (None, false) => Parse::Clean,
    }
}
