//! `reflect signal`: outcomes of runs from flags and from files of test results.

use crate::shell::Shell;

const JUNIT: &str = r#"<testsuite name="all"><testcase classname="a" name="good"/>
    <testcase classname="a" name="bad"><failure message="no"/></testcase></testsuite>"#;

#[tokio::test(flavor = "multi_thread")]
async fn results_of_tests_are_reported_with_the_names_of_the_failed_ones() {
    let shell = Shell::open().await;
    let run = shell.submit("Fix the build", &[]);
    let (junit, tap) = (shell.file("results.xml", JUNIT), shell.file("results.tap", "1..1\nok 1 - good\n"));

    let failed = ["signal", "--trace", &run, "--junit", &junit, "--tap", &tap, "--json"];
    let accepted = shell.run(&failed).json("signal.send/1");
    assert_eq!(
        (&accepted["item"]["status"], &accepted["item"]["trace_ids"][0]),
        (&"matched".into(), &run.into())
    );
    let waiting = shell.run(&["signal", "--key", "commit=0a1b", "--tap", &tap]).ok();
    assert!(waiting.ends_with("which waits for its run.\n"), "{waiting}");
    let merged = ["signal", "--source", "merge", "--key", "pull_request=7", "--pass", "--occurred-at", "2h"];
    shell.run(&merged).ok();

    let stored = "select source || ' ' || coalesce(passed::text, '') || ' ' || coalesce(comment, '') from signal order by signal_id";
    let stored: Vec<String> =
        sqlx::query_scalar(stored).fetch_all(&mut shell.db.superuser().await).await.unwrap();
    assert_eq!(stored, ["ci false 1 of 3 tests failed: a::bad", "ci true ", "merge true "]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signal_that_cannot_be_sent_has_its_exit_code() {
    let shell = Shell::open().await;
    let empty = shell.file("empty.xml", r#"<testsuite name="none"></testsuite>"#);
    for (arguments, code) in [
        (vec!["signal", "--key", "commit=a"], 2),
        (vec!["signal", "--key", "commit", "--pass"], 2),
        (vec!["signal", "--key", "commit=a", "--pass", "--fail"], 2),
        (vec!["signal", "--key", "commit=a", "--junit", "absent.xml"], 6),
        (vec!["signal", "--key", "commit=a", "--tap", &empty], 6),
        (vec!["signal", "--key", "commit=a", "--junit", &empty], 7),
        (vec!["signal", "--key", "commit=a", "--score", "2"], 5),
        (vec!["signal", "--key", "commit=a", "--pass", "--api-key", "rf_live_wrong"], 3),
    ] {
        let ran = shell.run(&arguments);
        assert_eq!(ran.code, Some(code), "{arguments:?}: {}", ran.err);
    }
}
