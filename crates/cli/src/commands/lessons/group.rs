//! Changes of the grouping by people. All of them can be undone.

use clap::Args;
use reflect_api::{GroupLessons, LessonAnswer, SplitLesson};
use reflect_types::{LessonId, MemoryId};

use super::list::one_line;
use crate::arguments::ids::{IdArgument, id};
use crate::arguments::resolve::resolve_all;
use crate::commands::memories::show_changes;
use crate::connection::Connection;
use crate::output::{Output, plain_line};

#[derive(Debug, Args)]
pub(crate) struct Group {
    #[command(flatten)]
    connection: Connection,
    /// The id of the lesson whose text is kept.
    #[arg(value_parser = id::<LessonId>)]
    into: IdArgument<LessonId>,
    /// The ids of the lessons that become part of it.
    #[arg(required = true, value_name = "LESSON", value_parser = id::<LessonId>)]
    lessons: Vec<IdArgument<LessonId>>,
}

#[derive(Debug, Args)]
pub(crate) struct Split {
    #[command(flatten)]
    connection: Connection,
    /// The id of the lesson.
    #[arg(value_parser = id::<LessonId>)]
    lesson: IdArgument<LessonId>,
    /// The ids of the situations that become a lesson of their own.
    #[arg(required = true, value_name = "MEMORY", value_parser = id::<MemoryId>)]
    memories: Vec<IdArgument<MemoryId>>,
}

#[derive(Debug, Args)]
pub(crate) struct Move {
    #[command(flatten)]
    connection: Connection,
    /// The id of the situation.
    #[arg(value_parser = id::<MemoryId>)]
    memory: IdArgument<MemoryId>,
    /// The id of the lesson that it becomes part of.
    #[arg(value_parser = id::<LessonId>)]
    lesson: IdArgument<LessonId>,
}

pub(super) async fn group(arguments: Group, output: &Output) -> anyhow::Result<()> {
    let client = arguments.connection.client()?;
    let request = GroupLessons {
        into: arguments.into.resolve(&client).await?,
        lesson_ids: resolve_all(arguments.lessons, &client).await?,
    };
    show("lesson.group/1", "Grouped", &client.lessons.group(&request).await?, output)
}

pub(super) async fn split(arguments: Split, output: &Output) -> anyhow::Result<()> {
    let client = arguments.connection.client()?;
    let lesson = arguments.lesson.resolve(&client).await?;
    let request = SplitLesson { memory_ids: resolve_all(arguments.memories, &client).await? };
    show("lesson.split/1", "Split off", &client.lessons.split(lesson, &request).await?, output)
}

pub(super) async fn move_situation(arguments: Move, output: &Output) -> anyhow::Result<()> {
    let client = arguments.connection.client()?;
    let memory = arguments.memory.resolve(&client).await?;
    let lesson = arguments.lesson.resolve(&client).await?;
    show_changes("lesson.move/1", &[client.lessons.move_situation(memory, lesson).await?], output)
}

/// Shows the lesson after the change, and the command that undoes it.
fn show(schema: &str, done: &str, answer: &LessonAnswer, output: &Output) -> anyhow::Result<()> {
    let lesson = &answer.lesson;
    output.item(schema, answer, || {
        let done = if answer.action_id.is_some() { done } else { "Nothing changed" };
        let text = plain_line(one_line(lesson));
        format!("{done}. Lesson {}, situations: {}\n  {text}", lesson.id, lesson.situations)
    })?;
    if let Some(action) = answer.action_id {
        output.next(&format!("reflect actions undo {action}"));
    }
    Ok(())
}
