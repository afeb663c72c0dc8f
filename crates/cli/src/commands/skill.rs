//! `reflect skill`: the project's lessons as one guide.

use clap::{Args, Subcommand};
use reflect_api::CreateSkill;

use crate::connection::Connection;
use crate::failure::{Failure, Kind};
use crate::output::{Output, plain};

/// Show the project's skill, or write a new version.
#[derive(Debug, Subcommand)]
pub(crate) enum Skills {
    /// Print the skill: Markdown with frontmatter.
    Get(Get),
    /// Write the next version of the skill from the best lessons.
    Create(Create),
}

#[derive(Debug, Args)]
pub(crate) struct Get {
    #[command(flatten)]
    connection: Connection,
}

#[derive(Debug, Args)]
pub(crate) struct Create {
    #[command(flatten)]
    connection: Connection,
    /// The number of lessons from passed runs. Default: 5.
    #[arg(long, value_name = "N")]
    passed: Option<u32>,
    /// The number of lessons from failed runs. Default: 5.
    #[arg(long, value_name = "N")]
    failed: Option<u32>,
}

pub(crate) async fn run(skills: Skills, output: &Output) -> anyhow::Result<()> {
    let (schema, skill) = match skills {
        Skills::Get(arguments) => {
            let skill = arguments.connection.client()?.skills.get().await?;
            let none = || {
                Failure::new(Kind::Api, "not_found", "the project has no skill yet")
                    .fix("run `reflect skill create` to write one")
            };
            ("skill.get/1", skill.ok_or_else(none)?)
        }
        Skills::Create(arguments) => {
            let client = arguments.connection.client()?;
            let request = CreateSkill { n_passed: arguments.passed, n_failed: arguments.failed };
            ("skill.create/1", client.skills.create(request).await?)
        }
    };
    // A pipe gets the exact text. A terminal gets it without control characters.
    output.item(schema, &skill, || {
        if output.terminal.stdout_is_terminal { plain(&skill.content) } else { skill.content.clone() }
    })
}
