//! The Rust client on a leash: reads a call per line from stdin, makes it, and answers with a line.
//!
//! The compatibility cases are written in Python, and `through_rust` passes what they call on to this program. It calls
//! public methods of `reflect-sdk` and decides nothing: what comes back goes back, and so does what goes wrong.

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
    /// Clients that nobody has any more.
    #[serde(default)]
    dropped: Vec<u64>,
    /// The method, by its name in the SDK.
    call: String,
    /// The number of the client that it is called on, if it is called on one.
    #[serde(default)]
    client: u64,
    arguments: Value,
}

fn main() -> Result<()> {
    // Its threads send what runs leave behind while this one waits for the next line.
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
