//! `reflect memories get` and `history`.

use clap::Args;
use reflect_api::{HistoryStep, MemoryDetail};
use reflect_types::MemoryId;

use crate::arguments::ids::{IdArgument, id};
use crate::connection::Connection;
use crate::output::{Output, Table, indented, plain_line};

#[derive(Debug, Args)]
pub(crate) struct One {
    #[command(flatten)]
    connection: Connection,
    /// The id of the memory.
    #[arg(value_name = "MEMORY", value_parser = id::<MemoryId>)]
    memory: IdArgument<MemoryId>,
}

pub(super) async fn get(arguments: One, output: &Output) -> anyhow::Result<()> {
    let client = arguments.connection.client()?;
    let id = arguments.memory.resolve(&client).await?;
    let detail = client.memories.get(id).await?;
    output.item("memory.get/1", &detail, || described(&detail, output.terminal.width()))?;
    output.next(&format!("reflect memories history {id}"));
    Ok(())
}

fn described(detail: &MemoryDetail, width: Option<u16>) -> String {
    let memory = &detail.memory;
    let [low, high] = memory.credit_interval;
    let mut text = format!(
        "Memory    {}\nStatus    {}{}\nUtility   {:.2} after {} reviews, {} passed\nCredit    {:.2} ({low:.2} to {high:.2}) from {} reviews\n",
        memory.id,
        memory.status,
        if memory.pinned { ", pinned" } else { "" },
        memory.utility,
        memory.reviews,
        memory.passes,
        memory.credit,
        memory.evidence,
    );
    text.push_str(&format!(
        "Created   {} ({}, version {})\n",
        memory.created_at.format("%Y-%m-%d %H:%M UTC"),
        memory.origin,
        memory.version
    ));
    if let Some(lesson) = &memory.lesson_id {
        text.push_str(&format!("Lesson    {lesson}\n"));
    }
    if let Some(review) = &memory.superseded_by {
        text.push_str(&format!("Superseded by review {review}\n"));
    }
    if let Some(trace) = &memory.source_trace_id {
        text.push_str(&format!("From      trace {trace}\n"));
    }
    if let Some(from) = &detail.provenance.imported {
        let line = from.line.map(|line| format!(":{line}")).unwrap_or_default();
        let parts = [from.file.as_ref().map(|file| format!("{file}{line}")), from.item.clone()];
        let source = parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
        text.push_str(&plain_line(&format!("Imported  {source} ({})", from.importer)));
        text.push('\n');
    }
    if !memory.flags.is_empty() {
        text.push_str(&format!("Flags     {}\n", plain_line(&memory.flags.join(", "))));
    }
    let fields = [
        ("Task", &memory.task),
        ("Lesson", &memory.summary),
        ("Next time", &memory.guidance),
        ("What went wrong", &memory.key_mistake),
        ("What should have been done", &memory.correct_action),
    ];
    for (name, value) in fields.iter().filter(|(_, value)| !value.is_empty()) {
        text.push_str(&format!("\n{name}\n{}\n", indented(value, width)));
    }
    text
}

pub(super) async fn history(arguments: One, output: &Output) -> anyhow::Result<()> {
    let client = arguments.connection.client()?;
    let history = client.memories.history(arguments.memory.resolve(&client).await?).await?;
    output.list("memory.history/1", &history.steps, None, || table(&history.steps))?;
    if history.left_off > 0 {
        output.say(&format!("{} earlier steps are not shown.", history.left_off));
    }
    Ok(())
}

fn table(steps: &[HistoryStep]) -> Table {
    let mut table = Table::new(&["WHEN", "WHAT", ">UTILITY", "?>CREDIT", "?~BY", "~OF"]);
    for step in steps {
        let (what, by, of) = match (&step.review, &step.care) {
            (Some(review), _) => {
                let withdrawn = if review.withdrawn { " (withdrawn)" } else { "" };
                let of = review.trace_id.map(|id| id.to_string()).unwrap_or_default();
                (format!("{}{withdrawn}", review.result), review.reviewer.clone().unwrap_or_default(), of)
            }
            (None, Some(curation)) => {
                let undone = if curation.undone { " (undone)" } else { "" };
                let of = format!("{}: {} to {}", curation.facet, curation.before, curation.after);
                (format!("{}{undone}", curation.kind), curation.actor.clone(), of)
            }
            (None, None) => Default::default(),
        };
        let credit = step.credit_after.map_or("-".to_owned(), |credit| format!("{credit:.2}"));
        let utility = format!("{:.2} to {:.2}", step.q_before, step.q_after);
        table.row(&[&step.at.format("%Y-%m-%d %H:%M").to_string(), &what, &utility, &credit, &by, &of]);
    }
    table
}
