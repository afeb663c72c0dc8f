//! JUnit XML, as most test programs can write it.

use std::io::Cursor;

use junit_parser::{TestCase, TestSuite};
use quick_xml::Reader;
use quick_xml::events::Event;
use quick_xml::name::QName;

use super::TestResults;

/// How deep suites may be nested. The parser calls itself for each level, and test programs write fewer than ten.
const DEEPEST: usize = 100;

/// The results in a file of JUnit XML.
pub(crate) fn junit(text: &str) -> Result<TestResults, String> {
    if depth(text) > DEEPEST {
        return Err(format!("suites are nested deeper than {DEEPEST} levels; write each suite beside the others"));
    }
    let suites = junit_parser::from_reader(Cursor::new(text))
        .map_err(|error| format!("this is not JUnit XML: {error}"))?;
    let mut results = TestResults::default();
    suites.suites.iter().for_each(|suite| add_suite(&mut results, suite));
    Ok(results)
}

/// How deep suites are nested, up to one level too many. What follows an error is not counted, because the parser ends there,
/// too: it reads the same events.
fn depth(text: &str) -> usize {
    const SUITE: QName<'_> = QName("testsuite");
    let mut reader = Reader::from_reader(Cursor::new(text));
    let (mut buffer, mut depth, mut deepest) = (Vec::new(), 0_usize, 0);
    while deepest <= DEEPEST {
        match reader.read_event_into(&mut buffer) {
            Ok(Event::Start(element)) if element.name() == SUITE => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            Ok(Event::End(element)) if element.name() == SUITE => depth = depth.saturating_sub(1),
            Ok(Event::Eof) | Err(_) => break,
            Ok(_) => {}
        }
        buffer.clear();
    }
    deepest
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
    fn suites_that_are_nested_too_deep_are_refused() {
        let nested = |levels: usize| {
            let case = "<system-out><![CDATA[<testsuite>]]></system-out><testcase name=\"a\"/>";
            let (open, close) = ("<testsuite>".repeat(levels), "</testsuite>".repeat(levels));
            format!("<testsuites>{open}{case}{close}<testsuite>{case}</testsuite></testsuites>")
        };

        assert_eq!(junit(&nested(DEEPEST)).unwrap().passed, 2);
        for levels in [DEEPEST + 1, 200_000] {
            let refused = junit(&nested(levels)).unwrap_err();
            assert!(refused.contains("nested deeper than 100 levels"), "{refused}");
        }
        // Also if nothing is closed.
        assert!(junit(&"<testsuite>".repeat(200_000)).is_err());
    }

    #[test]
    fn another_file_is_refused() {
        for wrong in ["", "ok 1", "<html></html>", "<testsuites><testsuite>"] {
            let read = junit(wrong);
            assert!(read.is_err() || read == Ok(TestResults::default()), "{wrong}");
        }
    }
}
