//! The Test Anything Protocol, versions 12 to 14. Subtests are indented, and their parent says whether they passed.

use super::TestResults;

/// The results in a TAP stream.
pub(crate) fn tap(text: &str) -> Result<TestResults, String> {
    let (mut results, mut planned, mut seen) = (TestResults::default(), None, 0);
    for line in text.lines() {
        if let Some(reason) = line.strip_prefix("Bail out!") {
            results.failed.push(format!("bail out: {}", reason.trim()));
            return Ok(results);
        }
        if let Some(plan) = line.strip_prefix("1..") {
            let number = plan.split_whitespace().next().unwrap_or_default();
            planned = Some(number.parse::<usize>().map_err(|_| format!("{line:?} is not a valid plan"))?);
            continue;
        }
        let Some((ok, rest)) = test_line(line) else { continue };
        seen += 1;
        let (name, directive) = described(rest);
        let name = if name.is_empty() { format!("test {seen}") } else { name };
        match (ok, directive) {
            // A test that is expected to fail.
            (_, Some(Directive::Skip)) | (false, Some(Directive::Todo)) => results.skipped += 1,
            (true, _) => results.passed += 1,
            (false, None) => results.failed.push(name),
        }
    }
    match planned {
        None if seen == 0 => Err("this is not TAP: it has neither a plan nor a test".to_owned()),
        Some(planned) if planned > seen => {
            results.failed.push(format!("{} of {planned} planned tests did not run", planned - seen));
            Ok(results)
        }
        _ => Ok(results),
    }
}

enum Directive {
    Skip,
    Todo,
}

/// Whether a test passed, and the rest of its line.
fn test_line(line: &str) -> Option<(bool, &str)> {
    let (ok, rest) = match line.strip_prefix("not ok") {
        Some(rest) => (false, rest),
        None => (true, line.strip_prefix("ok")?),
    };
    (rest.is_empty() || rest.starts_with(char::is_whitespace)).then(|| (ok, rest.trim()))
}

/// The name of a test and its directive. The number of the test and the dash before the name are left out.
fn described(rest: &str) -> (String, Option<Directive>) {
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
    let rest = rest.strip_prefix('-').unwrap_or(rest).trim_start();
    // A number sign in the name is escaped.
    let mark = rest.match_indices('#').find(|(at, _)| !rest[..*at].ends_with('\\')).map(|(at, _)| at);
    let (name, after) = mark.map_or((rest, ""), |at| (&rest[..at], &rest[at + 1..]));
    let word = after.trim_start().to_ascii_lowercase();
    let directive = if word.starts_with("skip") {
        Some(Directive::Skip)
    } else if word.starts_with("todo") {
        Some(Directive::Todo)
    } else {
        None
    };
    (name.trim().replace("\\#", "#"), directive)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (usize, usize, Vec<String>) {
        let results = tap(text).unwrap();
        (results.passed, results.skipped, results.failed)
    }

    #[test]
    fn tests_directives_and_subtests_are_read() {
        let stream = "TAP version 14\n1..6\nok 1 - parses dates\nnot ok 2 - parses \\#7\n  ---\n  message: no\n  ...\n\
            ok 3 # SKIP no network\nnot ok 4 - later # TODO soon\n# Subtest: inner\n    not ok 1 - deep\n    1..1\n\
            not ok 5 - inner\nok";
        assert_eq!(read(stream), (2, 2, vec!["parses #7".to_owned(), "inner".to_owned()]));
    }

    #[test]
    fn tests_that_did_not_run_are_failures() {
        assert_eq!(read("1..3\nok 1\n"), (1, 0, vec!["2 of 3 planned tests did not run".to_owned()]));
        assert_eq!(
            read("ok 1\nBail out! no database\nok 2"),
            (1, 0, vec!["bail out: no database".to_owned()])
        );
        assert_eq!(read("1..0 # SKIP nothing to do"), (0, 0, vec![]));
        assert_eq!(read("not ok"), (0, 0, vec!["test 1".to_owned()]));
    }

    #[test]
    fn another_file_is_refused() {
        for wrong in ["", "<testsuites/>", "okay then", "1..x"] {
            assert!(tap(wrong).is_err(), "{wrong}");
        }
    }
}
