//! `reflect doctor`: looks at the whole loop, from the connection to what is learned, and says what to do about what is
//! wrong. It changes nothing unless it is asked to.

mod connection;
mod learning;
mod mend;
mod pipeline;
mod report;

use clap::Args;
use reflect_sdk::ReflectClient;

use crate::commands::spool::{self, Place};
use crate::connection::Connection;
use crate::failure::{Failure, Kind};
use crate::output::Output;
use report::{Check, Level, Report, Section};

/// Look at the whole loop, and say what to do about what is wrong.
#[derive(Debug, Args)]
pub(crate) struct Doctor {
    #[command(flatten)]
    connection: Connection,
    #[command(flatten)]
    spool: Place,
    /// Only this section, or this check; may be given several times.
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Do what can be done about it, after asking.
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
            return tell(&Report::new(found.base_url, found.project, vec![check]), output);
        }
    };
    let report = look(&client, &arguments).await?;
    if !arguments.fix || report.failed + report.warnings == 0 {
        return tell(&report, output);
    }
    let mut is_mended = mend::retry_lessons(&client, &report, output).await?;
    if report.is_broken("spool") {
        output.confirm("Send the runs that were left behind on this machine?")?;
        spool::send_left_behind(&arguments.connection, &arguments.spool, output).await?;
        is_mended = true;
    }
    if !is_mended {
        output.say("There is nothing that could be mended from here.");
    }
    tell(&look(&client, &arguments).await?, output)
}

async fn look(client: &ReflectClient, arguments: &Doctor) -> anyhow::Result<Report> {
    let only = &arguments.only;
    let found = connection::look(client).await;
    let mut checks = found.checks;
    checks.push(left_behind(arguments));
    let is_reached = checks.iter().all(|check| check.check != "server" || check.level != Level::Fail);
    if is_reached {
        checks.extend(pipeline::look(client, found.diagnosis.as_ref(), found.overview.as_ref()).await);
    }
    if found.diagnosis.is_some() {
        checks.extend(learning::checks(&client.loop_health().await?, client.project_id()));
    }
    if !only.is_empty() {
        checks = chosen(checks, only)?;
    }
    Ok(Report::new(client.base_url().to_owned(), client.project_id().to_owned(), checks))
}

/// Runs of this machine that nobody sends any more.
fn left_behind(arguments: &Doctor) -> Check {
    let check = |level, message: String| Check::new(Section::Connection, "spool", level, message);
    match spool::left_behind(&arguments.connection, &arguments.spool) {
        Ok(0) => check(Level::Ok, "no run was left behind on this machine".to_owned()),
        Ok(runs) => check(
            Level::Warn,
            format!("{runs} runs were left behind on this machine by a process that ended"),
        )
        .fix("reflect spool replay"),
        Err(error) => check(Level::Skip, format!("{error:#}")),
    }
}

/// Those that were asked for. A name that none has is a mistake, unless it could not be looked at.
fn chosen(checks: Vec<Check>, only: &[String]) -> anyhow::Result<Vec<Check>> {
    let section = |name: &str| <Section as clap::ValueEnum>::from_str(name, true).ok();
    let is_meant = |check: &Check, name: &str| check.check == *name || section(name) == Some(check.section);
    for name in only {
        let is_known = checks.iter().any(|check| is_meant(check, name)) || section(name).is_some();
        // A broken connection hides the other checks, and comes out below.
        if !is_known
            && checks.iter().all(|check| check.section != Section::Connection || check.level != Level::Fail)
        {
            let names: Vec<&str> = checks.iter().map(|check| check.check.as_str()).collect();
            let message = format!(
                "there is no check {name:?}; there are connection, pipeline, loop, {}",
                names.join(", ")
            );
            return Err(Failure::usage(message).into());
        }
    }
    let is_wanted = |check: &Check| {
        only.iter().any(|name| is_meant(check, name))
            || (check.section == Section::Connection && check.level == Level::Fail)
    };
    Ok(checks.into_iter().filter(is_wanted).collect())
}

/// Prints the report; something that failed is the exit code 7.
fn tell(report: &Report, output: &Output) -> anyhow::Result<()> {
    output.item("doctor/1", report, || report.text(output.has_colour(), output.width()))?;
    if report.failed == 0 {
        return Ok(());
    }
    Err(Failure::new(Kind::Check, "check_failed", report.conclusion()).into())
}
