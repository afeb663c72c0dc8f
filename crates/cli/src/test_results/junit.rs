//! JUnit XML, as most test programs can write it.

use std::io::Cursor;

use junit_parser::{TestCase, TestSuite};

use super::TestResults;

/// The results in a file of JUnit XML.
pub(crate) fn junit(text: &str) -> Result<TestResults, String> {
    let suites = junit_parser::from_reader(Cursor::new(text))
        .map_err(|error| format!("this is not JUnit XML: {error}"))?;
    let mut results = TestResults::default();
    suites.suites.iter().for_each(|suite| add_suite(&mut results, suite));
    Ok(results)
}

fn add_suite(results: &mut TestResults, suite: &TestSuite) {
    for case in &suite.cases {
        if case.status.is_failure() || case.status.is_error() {
            results.failed.push(name(case));
        } else if case.status.is_skipped() {
            results.skipped += 1;
        } else {
            results.passed += 1;
        }
    }
    suite.suites.iter().for_each(|suite| add_suite(results, suite));
}

/// With the class, which names the file in most programs.
fn name(case: &TestCase) -> String {
    match case.classname.as_deref().filter(|class| !class.is_empty()) {
        Some(class) => format!("{class}::{}", case.original_name),
        None => case.original_name.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suites_of_several_programs_are_read() {
        // pytest: suites in a root. A program may nest suites, or have one suite as its root.
        let pytest = r#"<?xml version="1.0" encoding="utf-8"?>
            <testsuites><testsuite name="pytest" errors="1" failures="1" skipped="1" tests="4" time="0.1">
              <testcase classname="tests.test_dates" name="parses" time="0.001"/>
              <testcase classname="tests.test_dates" name="rejects[a&amp;b]" time="0.001">
                <failure message="assert 1 == 2">def test(): ...</failure></testcase>
              <testcase classname="" name="tests.broken" time="0"><error message="collection failure">x</error></testcase>
              <testcase classname="tests.test_dates" name="later" time="0"><skipped type="pytest.skip" message="no"/></testcase>
            </testsuite></testsuites>"#;
        let nested = r#"<testsuite name="all"><testsuite name="inner"><testcase name="a"/></testsuite>
            <testcase name="b"><failure/></testcase></testsuite>"#;

        let found = junit(pytest).unwrap();
        assert_eq!((found.passed, found.skipped), (1, 1));
        assert_eq!(found.failed, ["tests.test_dates::rejects[a&b]", "tests.broken"]);
        let found = junit(nested).unwrap();
        assert_eq!((found.passed, found.failed), (1, vec!["b".to_owned()]));
    }

    #[test]
    fn another_file_is_refused() {
        for wrong in ["", "ok 1", "<html></html>", "<testsuites><testsuite>"] {
            let read = junit(wrong);
            assert!(read.is_err() || read == Ok(TestResults::default()), "{wrong}");
        }
    }
}
