//! What the commands of a run say about its tests. An exit code counts only if it is the one of the tests: with
//! `cargo test | tail` it is the one of `tail`.

use reflect_trajectory::ShellCommand;

use super::shell_line::{Joint, SimpleCommand, commands};

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
/// Commands before the tests whose failure is not expected.
const PREPARATIONS: [&str; 10] =
    ["cd", "pushd", "export", "source", ".", "set", "unset", "mkdir", "echo", "ulimit"];
/// Commands after the tests that only show their output.
const VIEWERS: [&str; 4] = ["tee", "tail", "head", "cat"];

/// What the tests of a run say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TestReport {
    /// Whether the tests passed: for each way to run tests, the last time counts.
    pub(super) passed: bool,
    /// The command line that decides.
    pub(super) command: String,
    /// Its exit code.
    pub(super) exit_code: i32,
    /// The end of its output.
    pub(super) output: String,
}

/// The report about the commands of a run. `None` if no exit code says anything about tests.
pub(super) fn report(run: &[ShellCommand], configured: &[String]) -> Option<TestReport> {
    let patterns: Vec<Vec<&str>> = USUAL
        .into_iter()
        .chain(configured.iter().map(String::as_str))
        .map(|pattern| pattern.split_whitespace().collect())
        .filter(|words: &Vec<&str>| !words.is_empty())
        .collect();
    let mut last: Vec<(usize, TestReport)> = Vec::new();
    for command in run {
        let Some(exit_code) = command.exit_code else { continue };
        let Some((pattern, passed)) = verdict(&command.command, exit_code, &patterns) else { continue };
        last.retain(|(other, _)| *other != pattern);
        let (line, output) = (command.command.clone(), command.output.clone());
        last.push((pattern, TestReport { passed, command: line, exit_code, output }));
    }
    let failed = last.iter().rposition(|(_, report)| !report.passed);
    let decides = failed.or(last.len().checked_sub(1))?;
    Some(last.swap_remove(decides).1)
}

/// Which pattern a command line contains, and whether its tests passed.
fn verdict(line: &str, exit_code: i32, patterns: &[Vec<&str>]) -> Option<(usize, bool)> {
    if !is_of_tests(exit_code) {
        return None;
    }
    let commands = commands(line)?;
    let pattern_of = |command: &SimpleCommand| patterns.iter().position(|pattern| runs(command, pattern));
    let at = commands.iter().rposition(|command| pattern_of(command).is_some())?;
    let pattern = pattern_of(&commands[at])?;
    // It was called wrongly, or found no tests.
    let is_pytest = patterns[pattern].last().is_some_and(|word| ["pytest", "py.test"].contains(word));
    if is_pytest && matches!(exit_code, 4 | 5) {
        return None;
    }
    let sets = |option: &str| {
        commands[..at].iter().any(|command| command.words[0] == "set" && has_option(&command.words, option))
    };
    let (before, after) = (&commands[..at], &commands[at + 1..]);
    let chain_begin = before.iter().rposition(|command| !is_in_list(command.next)).map_or(0, |last| last + 1);
    let list = &before[chain_begin..];
    if list.iter().any(|command| command.next == Some(Joint::Or)) {
        // Whether the tests ran depends on the command before.
        return None;
    }
    let joints: Vec<Joint> = commands[at..].iter().filter_map(|command| command.next).collect();
    let passed = exit_code == 0;
    let pipes = joints.iter().take_while(|joint| **joint == Joint::Pipe).count();
    let only_shown = || after[..pipes].iter().all(|command| VIEWERS.contains(&program(command)));
    let is_piped_out = pipes == 0 || (sets("pipefail") && (passed || only_shown()));
    let is_last = match &joints[pipes..] {
        [] => true,
        rest if rest.iter().all(|joint| *joint == Joint::And) => passed,
        rest if rest.iter().all(|joint| matches!(joint, Joint::Then | Joint::And)) => passed && sets("e"),
        _ => false,
    };
    // A failure could be that of a command before the tests.
    let is_prepared =
        |command: &SimpleCommand| PREPARATIONS.contains(&program(command)) || pattern_of(command).is_some();
    let may_be_other =
        !passed && !(list.iter().all(is_prepared) && (!sets("e") || before.iter().all(is_prepared)));
    (is_piped_out && is_last && !may_be_other).then_some((pattern, passed))
}

/// Whether tests can have ended with this exit code. Others are those of the shell and of `timeout`: the program was not found,
/// could not be started, was stopped after its time, or was killed.
const fn is_of_tests(exit_code: i32) -> bool {
    matches!(exit_code, 0..=123)
}

/// Whether a command is in one list with the next one: it decides whether the next one runs.
const fn is_in_list(next: Option<Joint>) -> bool {
    matches!(next, Some(Joint::And | Joint::Or | Joint::Pipe))
}

fn has_option(words: &[String], option: &str) -> bool {
    words[1..].iter().any(|word| match word.strip_prefix('-') {
        // `set -euo pipefail`
        Some(letters) => option.len() == 1 && letters.contains(option),
        None => word == option || (option == "e" && word == "errexit"),
    })
}

fn program(command: &SimpleCommand) -> &str {
    let words = unwrapped(&command.words);
    words.first().map_or("", |word| name(word))
}

/// The name of a program without its folder.
fn name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or_default()
}

/// Whether a command runs the tests of a pattern. Options may stand between the words of the pattern.
fn runs(command: &SimpleCommand, pattern: &[&str]) -> bool {
    let words = unwrapped(&command.words);
    let Some((first, rest)) = words.split_first() else { return false };
    let first = name(first);
    // python3, python3.12
    let first = if first.starts_with("python") { "python" } else { first };
    if first != pattern[0] || rest.iter().any(|word| NO_RUN.contains(&word.as_str())) {
        return false;
    }
    let mut expected = pattern[1..].iter();
    let mut next = expected.next();
    let mut may_be_value = false;
    for word in rest {
        let Some(wanted) = next else { break };
        if word == wanted {
            next = expected.next();
        } else if word.starts_with(['-', '+']) {
            may_be_value = word.starts_with('-') && !word.contains('=');
        } else if !std::mem::take(&mut may_be_value) {
            return false;
        }
    }
    next.is_none()
}

/// The words of a command without variables and wrappers before it.
fn unwrapped(words: &[String]) -> &[String] {
    let mut words = words;
    loop {
        let first = words.first().map(String::as_str).unwrap_or_default();
        let is_variable = first.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        });
        let wrapper = || {
            let is_wrapper = |wrapper: &&&[&str]| {
                words.len() > wrapper.len()
                    && words.iter().zip(wrapper.iter()).all(|(word, part)| name(word) == *part)
            };
            WRAPPERS.iter().find(is_wrapper).map(|wrapper| wrapper.len())
        };
        words = if is_variable {
            &words[1..]
        } else if name(first) == "timeout" {
            without_timeout(words)
        } else if let Some(length) = wrapper() {
            let options = words[length..].iter().take_while(|word| word.starts_with('-')).count();
            &words[length + options..]
        } else {
            return words;
        };
    }
}

/// `timeout [options] duration command`
fn without_timeout(words: &[String]) -> &[String] {
    let mut at = 1;
    while let Some(option) = words.get(at).filter(|word| word.starts_with('-')) {
        let has_value = matches!(option.as_str(), "-k" | "-s" | "--kill-after" | "--signal");
        at += if has_value { 2 } else { 1 };
    }
    words.get(at + 1..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str, exit_code: i32) -> Option<bool> {
        of_all(&[(line, exit_code)], &[]).map(|report| report.passed)
    }

    fn of_all(run: &[(&str, i32)], configured: &[&str]) -> Option<TestReport> {
        let run: Vec<ShellCommand> = run
            .iter()
            .map(|(line, code)| ShellCommand {
                command: (*line).to_owned(),
                exit_code: Some(*code),
                output: String::new(),
            })
            .collect();
        let configured: Vec<String> = configured.iter().map(|text| (*text).to_owned()).collect();
        report(&run, &configured)
    }

    #[test]
    fn test_commands_are_found_whatever_is_around_them() {
        for line in [
            "cargo test",
            "cargo +nightly --locked test -p rules -- --nocapture",
            "cd crates && RUST_LOG=debug cargo test 2>&1",
            "/usr/bin/python3.12 -m pytest -q tests",
            "timeout -k 5 300 uv run pytest",
            "npm --prefix web test",
            "npx vitest run",
            "./gradlew test",
            "go test ./... && git commit -m done",
            "set -o pipefail; cargo test | tail -20",
            "set -euo pipefail\ncargo test | tee log\necho ok",
            "(cd web && npm run test)",
            "poetry run python -m pytest",
        ] {
            assert_eq!(of(line, 0), Some(true), "{line}");
        }
        for line in [
            "cargo build",
            "cargo test --no-run",
            "echo cargo test",
            "grep pytest x",
            "git commit -m 'npm test'",
            "npm install test",
            "pip install pytest",
            "cat pytest.ini",
        ] {
            assert_eq!(of(line, 0), None, "{line}");
        }
    }

    #[test]
    fn an_exit_code_that_is_not_that_of_the_tests_says_nothing() {
        for line in [
            "cargo test | tail -5",
            "cargo test; echo done",
            "cargo test || true",
            "cargo test &",
            "cargo build || cargo test",
            "for t in a b; do cargo test $t; done",
            "cargo test | grep x && y",
        ] {
            assert_eq!((of(line, 0), of(line, 1)), (None, None), "{line}");
        }
        for line in
            ["git pull && cargo test", "cargo test && git push", "set -o pipefail; cargo test | grep FAILED"]
        {
            assert_eq!((of(line, 0), of(line, 1)), (Some(true), None), "{line}");
        }
        for line in [
            "cd x && cargo test",
            "cargo fmt; cargo test",
            "cargo test && npm test",
            "set -e; cd x; cargo test",
            "set -o pipefail && cargo test | tail -3",
        ] {
            assert_eq!((of(line, 0), of(line, 1)), (Some(true), Some(false)), "{line}");
        }
    }

    #[test]
    fn exit_codes_of_the_shell_say_nothing() {
        for exit_code in [124, 125, 126, 127, 130, 137, 143, -1] {
            assert_eq!(of("pytest", exit_code), None, "{exit_code}");
        }
        assert_eq!([of("pytest --co", 0), of("python -m pytest -k x", 5)], [None, None]);
        assert_eq!(of("cargo test", 5), Some(false));
    }

    #[test]
    fn the_last_time_counts_for_each_way_to_run_tests() {
        let fixed = [("cargo test", 101), ("cargo test -p rules", 0)];
        assert!(of_all(&fixed, &[]).unwrap().passed);
        let half = of_all(&[("cargo test", 101), ("npm test", 0)], &[]).unwrap();
        assert_eq!((half.passed, half.command.as_str(), half.exit_code), (false, "cargo test", 101));
        assert_eq!(of_all(&[("ls", 0)], &[]), None);
    }

    #[test]
    fn other_commands_can_be_configured() {
        let run = [("just ci --quick", 1)];
        assert_eq!(of_all(&run, &[]), None);
        assert_eq!(of_all(&run, &["just ci", " "]).map(|report| report.passed), Some(false));
    }
}
