//! Runs and checks the blocks of one page, in order.
//!
//! The shell, the Python process and the server of a page start when its first block needs them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Result;
use serde_json::Value;

use super::blocks::{self, Plan, Typed};
use super::checked;
use super::page::{Block, Page};
use super::report::Complaint;
use super::session::{self, Environment, Python, Shell};
use super::world::{Programs, Server};
use crate::process::wait_until;

/// How long a background server may take to print its expected output.
const BACKGROUND: Duration = Duration::from_secs(90);

/// The results of the blocks.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) run: usize,
    pub(crate) checked: usize,
    pub(crate) not_run: Vec<(&'static str, String)>,
    pub(crate) complaints: Vec<Complaint>,
}

impl Tally {
    pub(crate) fn blocks(&self) -> usize {
        self.run + self.checked + self.not_run.len()
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.run += other.run;
        self.checked += other.checked;
        self.not_run.extend(other.not_run);
        self.complaints.extend(other.complaints);
    }
}

/// Whether blocks are run, or only checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    Everything,
    CheckOnly,
}

/// What every page needs.
pub(crate) struct Stage<'a> {
    pub(crate) programs: &'a Programs,
    pub(crate) openapi: &'a Value,
    pub(crate) depth: Depth,
    /// A page of the self test has no server.
    pub(crate) with_server: bool,
}

/// A page that is being run.
struct Running<'a> {
    stage: &'a Stage<'a>,
    page: &'a Page,
    folder: PathBuf,
    environment: Environment,
    // Dropped in this order: users of the server before the server.
    python: Option<Python>,
    shell: Option<Shell>,
    server: Option<Server>,
    printed: String,
}

/// Runs the blocks of a page in its own folder.
pub(crate) fn page(stage: &Stage<'_>, page: &Page, folder: &Path) -> Result<Tally> {
    let mut tally = Tally::default();
    let mut running: Option<Running<'_>> = None;
    for block in &page.blocks {
        let plan = match blocks::plan(block) {
            Ok(plan) => plan,
            Err(why) => {
                tally.complaints.push(Complaint::new(&page.path, block.line, why));
                continue;
            }
        };
        match &plan {
            Plan::Shown => {}
            Plan::NotRun(reason) => tally.not_run.push((reason, format!("{}:{}", page.path, block.line))),
            Plan::Json | Plan::Toml | Plan::Yaml | Plan::Http => {
                tally.checked += 1;
                let fault = checked::fault(&plan, &block.text, &stage.programs.python, stage.openapi)?;
                tally.complaints.extend(fault.map(|why| Complaint::new(&page.path, block.line, why)));
            }
            _ => {
                tally.run += 1;
                if stage.depth == Depth::CheckOnly {
                    continue;
                }
                let running = match &mut running {
                    Some(running) => running,
                    None => running.insert(Running::begin(stage, page, folder)?),
                };
                if let Err((offset, why)) = running.block(&plan, block)? {
                    tally.complaints.push(Complaint::new(&page.path, block.line + offset, why));
                    // The following blocks depend on this one and would fail too.
                    break;
                }
            }
        }
    }
    if let (Some(running), false) = (&running, tally.complaints.is_empty())
        && let Some(server) = &running.server
    {
        eprintln!("--- the end of the server's log\n{}", server.log_tail());
    }
    Ok(tally)
}

/// `Ok`, or the line inside the block and the error.
type Outcome = Result<(), (usize, String)>;

impl<'a> Running<'a> {
    fn begin(stage: &'a Stage<'a>, page: &'a Page, folder: &Path) -> Result<Self> {
        let mut environment = stage.programs.environment(folder)?;
        let server = match stage.with_server {
            true => Some(Server::start(stage.programs, &mut environment, folder)?),
            false => None,
        };
        let folder = folder.to_owned();
        std::fs::create_dir_all(folder.join("work"))?;
        let printed = String::new();
        Ok(Self { stage, page, folder, environment, python: None, shell: None, server, printed })
    }

    fn block(&mut self, plan: &Plan, block: &Block) -> Result<Outcome> {
        match plan {
            Plan::Python => self.python(block),
            Plan::Printed if blocks::matches(&block.text, &self.printed) => Ok(Ok(())),
            Plan::Printed => Ok(Err((0, format!("the block before it printed\n{}", self.printed)))),
            Plan::Console { background } => self.console(block, *background),
            Plan::Script => {
                self.typed(&Typed { offset: 0, command: block.text.clone(), shown: String::new() })
            }
            Plan::Sql => self.sql(block),
            _ => Ok(Ok(())),
        }
    }

    fn shell(&mut self) -> Result<&mut Shell> {
        if self.shell.is_none() {
            let started = Shell::start(&self.environment, &self.folder.join("work"), &self.folder)?;
            return Ok(self.shell.insert(started));
        }
        self.shell.as_mut().ok_or_else(|| anyhow::anyhow!("the shell is there"))
    }

    fn python(&mut self, block: &Block) -> Result<Outcome> {
        if self.python.is_none() {
            self.take_exports()?;
            let interpreter = &self.stage.programs.python;
            self.python = Some(Python::start(interpreter, &self.environment, &self.folder.join("work"))?);
        }
        let Some(python) = self.python.as_mut() else { return Ok(Ok(())) };
        Ok(match python.run(&self.page.path, block.line, &block.text) {
            Ok(Ok(printed)) => {
                self.printed = printed;
                Ok(())
            }
            Ok(Err(wrong)) => Err((0, wrong)),
            Err(error) => Err((0, format!("{error:#}"))),
        })
    }

    /// Starts Python from the shell if there is one, so that Python has the variables that the page exported.
    fn take_exports(&mut self) -> Result<()> {
        let Some(shell) = self.shell.as_mut() else { return Ok(()) };
        let (_, exported) = shell.run("env")?;
        let pairs = exported.lines().filter_map(|line| line.split_once('='));
        let ours = pairs.filter(|(name, _)| name.starts_with("REFLECT_") || name.starts_with("OPENAI_"));
        self.environment.extend(ours.map(|(name, value)| (name.to_owned(), value.to_owned())));
        Ok(())
    }

    fn console(&mut self, block: &Block, background: bool) -> Result<Outcome> {
        let typed = match blocks::typed(&block.text) {
            Ok(typed) => typed,
            Err(why) => return Ok(Err((0, why))),
        };
        for typed in typed {
            let outcome = if background { self.behind(&typed)? } else { self.typed(&typed)? };
            if outcome.is_err() {
                return Ok(outcome);
            }
        }
        Ok(Ok(()))
    }

    fn typed(&mut self, typed: &Typed) -> Result<Outcome> {
        let (code, printed) = match self.shell()?.run(&typed.command) {
            Ok(ended) => ended,
            Err(error) => return Ok(Err((typed.offset, format!("`{}`: {error:#}", typed.command)))),
        };
        Ok(if code != "0" {
            Err((typed.offset, format!("`{}` ended with {code}\n{printed}", typed.command.trim_end())))
        } else if !typed.shown.is_empty() && !blocks::matches(&typed.shown, &printed) {
            Err((typed.offset, format!("`{}` printed\n{printed}", typed.command)))
        } else {
            Ok(())
        })
    }

    /// Leaves the command running and returns when it has printed the expected output. Variables of its `export` lines
    /// are set, as a reader would do.
    fn behind(&mut self, typed: &Typed) -> Result<Outcome> {
        let file = self.shell()?.start_behind(&typed.command)?;
        if !wait_until(BACKGROUND, || blocks::matches(&typed.shown, &session::read(&file))) {
            let printed = session::read(&file);
            return Ok(Err((typed.offset, format!("`{}` printed\n{printed}", typed.command))));
        }
        let printed = session::read(&file);
        let exports: Vec<&str> =
            printed.lines().map(str::trim).filter(|line| line.starts_with("export ")).collect();
        self.shell()?.run(&exports.join("\n"))?;
        Ok(Ok(()))
    }

    fn sql(&mut self, block: &Block) -> Result<Outcome> {
        let Some(server) = &self.server else { return Ok(Err((0, "there is no database".to_owned()))) };
        let mut psql = self.stage.programs.psql(&server.database);
        let done = psql.args(["-c", &block.text]).output()?;
        let wrong = String::from_utf8_lossy(&done.stderr).into_owned();
        Ok(if done.status.success() { Ok(()) } else { Err((0, wrong)) })
    }
}
