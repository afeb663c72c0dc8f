//! Ways to run tests: which command of a shell is one of them.

use super::super::shell_line::{SimpleCommand, commands};

/// Commands that run tests.
const USUAL: [&str; 35] = [
    "cargo test",
    "cargo nextest run",
    "pytest",
    "py.test",
    "python -m pytest",
    "python -m unittest",
    "tox",
    "nox",
    "npm test",
    "npm run test",
    "npm t",
    "yarn test",
    "yarn run test",
    "pnpm test",
    "pnpm run test",
    "bun test",
    "bun run test",
    "deno test",
    "jest",
    "vitest",
    "mocha",
    "playwright test",
    "go test",
    "just test",
    "make test",
    "make check",
    "mvn test",
    "gradle test",
    "gradlew test",
    "dotnet test",
    "ctest",
    "rspec",
    "phpunit",
    "mix test",
    "swift test",
];
/// Programs that run another program with the words after them.
const WRAPPERS: [&[&str]; 15] = [
    &["env"],
    &["time"],
    &["nice"],
    &["command"],
    &["exec"],
    &["sudo"],
    &["npx"],
    &["bunx"],
    &["xvfb-run"],
    &["uv", "run"],
    &["poetry", "run"],
    &["pipenv", "run"],
    &["pdm", "run"],
    &["bundle", "exec"],
    &["pnpm", "exec"],
];
/// With these, no test runs.
const NO_RUN: [&str; 10] = [
    "--no-run",
    "--collect-only",
    "--collectonly",
    "--co",
    "--list",
    "--listTests",
    "--help",
    "-h",
    "--version",
    "--dry-run",
];
/// Options whose next word is their value, in all programs that have them.
const WITH_VALUE: [&str; 9] = [
    "--cwd",
    "--dir",
    "--directory",
    "--file",
    "--filter",
    "--manifest-path",
    "--package",
    "--package-path",
    "--prefix",
];
/// More of them, by program: elsewhere they are flags, such as `-w` of pnpm, `-f` of npm, and `-p` of make.
const WITH_VALUE_OF: [(&str, &[&str]); 21] = [
    ("cargo", &["-C", "-F", "-p", "--color", "--config", "--target", "--target-dir"]),
    ("make", &["-C", "-I", "-W", "-f", "-o", "--makefile"]),
    ("ninja", &["-C", "-f"]),
    ("npm", &["-C", "-w", "--workspace"]),
    ("pnpm", &["-C", "-F"]),
    ("bun", &["-F"]),
    ("go", &["-C"]),
    ("just", &["-d", "-f", "--justfile", "--working-directory"]),
    ("mvn", &["-P", "-f", "-pl", "-s", "--activate-profiles", "--projects", "--settings"]),
    ("gradle", &["-b", "-p", "-x", "--exclude-task", "--project-dir"]),
    ("gradlew", &["-b", "-p", "-x", "--exclude-task", "--project-dir"]),
    ("uv", &["-p", "-w", "--env-file", "--extra", "--group", "--project", "--python", "--with"]),
    ("npx", &["-c", "-p", "-w", "--call", "--workspace"]),
    ("bunx", &["-p"]),
    ("env", &["-C", "-u", "--chdir", "--unset"]),
    ("exec", &["-a"]),
    ("nice", &["-n"]),
    ("sudo", &["-g", "-u", "--group", "--user"]),
    ("time", &["-f", "-o", "--format", "--output"]),
    ("timeout", &["-k", "-s", "--kill-after", "--signal"]),
    ("xvfb-run", &["-e", "-f", "-n", "-s", "-w", "--server-args", "--server-num"]),
];

/// A way to run tests: a program and the words that follow it.
#[derive(Debug)]
pub(super) struct Pattern {
    program: String,
    words: Vec<String>,
}

impl Pattern {
    /// The usual patterns, and those of the user.
    pub(super) fn all(configured: &[String]) -> Vec<Self> {
        let texts = USUAL.into_iter().chain(configured.iter().map(String::as_str));
        texts.filter_map(Self::read).collect()
    }

    /// Reads a pattern as a command is read. `None` if it is not one command that runs a program.
    fn read(text: &str) -> Option<Self> {
        let commands = commands(text)?;
        let [command] = commands.as_slice() else { return None };
        let (program, words) = called(command).filter(|(program, _)| !program.is_empty())?;
        Some(Self { program: program.to_owned(), words: words.to_vec() })
    }

    pub(super) fn is_pytest(&self) -> bool {
        let last = self.words.last().unwrap_or(&self.program);
        matches!(last.as_str(), "pytest" | "py.test")
    }

    /// Whether a command runs these tests. Options may stand between the words of the pattern.
    pub(super) fn is_run_by(&self, command: &SimpleCommand) -> bool {
        let Some((program, words)) = called(command) else { return false };
        if program != self.program || words.iter().any(|word| NO_RUN.contains(&word.as_str())) {
            return false;
        }
        let mut expected = self.words.iter();
        let mut next = expected.next();
        let mut words = words.iter();
        let mut may_be_value = false;
        while let Some(wanted) = next {
            let Some(word) = words.next() else { return false };
            let was_option = std::mem::take(&mut may_be_value);
            if word == wanted {
                next = expected.next();
            } else if takes_value(program, word) {
                words.next();
            } else if word.starts_with(['-', '+']) {
                may_be_value = word.starts_with('-') && !word.contains('=');
            } else if !was_option {
                return false;
            }
        }
        true
    }
}

/// The program that a command runs, without its folder, and the words after it.
pub(super) fn called(command: &SimpleCommand) -> Option<(&str, &[String])> {
    let (first, rest) = unwrapped(&command.words).split_first()?;
    let program = name(first);
    // python3, python3.12
    Some((if program.starts_with("python") { "python" } else { program }, rest))
}

/// The name of a program without its folder.
fn name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or_default()
}

/// Whether the word after an option is its value.
fn takes_value(program: &str, option: &str) -> bool {
    WITH_VALUE.contains(&option)
        || WITH_VALUE_OF.iter().any(|(name, options)| *name == program && options.contains(&option))
}

/// The words of a command without variables and wrappers before it.
fn unwrapped(words: &[String]) -> &[String] {
    let mut words = words;
    loop {
        let Some(first) = words.first() else { return words };
        let is_variable = first.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        });
        let program = name(first);
        words = if is_variable {
            &words[1..]
        } else if program == "timeout" {
            // Its duration is before the command.
            without_options(program, &words[1..]).get(1..).unwrap_or_default()
        } else if let Some(length) = wrapper(words) {
            without_options(program, &words[length..])
        } else {
            return words;
        };
    }
}

/// The number of words of the wrapper that a command begins with.
fn wrapper(words: &[String]) -> Option<usize> {
    // `command -v pytest` only looks for the program.
    let is_search = |word: &String| word.starts_with("-v") || word.starts_with("-V");
    if name(&words[0]) == "command" && words.get(1).is_some_and(is_search) {
        return None;
    }
    let is_wrapper = |wrapper: &&&[&str]| {
        words.len() > wrapper.len()
            && words.iter().zip(wrapper.iter()).all(|(word, part)| name(word) == *part)
    };
    WRAPPERS.iter().find(is_wrapper).map(|wrapper| wrapper.len())
}

/// The words after the options of a wrapper, and after their values.
fn without_options<'a>(wrapper: &str, words: &'a [String]) -> &'a [String] {
    let mut at = 0;
    while let Some(option) = words.get(at).filter(|word| word.starts_with('-')) {
        at += if takes_value(wrapper, option) { 2 } else { 1 };
        if option == "--" {
            break;
        }
    }
    words.get(at..).unwrap_or_default()
}
