//! The background grouping of memories that existed before lessons held several situations.

use std::time::{Duration, Instant};

use clap::Args;
use reflect_api::LessonGroupingStatus;
use reflect_sdk::ReflectClient;
use reflect_types::GroupingState;

use crate::connection::Connection;
use crate::output::Output;

/// The server stops after 80 seconds; the client then sends the call again, at most twice.
const REVERT_TIMEOUT: Duration = Duration::from_secs(300);
/// How long the call is repeated.
const REVERT_TIME: Duration = Duration::from_secs(3600);

#[derive(Debug, Args)]
pub(crate) struct Project {
    #[command(flatten)]
    connection: Connection,
}

pub(super) async fn status(arguments: Project, output: &Output) -> anyhow::Result<()> {
    show(&arguments.connection.client()?.lessons.grouping().await?, output)
}

pub(super) async fn start(arguments: Project, output: &Output) -> anyhow::Result<()> {
    show(&arguments.connection.client()?.lessons.start_grouping().await?, output)
}

pub(super) async fn revert(arguments: Project, output: &Output) -> anyhow::Result<()> {
    let client = arguments.connection.client()?.with_timeout(REVERT_TIMEOUT);
    output.prompt.confirm(&format!(
        "Undo the grouping of project {}? Changes by people stay, and new runs are not grouped until you run \
         `reflect lessons start`.",
        client.project_id()
    ))?;
    show(&revert_all(&client, output).await?, output)
}

/// Repeats the call while the server needs more time: every call continues where the one before it stopped.
async fn revert_all(client: &ReflectClient, output: &Output) -> anyhow::Result<LessonGroupingStatus> {
    let began = Instant::now();
    loop {
        match client.lessons.revert_grouping().await {
            Err(error) if error.status() == Some(504) && began.elapsed() < REVERT_TIME => {
                output.say("The server needs more time. Continuing.");
            }
            done => return Ok(done?),
        }
    }
}

fn show(status: &LessonGroupingStatus, output: &Output) -> anyhow::Result<()> {
    output.item("lesson.grouping/1", status, || described(status))
}

fn described(status: &LessonGroupingStatus) -> String {
    let (done, total) = (status.done, status.total);
    let state = match status.state {
        GroupingState::Waiting => {
            "not started; a worker starts it within an hour, unless grouping is off".to_owned()
        }
        GroupingState::Running => format!("running, {done} of {total} memories looked at"),
        GroupingState::Done => "done".to_owned(),
        GroupingState::Reverted => "reverted; memories are not grouped".to_owned(),
    };
    format!("Grouping  {state}\nLessons   {} from {} situations\n", status.lessons, status.situations)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_shown_while_it_runs() {
        let mut status = LessonGroupingStatus {
            state: GroupingState::Running,
            done: 500,
            total: 4_385,
            action_id: None,
            lessons: 120,
            situations: 4_385,
        };
        let running = described(&status);
        assert!(running.contains("500 of 4385 memories") && running.contains("120 from 4385"), "{running}");
        status.state = GroupingState::Done;
        assert!(described(&status).starts_with("Grouping  done\n"));
    }
}
