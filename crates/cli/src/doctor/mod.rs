//! `reflect doctor`: checks the connection, the server and the learning loop, and suggests fixes. It changes nothing
//! without `--fix`.

mod connection;
mod learning;
mod pipeline;
mod repair;
mod report;

use clap::Args;
use reflect_sdk::ReflectClient;

use crate::connection::Connection;
use crate::dev::foreign_package::ForeignPackage;
use crate::failure::{Failure, Kind};
use crate::output::Output;
use crate::spool::{self, SpoolLocation};
use report::{Check, Level, Report, Section};

/// Check the connection, the server and the learning loop, and suggest fixes.
#[derive(Debug, Args)]
pub(crate) struct Doctor {
    #[command(flatten)]
    connection: Connection,
    #[command(flatten)]
    spool: SpoolLocation,
    /// Run only this section or check. Repeatable.
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Apply the fixes that are possible from here, after confirmation.
    #[arg(long)]
    fix: bool,
}

pub(crate) async fn run(arguments: Doctor, output: &Output) -> anyhow::Result<()> {
    let client = match arguments.connection.client() {
        Ok(client) => client,
        Err(error) => {
            let failure = Failure::of(&error);
            let mut check = Check::new(Section::Connection, "key", Level::Fail, failure.message);
            check.fix = failure.fix;
            let found = arguments.connection.find()?;
            return print(&Report::new(found.base_url, found.project, vec![check]), output);
        }
    };
    let report = look(&client, &arguments).await?;
    if !arguments.fix || report.failed + report.warnings == 0 {
        return print(&report, output);
    }
    let mut is_fixed = repair::retry_lessons(&client, &report, output).await?;
    if report.is_broken("spool") && has_orphaned_runs(&arguments) {
        output.prompt.confirm("Send the runs that are stored on this machine?")?;
        spool::send_orphaned_runs(&arguments.connection, &arguments.spool, output).await?;
        is_fixed = true;
    }
    if !is_fixed {
        output.say("None of this can be fixed from here.");
    }
    print(&look(&client, &arguments).await?, output)
}

async fn look(client: &ReflectClient, arguments: &Doctor) -> anyhow::Result<Report> {
    let only = &arguments.only;
    let found = connection::look(client).await;
    let mut checks = found.checks;
    checks.push(unsent_runs(arguments));
    checks.extend(ForeignPackage::find().as_ref().map(python_package));
    let is_reached = checks.iter().all(|check| check.check != "server" || check.level != Level::Fail);
    if is_reached {
        checks.extend(pipeline::look(client, found.diagnosis.as_ref(), found.overview.as_ref()).await);
    }
    if found.diagnosis.is_some() {
        checks.extend(learning::checks(&client.project.loop_health().await?, client.project_id()));
    }
    if !only.is_empty() {
        checks = chosen(checks, only)?;
    }
    Ok(Report::new(client.base_url().to_owned(), client.project_id().to_owned(), checks))
}

/// Runs that are stored on this machine, as `reflect spool status` shows them.
fn unsent_runs(arguments: &Doctor) -> Check {
    let check = |level, message: String| Check::new(Section::Connection, "spool", level, message);
    match spool::spooled_runs(&arguments.connection, &arguments.spool) {
        Ok(found) => match spool::summary(&found) {
            (message, None) => check(Level::Ok, message),
            (message, Some(fix)) => check(Level::Warn, message).fix(fix),
        },
        Err(error) => check(Level::Skip, format!("{error:#}")),
    }
}

/// A package of another product in the active Python environment. There is no such check without it.
fn python_package(foreign: &ForeignPackage) -> Check {
    Check::new(Section::Connection, "python_package", Level::Warn, foreign.message()).fix(foreign.fix())
}

/// Whether the project of this connection has runs that no process will send.
fn has_orphaned_runs(arguments: &Doctor) -> bool {
    let found = spool::spooled_runs(&arguments.connection, &arguments.spool).unwrap_or_default();
    found.iter().any(|spooled| spooled.is_own && spooled.orphaned > 0)
}

/// The selected checks. An unknown name is an error, unless the check could not run.
fn chosen(checks: Vec<Check>, only: &[String]) -> anyhow::Result<Vec<Check>> {
    let section = |name: &str| <Section as clap::ValueEnum>::from_str(name, true).ok();
    let is_selected =
        |check: &Check, name: &str| check.check == *name || section(name) == Some(check.section);
    for name in only {
        let is_known = checks.iter().any(|check| is_selected(check, name)) || section(name).is_some();
        // Without a connection the other checks do not run.
        if !is_known
            && checks.iter().all(|check| check.section != Section::Connection || check.level != Level::Fail)
        {
            let names: Vec<&str> = checks.iter().map(|check| check.check.as_str()).collect();
            let message = format!(
                "there is no check {name:?}; the checks are connection, pipeline, loop, {}",
                names.join(", ")
            );
            return Err(Failure::usage(message).into());
        }
    }
    let is_wanted = |check: &Check| {
        only.iter().any(|name| is_selected(check, name))
            || (check.section == Section::Connection && check.level == Level::Fail)
    };
    Ok(checks.into_iter().filter(is_wanted).collect())
}

/// Prints the report. A failed check is exit code 7.
fn print(report: &Report, output: &Output) -> anyhow::Result<()> {
    output.item("doctor/1", report, || report.text(output.terminal.colour_out, output.terminal.width()))?;
    if report.failed == 0 {
        return Ok(());
    }
    Err(Failure::new(Kind::Check, "check_failed", report.conclusion()).into())
}
