//! `reflect lessons`: lessons, the situations that they hold for, and their grouping.

mod group;
mod grouping;
mod list;
mod questions;

use clap::Subcommand;

use crate::output::Output;

/// List, show, group and split lessons.
#[derive(Debug, Subcommand)]
pub(crate) enum Lessons {
    /// List lessons.
    List(list::List),
    /// Show one lesson and its situations.
    Get(list::One),
    /// Group lessons into one. Each situation keeps its credit.
    Group(group::Group),
    /// Split situations off a lesson. They become a lesson of their own.
    Split(group::Split),
    /// Move a situation to another lesson.
    Move(group::Move),
    /// List pairs of lessons that contradict each other and that only a person can decide.
    Questions(questions::Questions),
    /// Answer a question: which of the two lessons is right.
    Answer(questions::Answer),
    /// Show how far the grouping of older memories has come.
    Status(grouping::Project),
    /// Start the grouping of older memories, or start it again after a revert.
    Start(grouping::Project),
    /// Undo the grouping of older memories and all automatic grouping after it, and turn grouping off.
    Revert(grouping::Project),
}

pub(crate) async fn run(lessons: Lessons, output: &Output) -> anyhow::Result<()> {
    match lessons {
        Lessons::List(arguments) => list::run(arguments, output).await,
        Lessons::Get(arguments) => list::get(arguments, output).await,
        Lessons::Group(arguments) => group::group(arguments, output).await,
        Lessons::Split(arguments) => group::split(arguments, output).await,
        Lessons::Move(arguments) => group::move_situation(arguments, output).await,
        Lessons::Questions(arguments) => questions::list(arguments, output).await,
        Lessons::Answer(arguments) => questions::answer(arguments, output).await,
        Lessons::Status(arguments) => grouping::status(arguments, output).await,
        Lessons::Start(arguments) => grouping::start(arguments, output).await,
        Lessons::Revert(arguments) => grouping::revert(arguments, output).await,
    }
}
