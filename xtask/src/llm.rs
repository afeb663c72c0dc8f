//! `cargo xtask llm`: a small real language model behind somebody else's server, in the foreground.
//!
//! This process becomes the server, so that whoever started it can end it by its process id. What the server
//! does is said in `xtask/llama/serve.py`.

use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

use crate::cache::Cache;
use crate::{process, repository, setup};

/// Beside the port of the development cluster.
const DEFAULT_PORT: u16 = 54331;

/// Runs `llm` with the words that follow it. Returns only if the server cannot be started.
pub(crate) fn run(words: &[&str]) -> Result<ExitCode> {
    let port = port(words)?;
    let (interpreter, model) = setup::llama_server_and_model(&Cache::locate()?)?;
    let mut server = Command::new(interpreter);
    server.arg(repository::root()?.join("xtask/llama/serve.py")).arg(model).arg(port.to_string());
    let line = process::command_line(&server);
    Err(server.exec()).with_context(|| format!("cannot run `{line}`"))
}

fn port(words: &[&str]) -> Result<u16> {
    match words {
        [] => Ok(DEFAULT_PORT),
        ["--port", port] => port.parse().with_context(|| format!("--port {port} is not a port")),
        _ => bail!("`llm` takes --port N and nothing else"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_port_is_the_only_choice() {
        assert_eq!(port(&[]).unwrap(), DEFAULT_PORT);
        assert_eq!(port(&["--port", "0"]).unwrap(), 0);
        for words in [&["--port"][..], &["--port", "many"], &["--model", "x"]] {
            assert!(port(words).is_err(), "{words:?}");
        }
    }
}
