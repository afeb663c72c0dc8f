//! Reads what a target printed.

/// What a target did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TargetReport {
    pub(crate) cases: u64,
    pub(crate) mutants: Vec<String>,
}

/// How a target ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    Passed(TargetReport),
    /// What it printed.
    Failed(String),
}

/// The outcome of a target from whether its process succeeded and what it printed. Prints its line.
pub(crate) fn outcome(name: &str, output: std::io::Result<(bool, String)>) -> Outcome {
    match output {
        Err(error) => Outcome::Failed(format!("{name}: {error}")),
        Ok((true, text)) => {
            let line = line_with(&text, "fuzz target ");
            match line.and_then(read) {
                Some(report) => {
                    println!("{}", line.unwrap_or_default());
                    Outcome::Passed(report)
                }
                None => Outcome::Failed(format!("{name} ran no target:\n{text}")),
            }
        }
        Ok((false, text)) => Outcome::Failed(format!("{name} failed:\n{text}")),
    }
}

/// Whether the target found the mutant. Prints its line.
pub(crate) fn is_caught(mutant: &str, output: std::io::Result<(bool, String)>) -> bool {
    let text = output.map_or_else(|error| error.to_string(), |(_, text)| text);
    let line = line_with(&text, "fuzz mutant ");
    println!("{}", line.unwrap_or(&text));
    line.is_some_and(|line| line.starts_with(&format!("fuzz mutant {mutant}: caught by ")))
}

/// The line from where it begins: the test harness writes in front of it.
fn line_with<'a>(text: &'a str, start: &str) -> Option<&'a str> {
    text.lines().find_map(|line| Some(&line[line.find(start)?..]))
}

/// `fuzz target NAME: N cases, K kept, seed S, T s, mutants [A B]`
fn read(line: &str) -> Option<TargetReport> {
    let (_, rest) = line.split_once(": ")?;
    let (cases, _) = rest.split_once(" cases, ")?;
    let (_, mutants) = rest.split_once("mutants [")?;
    let mutants = mutants.strip_suffix(']')?.split_whitespace().map(str::to_owned).collect();
    Some(TargetReport { cases: cases.parse().ok()?, mutants })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_that_ran_is_counted_and_one_that_did_not_has_failed() {
        let line =
            "test x ... fuzz target text: 500 cases, 3 kept, seed 1, 0.1 s, mutants [hidden-text b]\nok";
        let report = TargetReport { cases: 500, mutants: vec!["hidden-text".to_owned(), "b".to_owned()] };

        assert_eq!(outcome("x", Ok((true, line.to_owned()))), Outcome::Passed(report));
        assert!(matches!(outcome("x", Ok((true, "0 tests".to_owned()))), Outcome::Failed(_)));
        assert!(matches!(outcome("x", Ok((false, line.to_owned()))), Outcome::Failed(_)));
    }

    #[test]
    fn a_mutant_counts_only_if_it_was_caught() {
        let caught = |text: &str| is_caught("a", Ok((true, text.to_owned())));

        assert!(caught("x fuzz mutant a: caught by text in case 3: boom"));
        assert!(!caught("fuzz mutant a: not caught by text") && !caught("fuzz mutant b: caught by text"));
    }
}
