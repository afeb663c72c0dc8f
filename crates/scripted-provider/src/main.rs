//! The scripted provider as a process, for tests in another process.

use std::path::Path;

use anyhow::{Context, Result};
use clap::Parser;
use reflect_scripted_provider::{Script, ScriptedProvider};

/// A server for tests that implements the OpenAI protocol without a model and follows a script.
///
/// PUT /script starts another script, GET /calls counts the calls.
#[derive(Parser)]
struct Arguments {
    /// The port. 0 chooses a free one.
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// The script: JSON, or the path of a JSON file. Default: answer every call.
    #[arg(long)]
    script: Option<String>,
}

#[tokio::main]
#[expect(clippy::print_stdout, reason = "the parent process waits for this line")]
async fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let script = arguments.script.as_deref().map(read).transpose()?.unwrap_or_default();
    let provider = ScriptedProvider::start_on(arguments.port, script).await.context("cannot listen")?;
    println!("listening on {}", provider.url());
    tokio::signal::ctrl_c().await.context("cannot wait for a signal")
}

fn read(script: &str) -> Result<Script> {
    if script.trim_start().starts_with('{') {
        return serde_json::from_str(script).context("the script is not valid");
    }
    let text = std::fs::read_to_string(Path::new(script)).with_context(|| format!("cannot read {script}"))?;
    serde_json::from_str(&text).with_context(|| format!("{script} is not a valid script"))
}
