//! Drives the Rust client: reads one call per line from stdin, makes it, and writes one line with the result.
//!
//! The compatibility cases are written in Python, and `through_driver` forwards their calls to this program. It calls
//! public methods of the Rust client and contains no logic: results and errors are returned unchanged.

mod arguments;
mod calls;
mod problem;
mod runs;
mod session;

use std::io::{BufRead, Write};

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::{Value, json};

use session::Session;

/// One line of stdin.
#[derive(Deserialize)]
struct Line {
    /// Clients to drop.
    #[serde(default)]
    dropped: Vec<u64>,
    /// The method, by its name in the SDK.
    call: String,
    /// The number of the client, if the method needs one.
    #[serde(default)]
    client: u64,
    arguments: Value,
}

fn main() -> Result<()> {
    // Its threads send traces in the background while this thread waits for the next line.
    let runtime = tokio::runtime::Runtime::new().context("cannot start the runtime")?;
    let mut session = Session::default();
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let line: Line = serde_json::from_str(&line.context("cannot read stdin")?).context("no call")?;
        session.drop_clients(&line.dropped);
        let answer = match runtime.block_on(session.call(&line.call, line.client, line.arguments)) {
            Ok(value) => json!({ "value": value }),
            Err(problem) => json!({ "problem": problem }),
        };
        writeln!(out, "{answer}").and_then(|()| out.flush()).context("cannot write to stdout")?;
    }
    Ok(())
}
