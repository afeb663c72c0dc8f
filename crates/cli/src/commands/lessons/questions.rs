//! Contradictions that evidence cannot decide, as questions to a person.

use clap::Args;
use reflect_api::{LessonQuestion, LessonQuestionSide, ListQuestions};
use reflect_types::QuestionAnswer;
use uuid::Uuid;

use crate::connection::Connection;
use crate::output::{Output, Table, age, indented};

#[derive(Debug, Args)]
pub(crate) struct Questions {
    #[command(flatten)]
    connection: Connection,
    /// List answered questions instead of open ones.
    #[arg(long)]
    answered: bool,
    /// The maximum number of questions.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=100))]
    limit: u32,
    /// The cursor of the next page, from the `next` field of the page before.
    #[arg(long)]
    cursor: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Answer {
    #[command(flatten)]
    connection: Connection,
    /// The id of the question.
    question: Uuid,
    /// `first` or `second`: this one is right, and the other one is no longer served. `both`: both are right. `same`: they
    /// are one lesson.
    answer: QuestionAnswer,
}

pub(super) async fn list(arguments: Questions, output: &Output) -> anyhow::Result<()> {
    let client = arguments.connection.client()?;
    let request = ListQuestions {
        open: Some(!arguments.answered),
        limit: Some(arguments.limit),
        cursor: arguments.cursor,
    };
    let page = client.lessons.questions(&request).await?;
    let next = page.next_cursor.as_deref();
    if output.is_json() {
        return output.list("lesson.questions/1", &page.items, next, || Table::new(&[]));
    }
    let Some(first) = page.items.first() else {
        output.say("Nothing found.");
        return Ok(());
    };
    for question in &page.items {
        output.line(&described(question, output.terminal.width()))?;
    }
    if let Some(next) = next {
        output.say(&format!("There are more questions. Use --cursor {next} to see them."));
    }
    if !arguments.answered {
        output.next(&format!("reflect lessons answer {} first", first.id));
    }
    Ok(())
}

pub(super) async fn answer(arguments: Answer, output: &Output) -> anyhow::Result<()> {
    let client = arguments.connection.client()?;
    let question = client.lessons.answer(arguments.question, arguments.answer).await?;
    output.item("lesson.answer/1", &question, || done(arguments.answer).to_owned())?;
    if let Some(action) = question.action_id {
        output.next(&format!("reflect actions undo {action}"));
    }
    Ok(())
}

const fn done(answer: QuestionAnswer) -> &'static str {
    match answer {
        QuestionAnswer::First => "The first one stays. The second one is no longer served.",
        QuestionAnswer::Second => "The second one stays. The first one is no longer served.",
        QuestionAnswer::Both => "Both stay.",
        QuestionAnswer::Same => "Both are one lesson now.",
    }
}

fn described(question: &LessonQuestion, width: Option<u16>) -> String {
    let answer = question.answer.map(|answer| format!(", answer: {answer}")).unwrap_or_default();
    format!(
        "Question {} ({} old, tasks {:.2} similar{answer})\n{}{}",
        question.id,
        age(question.created_at),
        question.similarity,
        side("First", &question.first, width),
        side("Second", &question.second, width),
    )
}

fn side(name: &str, side: &LessonQuestionSide, width: Option<u16>) -> String {
    let run = side.source_trace_id.map(|id| format!(", run {id}")).unwrap_or_default();
    let text = format!("{}\nTask: {}", side.reflection, side.task);
    format!(
        "{name}: credit {:.2} from {} reviews{run}\n{}\n",
        side.credit,
        side.evidence,
        indented(&text, width)
    )
}
