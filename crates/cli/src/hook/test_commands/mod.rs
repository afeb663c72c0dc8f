//! What the commands of a run say about its tests. An exit code counts only if it is the one of the tests: with
//! `cargo test | tail` it is the one of `tail`.

mod pattern;
mod shell_options;

use reflect_trajectory::ShellCommand;

use super::shell_line::{Joint, SimpleCommand, commands};
use pattern::{Pattern, called};
use shell_options::ShellOptions;

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
    let patterns = Pattern::all(configured);
    let mut last: Vec<(usize, TestReport)> = Vec::new();
    for command in run {
        let Some(exit_code) = command.exit_code else { continue };
        let Some((found, passed)) = verdict(&command.command, exit_code, &patterns) else { continue };
        last.retain(|(other, _)| !found.contains(other));
        let (line, output) = (command.command.clone(), command.output.clone());
        let report = TestReport { passed, command: line, exit_code, output };
        last.extend(found.into_iter().map(|pattern| (pattern, report.clone())));
    }
    let failed = last.iter().rposition(|(_, report)| !report.passed);
    let decides = failed.or(last.len().checked_sub(1))?;
    Some(last.swap_remove(decides).1)
}

/// The patterns of the tests that a command line says something about, and whether they passed. If they are joined with `&&`
/// and the line failed, any of them may have failed, and the ones after it did not run.
fn verdict(line: &str, exit_code: i32, patterns: &[Pattern]) -> Option<(Vec<usize>, bool)> {
    if !is_of_tests(exit_code) {
        return None;
    }
    let line = Line::new(commands(line)?, patterns);
    let last = line.tests.iter().rposition(Option::is_some)?;
    let passed = exit_code == 0;
    let says = if passed { line.must_have_passed(last) } else { line.must_have_failed(last) };
    if !says {
        return None;
    }
    let mut found = Vec::new();
    for (at, pattern) in line.tests[..=last].iter().enumerate() {
        if let &Some(pattern) = pattern
            && !found.contains(&pattern)
            && line.is_about(at, last, passed)
        {
            found.push(pattern);
        }
    }
    // It was called wrongly, or found no tests.
    if matches!(exit_code, 4 | 5) && found.iter().any(|pattern| patterns[*pattern].is_pytest()) {
        return None;
    }
    Some((found, passed))
}

/// Whether tests can have ended with this exit code. Others are those of the shell and of `timeout`: the program was not found,
/// could not be started, was stopped after its time, or was killed.
const fn is_of_tests(exit_code: i32) -> bool {
    matches!(exit_code, 0..=123)
}

/// A command line.
struct Line {
    commands: Vec<SimpleCommand>,
    /// For each command, the pattern of the tests that it runs.
    tests: Vec<Option<usize>>,
}

impl Line {
    fn new(commands: Vec<SimpleCommand>, patterns: &[Pattern]) -> Self {
        let test = |command: &SimpleCommand| patterns.iter().position(|pattern| pattern.is_run_by(command));
        Self { tests: commands.iter().map(test).collect(), commands }
    }

    /// Whether the exit code 0 of the line means that the last tests ran and passed.
    fn must_have_passed(&self, last: usize) -> bool {
        let end = self.pipe_end(last);
        let is_all_and = |commands: &[SimpleCommand]| {
            commands.iter().all(|command| matches!(command.next, None | Some(Joint::And)))
        };
        let is_end = match self.commands.get(end).map(|command| command.next) {
            Some(None) => true,
            Some(Some(Joint::And)) => is_all_and(&self.commands[end..]),
            Some(Some(Joint::Then)) => self.stops_at(last) && self.must_have_run(last),
            _ => false,
        };
        is_end && self.is_piped_out(last) && !self.is_after_or(last)
    }

    /// Whether another exit code of the line means that these tests failed, or tests before them.
    fn must_have_failed(&self, last: usize) -> bool {
        let (begin, end) = (self.list_begin(last), self.pipe_end(last));
        let is_end = end + 1 == self.commands.len() && self.commands[end].next.is_none();
        // A failure could be that of another command, which ends the line.
        let is_expected = |at: usize| self.is_preparation(at) || self.tests[at].is_some();
        let may_end_line = |at: &usize| *at >= begin || self.options(*at).errexit;
        is_end
            && self.is_piped_out(last)
            && !self.is_after_or(last)
            && (last + 1..=end).all(|at| VIEWERS.contains(&self.program(at)))
            && (0..last).filter(may_end_line).all(is_expected)
    }

    /// Whether the exit code of the line, which is that of the last tests, is also about these tests before them.
    fn is_about(&self, at: usize, last: usize, passed: bool) -> bool {
        let is_in_list = at >= self.list_begin(last);
        let is_before = || self.stops_at(at) && (!passed || self.must_have_run(at));
        self.is_piped_out(at) && (is_in_list || is_before())
    }

    /// Whether `set -e` ends the script if this command fails. It ignores failures on the left side of `&&`.
    fn stops_at(&self, at: usize) -> bool {
        let end = self.commands.get(self.pipe_end(at));
        self.options(at).errexit && end.is_some_and(|command| command.next == Some(Joint::Then))
    }

    /// Whether these tests ran, also if a failure on the left side of `&&` is ignored.
    fn must_have_run(&self, at: usize) -> bool {
        !self.is_after_or(at) && (self.list_begin(at)..at).all(|before| self.is_preparation(before))
    }

    /// Whether the exit code of these tests is not lost in a pipe.
    fn is_piped_out(&self, at: usize) -> bool {
        self.pipe_end(at) == at || self.options(at).pipefail
    }

    /// Whether these tests ran only if a command before them failed.
    fn is_after_or(&self, at: usize) -> bool {
        self.commands[self.list_begin(at)..at].iter().any(|command| command.next == Some(Joint::Or))
    }

    /// The first command of the list of a command: what runs before it decides whether it runs.
    fn list_begin(&self, at: usize) -> usize {
        let is_in_list = |next| matches!(next, Some(Joint::And | Joint::Or | Joint::Pipe));
        self.commands[..at].iter().rposition(|command| !is_in_list(command.next)).map_or(0, |last| last + 1)
    }

    /// The last command of the pipe of a command, which is not there if a pipe leads to nothing.
    fn pipe_end(&self, at: usize) -> usize {
        at + self.commands[at..].iter().take_while(|command| command.next == Some(Joint::Pipe)).count()
    }

    /// The options of the shell when it starts a command.
    fn options(&self, at: usize) -> ShellOptions {
        ShellOptions::after(&self.commands[..at])
    }

    fn is_preparation(&self, at: usize) -> bool {
        PREPARATIONS.contains(&self.program(at))
    }

    fn program(&self, at: usize) -> &str {
        called(&self.commands[at]).map_or("", |(program, _)| program)
    }
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
    fn commands_that_run_tests_are_found_whatever_is_around_them() {
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
    fn tests_that_are_joined_with_and_have_one_verdict_and_are_cleared_one_by_one() {
        let passed = |run: &[(&str, i32)]| of_all(run, &[]).map(|report| report.passed);
        let chain = "cargo test && npm test";
        assert_eq!(passed(&[("cargo test", 101), (chain, 0)]), Some(true));
        for [first, second] in [["cargo test", "npm test"], ["npm test", "cargo test"]] {
            assert_eq!(passed(&[(chain, 1), (first, 0)]), Some(false), "{first}");
            assert_eq!(passed(&[(chain, 1), (first, 0), (second, 0)]), Some(true), "{first}");
        }
        let lines = "set -e; cargo test; npm test";
        assert_eq!(passed(&[("cargo test", 101), (lines, 0)]), Some(true));
        assert_eq!(passed(&[(lines, 1), ("npm test", 0)]), Some(false));
        let lists = "set -e; go test && cargo test; npm test";
        assert_eq!(passed(&[(lists, 1), ("npm test", 0)]), Some(false));
        // The first tests may have failed in these.
        for line in [
            "cargo test | tail && npm test",
            "cargo test; npm test",
            "set -e; cargo test && ls; npm test",
            "set -e; git pull && cargo test; npm test",
            "set -e; cd x || cargo test; npm test",
        ] {
            assert_eq!(passed(&[("cargo test", 101), (line, 0)]), Some(false), "{line}");
        }
        // The first ones may have been called wrongly.
        assert_eq!(passed(&[("pytest && cargo test", 4)]), None);
    }

    #[test]
    fn options_of_the_shell_count_only_where_they_have_an_effect() {
        for line in [
            "set -e; cargo test && echo ok; echo done",
            "set -e; git pull && cargo test; echo done",
            "set -e; cargo test && npm test; echo done",
            "set -e; set +e; cargo test; echo done",
            "cargo test; set -e; echo done",
            "set +o pipefail; cargo test | tail -3",
            "set -o pipefail; set +o pipefail; cargo test | tail -3",
            "set -o pipefail; cargo test |",
        ] {
            assert_eq!((of(line, 0), of(line, 1)), (None, None), "{line}");
        }
        for line in ["set -e; cd x && cargo test; echo done", "set -e; cargo test; ls | head || true"] {
            assert_eq!((of(line, 0), of(line, 1)), (Some(true), None), "{line}");
        }
        // The failure of the first command did not end it.
        assert_eq!(of("set -e; set +e; git pull; cargo test", 1), Some(false));
    }

    #[test]
    fn values_of_options_are_no_part_of_a_pattern() {
        for line in [
            "make -C test all",
            "make -f test all",
            "npm --prefix test run build",
            "npm -w test run build",
            "npm run --workspace test build",
            "pnpm --filter test build",
            "yarn --cwd test build",
            "cargo --manifest-path test build",
            "go -C test build",
            "just -f test build",
            "mvn -pl test package",
            "gradle -p test build",
            "uv run --with pytest python x.py",
            "npx -p jest other",
            "command -v pytest",
        ] {
            assert_eq!(of(line, 0), None, "{line}");
        }
        for line in [
            "make -C web -j 4 test",
            "npm -w web test",
            "npm test --workspace x",
            "npm run test -w x",
            "npm -f test",
            "pnpm -w test",
            "pnpm --filter web run test",
            "cargo --manifest-path test/Cargo.toml test",
            "cargo test -p x",
            "python -m pytest",
            "go -C test test ./...",
            "mvn -C test",
            "uv run --package rules -- pytest",
            "nice -n 10 sudo -u ci npm test",
        ] {
            assert_eq!(of(line, 0), Some(true), "{line}");
        }
    }

    #[test]
    fn other_commands_can_be_configured() {
        let run = [("just ci --quick", 1)];
        assert_eq!(of_all(&run, &[]), None);
        assert_eq!(of_all(&run, &["just ci", " "]).map(|report| report.passed), Some(false));
    }

    #[test]
    fn a_configured_command_is_read_as_a_command_is() {
        for (pattern, line) in [
            ("./scripts/test.sh", "./scripts/test.sh --fast"),
            ("./scripts/test.sh", "cd shop && scripts/test.sh"),
            ("python3 manage.py test", "python3.12 manage.py test shop"),
            ("uv run tests", "uv run tests -q"),
            ("CI=1 just all", "just all"),
            ("make 'all tests'", "make \"all tests\""),
        ] {
            let report = of_all(&[(line, 1)], &[pattern]);
            assert_eq!(report.map(|report| report.passed), Some(false), "{pattern}");
        }
        // Nothing is left of these.
        for pattern in ["", " ", "CI=1", "timeout 5", "env -i", "# x", "./", "a && b", "it's"] {
            assert_eq!(of_all(&[("ls", 1), ("a b", 1), ("CI=1", 1)], &[pattern]), None, "{pattern}");
        }
    }
}
