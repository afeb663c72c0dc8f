//! Fuzz targets: files of test programs.

use reflect_fuzz::{CaseSource, FuzzTarget};

use super::{LONGEST_NAME, MOST_NAMES, TestResults, junit, tap};

#[test]
fn any_xml_is_results_or_a_complaint() {
    let words = &[
        "<testsuites>",
        "</testsuites>",
        "<testsuite name=\"a\">",
        "</testsuite>",
        "<testcase name=\"b\"/>",
        "<failure message=\"no\">",
        "</failure>",
        "<error/>",
        "<skipped/>",
        "<![CDATA[",
        "]]>",
        "&amp;",
        "&#0;",
        "&#x110000;",
        "&x;",
        "time=\"1,000.5\"",
        "time=\"x\"",
        "<?xml version=\"1.0\"?>",
        "<!DOCTYPE x [<!ENTITY x \"y\">]>",
        "<!--",
        "-->",
    ];
    FuzzTarget::new("junit").words(words).run(
        |source| match source.below(8) {
            0 | 1 => source.text(20),
            2 => {
                let level = source.pick_text(&["<testsuite>", "<testsuite name=\"a\"><testcase/>", "<testsuites>"]);
                source.repeated(level, 20_000)
            }
            _ => suite(source, 3),
        },
        |input| {
            let Ok(text) = str::from_utf8(input) else { return };
            let Ok(results) = junit(text) else { return };
            // A test has at least `<testcase/>`, whatever its namespace is.
            check(&results, text.len() / 8);
        },
    );
}

#[test]
fn any_lines_are_results_or_a_complaint() {
    let words = &[
        "ok",
        "not ok",
        "1..",
        "Bail out!",
        "# SKIP",
        "# TODO",
        "\\#",
        "#",
        "- ",
        "1..3\n",
        "\nok 1",
        "TAP version 14\n",
    ];
    FuzzTarget::new("tap").words(words).run(
        |source| if source.once_in(4) { source.text(20) } else { lines(source) },
        |input| {
            let Ok(text) = str::from_utf8(input) else { return };
            let Ok(results) = tap(text) else { return };
            // And one line about tests that did not run.
            check(&results, text.lines().count() + 1);
        },
    );
}

/// The results are no more than what was written, and a reviewer gets a short text.
fn check(results: &TestResults, most: usize) {
    let TestResults { passed, skipped, failed } = results;
    assert!(passed + skipped + failed.len() <= most, "{results:?}");
    let comment = results.comment();
    assert_eq!(comment.is_some(), !failed.is_empty());
    let length = comment.map_or(0, |comment| comment.chars().count());
    assert!(length <= MOST_NAMES * (LONGEST_NAME + 2) + 200, "{length} characters");
    let _ = results.outcome();
}

fn suite(source: &mut CaseSource<'_>, depth: usize) -> String {
    let name = source.pick_text(&["a", "tests.test_dates", "", "é &amp; ü", "a::b"]);
    let mut inner = String::new();
    for _ in 0..source.size(4) {
        let part = match source.below(8) {
            0 => source.text(4),
            1 | 2 if depth > 0 => suite(source, depth - 1),
            _ => case(source),
        };
        inner.push_str(&part);
    }
    let element = source.pick_text(&["testsuite", "testsuite", "testsuites"]);
    format!("<{element} name=\"{name}\" tests=\"{}\">{inner}</{element}>", source.number())
}

fn case(source: &mut CaseSource<'_>) -> String {
    let (class, time) = (source.pick_text(&["", "tests.dates"]), source.number());
    let status =
        source.pick_text(&["", "<failure/>", "<failure message=\"m\">x</failure>", "<error/>", "<skipped/>"]);
    let name = source.text(3).replace(['<', '&', '"', '\0'], "x");
    format!("<testcase classname=\"{class}\" name=\"{name}\" time=\"{time}\">{status}</testcase>")
}

fn lines(source: &mut CaseSource<'_>) -> String {
    let line = |source: &mut CaseSource<'_>| {
        let start = source.pick_text(&["ok", "not ok", "    ok", "# ", "Bail out! ", "  ---"]);
        let directive = source.pick_text(&["", "", " # SKIP x", " # todo", " \\# x"]);
        match source.below(6) {
            0 => format!("1..{}", source.number()),
            1 => source.text(5),
            _ => format!("{start} {} - {}{directive}", source.below(9), source.word()),
        }
    };
    let lines: Vec<String> = (0..=source.size(10)).map(|_| line(source)).collect();
    lines.join("\n")
}
