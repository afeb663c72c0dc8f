//! What is done with a code block of a page: run it, check it, or skip it for one of a few reasons.
//!
//! A block without a language, or with `text`, is a diagram or output and is skipped.

use super::page::Block;

/// The reasons why a block is not run here, and their descriptions. Do not add a reason without a decision.
pub(crate) const REASONS: &[(&str, &str)] = &[
    ("needs-provider", "asks a model for which this run has no key"),
    ("needs-index", "installs from a package index"),
    ("needs-machine", "needs another machine, a service manager or a container engine"),
    ("needs-person", "waits for a person at a terminal or in a browser"),
    ("needs-hosted", "needs an account of the hosted product"),
    ("takes-long", "takes longer than this run may"),
    ("runs-elsewhere", "is run by another step of the gate"),
    ("from-source", "is generated from a docstring or a signature of the SDK, which has its own tests"),
];

/// What is done with a block.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Plan {
    /// Python code. It runs in the Python process of its page.
    Python,
    /// The output of the Python block before it.
    Printed,
    /// Commands after `$ ` with their output. They run in the shell of the page.
    Console {
        background: bool,
    },
    /// A script. It runs in the shell of the page.
    Script,
    /// An SQL statement. It runs in the database of the page.
    Sql,
    /// The text must be well-formed.
    Json,
    Toml,
    Yaml,
    /// The request must name a route of the API.
    Http,
    /// Not run, for this reason.
    NotRun(&'static str),
    /// Not code.
    Shown,
}

/// What to do with a block, or an error in its marks.
pub(crate) fn plan(block: &Block) -> Result<Plan, String> {
    let mut background = false;
    let mut output = false;
    for mark in &block.marks {
        match (mark.strip_prefix("no-run="), mark.as_str()) {
            (Some(reason), _) => {
                let known = REASONS.iter().find(|(name, _)| *name == reason);
                let names: Vec<&str> = REASONS.iter().map(|(name, _)| *name).collect();
                let unknown =
                    || format!("`{reason}` is not a known reason; use one of: {}", names.join(", "));
                return known.map(|(name, _)| Plan::NotRun(name)).ok_or_else(unknown);
            }
            (None, "background") => background = true,
            (None, "output") => output = true,
            (None, other) => return Err(format!("unknown mark `{other}`")),
        }
    }
    match block.language.as_str() {
        "text" if output => Ok(Plan::Printed),
        "" | "text" => Ok(Plan::Shown),
        "python" => Ok(Plan::Python),
        "console" => Ok(Plan::Console { background }),
        "bash" | "sh" => Ok(Plan::Script),
        "sql" => Ok(Plan::Sql),
        "json" => Ok(Plan::Json),
        "toml" => Ok(Plan::Toml),
        "yaml" => Ok(Plan::Yaml),
        "http" => Ok(Plan::Http),
        "rust" => Err("Rust belongs into a crate's own documentation, where doctests run it".to_owned()),
        other => Err(format!("blocks of `{other}` are not checked; mark plain output as `text`")),
    }
}

/// A command of a console block and its expected output.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Typed {
    /// The line inside the block.
    pub(crate) offset: usize,
    pub(crate) command: String,
    /// If it is empty, the output is not compared.
    pub(crate) shown: String,
}

/// The commands of a console block. A line that ends with a backslash continues on the next line.
pub(crate) fn typed(text: &str) -> Result<Vec<Typed>, String> {
    let mut commands: Vec<Typed> = Vec::new();
    let mut goes_on = false;
    for (offset, line) in text.lines().enumerate() {
        let last = commands.last_mut();
        match (line.strip_prefix("$ "), last) {
            (None, Some(last)) if goes_on => {
                last.command.push('\n');
                last.command.push_str(line);
                goes_on = line.ends_with('\\');
            }
            (Some(command), _) => {
                goes_on = command.ends_with('\\');
                commands.push(Typed { offset, command: command.to_owned(), shown: String::new() });
            }
            (None, Some(last)) => {
                last.shown.push_str(line);
                last.shown.push('\n');
            }
            (None, None) => return Err("a console block begins with `$ ` and a command".to_owned()),
        }
    }
    Ok(commands)
}

/// Whether the output matches the expected one. `…` matches any text. A line with only `…` matches any lines.
pub(crate) fn matches(shown: &str, printed: &str) -> bool {
    let tidy = |text: &str| text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim().to_owned();
    let (shown, printed) = (tidy(shown), tidy(printed));
    let mut pieces = shown.split('…').map(str::trim);
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = printed.strip_prefix(first) else { return false };
    let mut pieces = pieces.peekable();
    if pieces.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(piece) = pieces.next() {
        let at = if pieces.peek().is_some() {
            rest.find(piece).map(|at| at + piece.len())
        } else {
            rest.ends_with(piece).then_some(rest.len())
        };
        match at {
            Some(at) => rest = &rest[at..],
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(info: &str) -> Block {
        let mut words = info.split_whitespace().map(str::to_owned);
        let language = words.next().unwrap_or_default();
        Block { line: 1, language, marks: words.collect(), text: String::new() }
    }

    #[test]
    fn a_block_that_is_not_run_has_a_known_reason() {
        assert_eq!(plan(&block("python no-run=needs-provider")).unwrap(), Plan::NotRun("needs-provider"));
        assert!(plan(&block("python no-run=lazy")).unwrap_err().contains("needs-provider"));
        assert!(plan(&block("python slow")).is_err());
    }

    #[test]
    fn a_block_in_an_unchecked_language_is_refused() {
        assert!(plan(&block("cobol")).is_err());
        assert!(plan(&block("rust")).is_err());
        assert_eq!(plan(&block("")).unwrap(), Plan::Shown);
    }

    #[test]
    fn commands_are_separated_from_their_output() {
        let commands = typed("$ echo a \\\n    b\na b\n$ true\n").unwrap();

        let first = Typed { offset: 0, command: "echo a \\\n    b".into(), shown: "a b\n".into() };
        let second = Typed { offset: 3, command: "true".into(), shown: String::new() };
        assert_eq!(commands, [first, second]);
        assert!(typed("echo a\n").is_err());
    }

    #[test]
    fn expected_output_may_omit_parts() {
        assert!(matches("a … c\n", "a b c\n"));
        assert!(matches("first\n…\nlast", "first  \n2\n3\nlast\n"));
        assert!(matches("first\n…", "first\nmore\n"));
        assert!(matches("key rf_live_…", "key rf_live_abc"));
        assert!(!matches("a … c", "a b d"));
        assert!(!matches("a", "a\nb"));
        assert!(!matches("b", "a b"));
    }
}
