//! `reflect spool redirect`: runs that were stored for a wrong address or project get the destination of this connection.

use std::path::Path;

use clap::Args;
use serde_json::json;

use super::SpoolLocation;
use super::destination::Destination;
use super::folder;
use super::survey::{SpooledRuns, survey};
use crate::connection::Connection;
use crate::failure::{Failure, Kind};
use crate::output::{Output, counted};

#[derive(Debug, Args)]
pub(crate) struct Redirect {
    #[command(flatten)]
    connection: Connection,
    #[command(flatten)]
    place: SpoolLocation,
    /// The wrong project. Default: the project of this connection.
    #[arg(long, value_name = "PROJECT")]
    from_project: Option<String>,
    /// The wrong address. Default: the address of this connection.
    #[arg(long, value_name = "URL")]
    from_url: Option<String>,
    /// The folder of an unknown destination, or the first characters of its name.
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["from_project", "from_url"])]
    from_folder: Option<String>,
}

pub(super) fn redirect(arguments: &Redirect, output: &Output) -> anyhow::Result<()> {
    let root = arguments.place.root()?;
    let to = Destination::of(&arguments.connection)?;
    let found = survey(&arguments.connection, &root)?;
    let from = chosen(arguments, &to, &found)?;
    let runs = counted(from.orphaned, "run");
    output.prompt.confirm(&format!("Move {runs} from {} to {to}?", from.label()))?;
    let (moved, files, in_use) = move_runs(&from.folder, &root.join(to.folder()), &to)?;
    let item = json!({
        "runs": moved, "files": files, "files_in_use": in_use, "from": from.destination, "from_folder": from.folder, "to": to,
    });
    output.item("spool.redirect/1", &item, || format!("Moved {} to {to}.", counted(moved, "run")))?;
    if in_use > 0 {
        output.say(&format!("{} in use by a running process and not moved.", counted(in_use, "file")));
    }
    output.next("reflect spool replay");
    Ok(())
}

/// The folder to move runs from. Without flags it is the only other one with runs.
fn chosen<'a>(
    arguments: &Redirect,
    to: &Destination,
    found: &'a [SpooledRuns],
) -> Result<&'a SpooledRuns, Failure> {
    let others: Vec<&SpooledRuns> = found.iter().filter(|one| !one.is_own && one.orphaned > 0).collect();
    let names_one = arguments.from_project.is_some() || arguments.from_url.is_some();
    let matching: Vec<&SpooledRuns> = match &arguments.from_folder {
        Some(prefix) => {
            others.iter().copied().filter(|one| one.name().starts_with(prefix.as_str())).collect()
        }
        None if names_one => {
            let url = arguments.from_url.as_deref().unwrap_or(&to.base_url);
            let project = arguments.from_project.as_deref().unwrap_or(&to.project_id);
            let name = Destination::new(url, project).folder();
            others.iter().copied().filter(|one| one.name() == name).collect()
        }
        None => others.clone(),
    };
    match matching.as_slice() {
        [one] => Ok(one),
        _ if others.is_empty() => {
            Err(Failure::new(Kind::Local, "no_runs", "no runs for another destination are stored here")
                .fix("run `reflect spool status` to see what is stored"))
        }
        // More than one without flags, or none for these flags.
        _ => {
            let labels: Vec<String> = others.iter().map(|one| one.label()).collect();
            let message = format!(
                "choose the runs to move with --from-project, --from-url or --from-folder; stored are runs for {}",
                labels.join("; ")
            );
            Err(Failure::usage(message))
        }
    }
}

/// Moves the files that no process uses. Returns the numbers of moved runs, of moved files and of files in use.
fn move_runs(from: &Path, into: &Path, to: &Destination) -> anyhow::Result<(usize, usize, usize)> {
    let (mut runs, mut files, mut in_use) = (0, 0, 0);
    for segment in folder::segments(from) {
        let segment = segment?;
        if segment.in_use || segment.contents.of_another_version {
            in_use += 1;
            continue;
        }
        folder::create_private(into)?;
        to.write(into)?;
        segment.move_to(into)?;
        runs += segment.contents.waiting.len();
        files += 1;
    }
    Ok((runs, files, in_use))
}
