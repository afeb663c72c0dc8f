//! `reflect skill`: the project's lessons as one guide.

use clap::{Args, Subcommand};
use reflect_api::CreateSkill;

use crate::connection::Connection;
use crate::failure::{Failure, Kind};
use crate::output::{Output, plain};

/// Read the project's skill, or write it anew.
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
    /// How many lessons of passed runs go into it; 5 without it.
    #[arg(long, value_name = "N")]
    passed: Option<u32>,
    /// How many lessons of failed runs go into it; 5 without it.
    #[arg(long, value_name = "N")]
    failed: Option<u32>,
}

pub(crate) async fn run(skills: Skills, output: &Output) -> anyhow::Result<()> {
    let (schema, skill) = match skills {
        Skills::Get(arguments) => {
            let skill = arguments.connection.client()?.get_skill().await?;
            let none = || {
                Failure::new(Kind::Api, "not_found", "the project has no skill yet")
                    .fix("`reflect skill create` writes one")
            };
            ("skill.get/1", skill.ok_or_else(none)?)
        }
        Skills::Create(arguments) => {
            let client = arguments.connection.client()?;
            let wish = CreateSkill { n_passed: arguments.passed, n_failed: arguments.failed };
            ("skill.create/1", client.create_skill(wish).await?)
        }
    };
    // A pipe gets it to the letter, as it is written into a file; a terminal gets it without what it would obey.
    output.item(schema, &skill, || {
        if output.is_terminal() { plain(&skill.content) } else { skill.content.clone() }
    })
}
