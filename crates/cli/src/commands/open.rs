//! `reflect open`: the console in a browser.

use std::process::{Command, Stdio};

use clap::{Args, ValueEnum};
use serde_json::json;

use crate::connection::Connection;
use crate::environment::variable;
use crate::output::Output;

/// Open the console in a browser.
#[derive(Debug, Args)]
pub(crate) struct Open {
    #[command(flatten)]
    connection: Connection,
    /// The page.
    #[arg(value_enum, default_value_t = Page::Overview)]
    page: Page,
    /// Print the address and do not open it.
    #[arg(long)]
    print: bool,
}

/// A page of the console.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Page {
    Overview,
    Review,
    Traces,
    Memories,
    Retrieve,
    Learning,
    Settings,
}

impl Page {
    const fn path(self) -> &'static str {
        match self {
            Self::Overview => "",
            Self::Review => "review",
            Self::Traces => "traces",
            Self::Memories => "memories",
            Self::Retrieve => "retrieve",
            Self::Learning => "learning",
            Self::Settings => "settings",
        }
    }
}

pub(crate) fn run(arguments: &Open, output: &Output) -> anyhow::Result<()> {
    let found = arguments.connection.find()?;
    let base = found.base_url.trim_end_matches('/');
    let url = format!("{base}/p/{}/{}", found.project, arguments.page.path());
    output.item("open/1", &json!({ "url": url }), || url.clone())?;
    if !arguments.print && !output.is_json() && !opened(&url) {
        output.warn("no browser found; open the address by hand");
    }
    Ok(())
}

/// Opens the address with `BROWSER`, else with the opener of the desktop. Returns false if none could be started.
fn opened(url: &str) -> bool {
    let default = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let program = variable("BROWSER").unwrap_or_else(|| default.to_owned());
    let mut words = program.split_whitespace();
    let Some(first) = words.next() else { return false };
    let spawned = Command::new(first).args(words).arg(url).stdin(Stdio::null()).stdout(Stdio::null()).spawn();
    spawned.is_ok()
}
