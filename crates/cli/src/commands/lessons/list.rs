//! `reflect lessons list` and `get`.

use clap::Args;
use reflect_api::{LessonDetail, ListLessons, StoredLesson, StoredMemory};
use reflect_types::LessonId;

use crate::arguments::ids::{IdArgument, id};
use crate::arguments::length::Length;
use crate::commands::memories::Sort;
use crate::connection::Connection;
use crate::output::{Output, Table, age, indented};

/// List lessons.
#[derive(Debug, Args)]
pub(crate) struct List {
    #[command(flatten)]
    connection: Connection,
    /// A filter of situations, as in `memories list`. A lesson is listed if one of its situations matches.
    #[arg(long, default_value = "")]
    filter: String,
    /// The order.
    #[arg(long, value_enum, default_value_t = Sort::Newest)]
    sort: Sort,
    #[command(flatten)]
    length: Length,
    /// Show only these fields, separated by commas, such as id,summary,situations.
    #[arg(long, value_name = "FIELDS")]
    fields: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct One {
    #[command(flatten)]
    connection: Connection,
    /// The id of the lesson.
    #[arg(value_parser = id::<LessonId>)]
    lesson: IdArgument<LessonId>,
}

pub(super) async fn run(arguments: List, output: &Output) -> anyhow::Result<()> {
    let sort = Some(arguments.sort.wire());
    let mut request = ListLessons { q: Some(arguments.filter), sort, limit: None, cursor: None };
    let client = arguments.connection.client()?;
    let fetch = async |limit, cursor| {
        (request.limit, request.cursor) = (Some(limit), cursor);
        client.lessons.page(&request).await
    };
    let (lessons, rest) = arguments.length.pages(fetch).await?;
    let output = output.with_fields(arguments.fields.as_deref());
    output.list("lesson.list/1", &lessons, rest.as_deref(), || table(&lessons))?;
    if rest.is_some() && !output.is_json() {
        output.say("There are more lessons. Use --limit or --all to see them.");
    }
    if let Some(first) = lessons.first() {
        output.next(&format!("reflect lessons get {}", first.id));
    }
    Ok(())
}

pub(super) async fn get(arguments: One, output: &Output) -> anyhow::Result<()> {
    let client = arguments.connection.client()?;
    let detail = client.lessons.get(arguments.lesson.resolve(&client).await?).await?;
    let (width, colour) = (output.terminal.width(), output.terminal.colour_out);
    output.item("lesson.get/1", &detail, || described(&detail, width, colour))?;
    if let Some(first) = detail.memories.first() {
        output.next(&format!("reflect memories get {}", first.id));
    }
    Ok(())
}

fn table(lessons: &[StoredLesson]) -> Table {
    let headings = ["#ID", "?>AGE", "STATUS", ">SITUATIONS", "?>PASSED", "?>CREDIT", "~LESSON"];
    let mut table = Table::new(&headings);
    for lesson in lessons {
        table.row(&[
            &lesson.id.to_string(),
            &age(lesson.created_at),
            if lesson.pinned { "pinned" } else { lesson.status.as_str() },
            &lesson.situations.to_string(),
            &format!("{} of {}", lesson.passed_runs, lesson.runs),
            &credit(lesson),
            one_line(lesson),
        ]);
    }
    table
}

/// The lesson in one line.
pub(super) fn one_line(lesson: &StoredLesson) -> &str {
    if lesson.summary.is_empty() { &lesson.reflection } else { &lesson.summary }
}

/// The lowest and the highest credit of its situations.
fn credit(lesson: &StoredLesson) -> String {
    let [low, high] = lesson.credit_range.map(|credit| format!("{credit:.2}"));
    if low == high { low } else { format!("{low} to {high}") }
}

fn described(detail: &LessonDetail, width: Option<u16>, colour: bool) -> String {
    let lesson = &detail.lesson;
    let mut text = format!(
        "Lesson      {}\nStatus      {}{}\nSituations  {} in use, {} superseded, {} repeated another\n\
         Runs        {} of {} passed\nCredit      {}\nUses        {} of {} reviewed runs passed\n\
         Created     {} (version {})\n",
        lesson.id,
        lesson.status,
        if lesson.pinned { ", pinned" } else { "" },
        lesson.situations,
        lesson.superseded,
        lesson.absorbed,
        lesson.passed_runs,
        lesson.runs,
        credit(lesson),
        lesson.passes,
        lesson.reviews,
        lesson.created_at.format("%Y-%m-%d %H:%M UTC"),
        lesson.version,
    );
    let fields = [
        ("Lesson", &lesson.summary),
        ("Next time", &lesson.guidance),
        ("What went wrong", &lesson.key_mistake),
        ("What should have been done", &lesson.correct_action),
    ];
    for (name, value) in fields.iter().filter(|(_, value)| !value.is_empty()) {
        text.push_str(&format!("\n{name}\n{}\n", indented(value, width)));
    }
    if !detail.memories.is_empty() {
        text.push_str(&format!("\n{}\n", situations(&detail.memories).text(width, colour)));
    }
    text
}

fn situations(memories: &[StoredMemory]) -> Table {
    let mut table = Table::new(&["#SITUATION", "STATUS", ">CREDIT", "?>N", "RUN", "~TASK"]);
    for memory in memories {
        let status = if memory.superseded_by.is_some() { "superseded" } else { memory.status.as_str() };
        let result = match memory.success {
            Some(true) => "passed",
            Some(false) => "failed",
            None => "-",
        };
        table.row(&[
            &memory.id.to_string(),
            status,
            &format!("{:.2}", memory.credit),
            &memory.evidence.to_string(),
            result,
            &memory.task,
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use chrono::{DateTime, Utc};
    use serde_json::json;

    use super::*;

    fn lesson(number: u32, age: u64, more: serde_json::Value) -> StoredLesson {
        let created_at: DateTime<Utc> = (SystemTime::now() - Duration::from_secs(age)).into();
        let mut lesson = json!({
            "id": format!("01a1dd7e-3e{number:02}-72ee-8967-c21adbd96373"),
            "speaker_id": format!("01a1dd7e-3e{number:02}-72ee-8967-c21adbd96373"), "status": "active", "task": "t",
            "reflection": "r", "summary": "", "guidance": "", "key_mistake": "", "correct_action": "",
            "applicable_tools": [], "version": 1, "situations": 1, "superseded": 0, "absorbed": 0, "runs": 1,
            "passed_runs": 0, "reviews": 0, "passes": 0, "credit": 0.5, "evidence": 0, "credit_interval": [0.1, 0.9],
            "credit_range": [0.5, 0.5], "pinned": false, "flags": [], "created_at": created_at, "last_used": null,
        });
        lesson.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        serde_json::from_value(lesson).unwrap()
    }

    #[test]
    fn the_table_of_lessons() {
        let lessons = [
            lesson(
                1,
                95,
                json!({ "summary": "Look the price up before you promise a refund", "situations": 12, "runs": 14,
                        "passed_runs": 12, "credit_range": [0.41, 0.784] }),
            ),
            lesson(2, 7_500, json!({ "summary": "Convert dates first", "pinned": true })),
            lesson(3, 400_000, json!({ "reflection": "Without a summary", "status": "disabled" })),
        ];

        insta::assert_snapshot!("lessons_in_a_pipe", table(&lessons).text(None, false));
        insta::assert_snapshot!("lessons_on_a_terminal", table(&lessons).text(Some(100), false));
    }
}
