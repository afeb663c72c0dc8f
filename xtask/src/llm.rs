//! `cargo xtask llm`: runs a small real language model in llama.cpp's server, in the foreground.
//!
//! This process becomes the server, so the caller can stop it by its process id. `xtask/llama/serve.py` is the server.

use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

use crate::cache::Cache;
use crate::{process, repository, setup};

/// Next to the port of the development cluster.
const DEFAULT_PORT: u16 = 54331;

/// The options of the server.
#[derive(Debug, PartialEq, Eq)]
struct Choice {
    port: u16,
    /// The maximum length of an answer, in tokens, if a request sets none. Without it, the model decides.
    answer_tokens: Option<u32>,
}

/// Runs `llm` with its arguments. Returns only if the server cannot be started.
pub(crate) fn run(words: &[&str]) -> Result<ExitCode> {
    let choice = choice(words)?;
    let (interpreter, model) = setup::llama_server_and_model(&Cache::locate()?)?;
    let mut server = Command::new(interpreter);
    server.arg(repository::root()?.join("xtask/llama/serve.py")).arg(model).arg(choice.port.to_string());
    server.args(choice.answer_tokens.map(|tokens| tokens.to_string()));
    let line = process::command_line(&server);
    Err(server.exec()).with_context(|| format!("cannot run `{line}`"))
}

fn choice(words: &[&str]) -> Result<Choice> {
    let mut choice = Choice { port: DEFAULT_PORT, answer_tokens: None };
    for pair in words.chunks(2) {
        match pair {
            ["--port", port] => {
                choice.port = port.parse().with_context(|| format!("--port {port} is not a port"))?;
            }
            ["--answer-tokens", tokens] => {
                let tokens = tokens.parse().ok().filter(|tokens| *tokens > 0);
                let Some(tokens) = tokens else { bail!("--answer-tokens takes a number of tokens above 0") };
                choice.answer_tokens = Some(tokens);
            }
            _ => bail!("`llm` takes --port N and --answer-tokens N and nothing else"),
        }
    }
    Ok(choice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_port_and_the_answer_length_are_the_only_options() {
        assert_eq!(choice(&[]).unwrap(), Choice { port: DEFAULT_PORT, answer_tokens: None });
        assert_eq!(choice(&["--port", "0"]).unwrap(), Choice { port: 0, answer_tokens: None });
        let both = ["--port", "0", "--answer-tokens", "64"];
        assert_eq!(choice(&both).unwrap(), Choice { port: 0, answer_tokens: Some(64) });
        let refused = [
            &["--port"][..],
            &["--port", "many"],
            &["--model", "x"],
            &["--answer-tokens", "0"],
            &["--answer-tokens", "few"],
            &["--port", "0", "--answer-tokens"],
        ];
        for words in refused {
            assert!(choice(words).is_err(), "{words:?}");
        }
    }
}
