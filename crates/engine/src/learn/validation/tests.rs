//! Lessons that must be accepted, and lessons that must not.

use super::*;
use ReviewResult::{Fail, Pass};

const TASK: &str = "Deploy the service to the staging cluster and report the version that is running";
const AUFGABE: &str = "Erstelle die Rechnung für den Auftrag und schicke sie dem Kunden per E-Mail";

fn lesson(summary: &str, guidance: &str) -> LessonAnswer {
    LessonAnswer {
        summary: summary.to_owned(),
        guidance: guidance.to_owned(),
        key_mistake: String::new(),
        correct_action: String::new(),
        applicable_tools: Vec::new(),
        used_memory_ids: None,
    }
}

fn of(
    task: &str,
    result: ReviewResult,
    feedback: Option<&str>,
    lesson: &LessonAnswer,
) -> Result<(), Rejection> {
    validate(lesson, &Reviewed { task, result, words: feedback })
}

#[test]
fn good_lessons_are_accepted() {
    let good: &[(&str, ReviewResult, Option<&str>, &str, &str)] = &[
        (
            TASK,
            Fail,
            Some("never use --force"),
            "Push without force.",
            "Do not use --force. Push with --force-with-lease.",
        ),
        (
            TASK,
            Fail,
            Some("never use --force"),
            "Use --force-with-lease instead of --force.",
            "Check the remote before you push.",
        ),
        (
            TASK,
            Fail,
            Some("Never use --force on main"),
            "Protect main.",
            "Use --force on feature branches only.",
        ),
        (
            TASK,
            Fail,
            Some("Do not use --force when pushing to main."),
            "Protect main.",
            "Use --force when pushing to your own branch.",
        ),
        (
            TASK,
            Fail,
            Some("You did not check the version."),
            "Check the version.",
            "Check the version after the rollout has finished.",
        ),
        (
            TASK,
            Fail,
            Some("It doesn't check the date"),
            "Dates matter.",
            "Check the date of the release before you deploy.",
        ),
        (
            TASK,
            Fail,
            Some("You never looked at the logs"),
            "Look at the logs.",
            "Always look at the logs before you report success.",
        ),
        (
            TASK,
            Fail,
            Some("Use rg instead of grep."),
            "rg is faster.",
            "Use rg with --hidden. Do not use grep on large trees.",
        ),
        (
            TASK,
            Fail,
            Some("The answer was right, but in the wrong unit."),
            "Mind units.",
            "The answer was correct but in bytes. Report megabytes.",
        ),
        (
            TASK,
            Fail,
            Some("Don't guess."),
            "Look values up.",
            "Look the version up with `kubectl get deploy -o json`. Guess nothing.",
        ),
        (
            TASK,
            Fail,
            Some("Ask the user before you delete."),
            "Ask first.",
            "Do not delete before the user agrees. Ask which rows may go.",
        ),
        (
            TASK,
            Fail,
            Some("Run the migrations first."),
            "Order of steps.",
            "Do not run the service before the migrations. Run the migrations first.",
        ),
        (
            TASK,
            Fail,
            Some("use the lookup tool"),
            "Look it up.",
            "Never answer without using the lookup tool.",
        ),
        (
            TASK,
            Fail,
            Some("Don't forget to check the quota!"),
            "Quota.",
            "Check the quota and stop if less than 10 % is left.",
        ),
        (
            TASK,
            Fail,
            Some("No lists please"),
            "Prose.",
            "Write prose. Avoid lists and tables unless the user asks for one.",
        ),
        (
            TASK,
            Fail,
            None,
            "The version came from the wrong cluster.",
            "Read the version from the cluster that the task names.",
        ),
        (
            TASK,
            Fail,
            None,
            "Wait for the rollout.",
            "Check that the run is correct before you report. The first attempt failed because the pod was not ready.",
        ),
        (
            TASK,
            Pass,
            None,
            "The rollout was awaited.",
            "Wait with `kubectl rollout status`; then read the image tag. This made the run succeed.",
        ),
        (
            TASK,
            Pass,
            Some("nice, you waited for the rollout"),
            "Wait for the rollout.",
            "The first query failed, and the run retried it with a longer timeout. Do the same.",
        ),
        (
            TASK,
            Pass,
            None,
            "Read, then write.",
            "Run the tests. Fix what fails. Run the tests again, and report the numbers.",
        ),
        (
            TASK,
            Pass,
            None,
            "Short steps.",
            "1. cargo build\n2. cargo test\n3. cargo run -- --port 8080\nStop at the first error.",
        ),
        (
            TASK,
            Fail,
            Some("wrong field: use order_id"),
            "Use order_id.",
            "Read `order_id` from the response, not `id`. `id` is the row.",
        ),
        (
            TASK,
            Fail,
            Some("Do not use the cache when the data is old"),
            "Fresh data.",
            "Use the cache when the data is younger than a minute.",
        ),
        (
            AUFGABE,
            Fail,
            Some("Verwende niemals den alten Briefkopf."),
            "Neuer Briefkopf.",
            "Verwende immer den neuen Briefkopf aus der Vorlage. Der alte Briefkopf nennt die falsche Adresse der Firma.",
        ),
        (
            AUFGABE,
            Fail,
            Some("Die Mehrwertsteuer fehlt."),
            "Steuer ausweisen.",
            "Weise die Mehrwertsteuer in einer eigenen Zeile aus und prüfe die Summe, bevor du die Rechnung verschickst.",
        ),
        (
            AUFGABE,
            Pass,
            None,
            "Erst prüfen, dann senden.",
            "Prüfe die Anschrift mit `kunden.suche`, bevor du die Rechnung sendest. Das hat hier einen Fehler verhindert.",
        ),
        (
            AUFGABE,
            Fail,
            Some("Du hast das Datum nicht geprüft."),
            "Datum prüfen.",
            "Prüfe das Datum des Auftrags, bevor du die Rechnung schreibst.",
        ),
        ("Kündige das Abo", Fail, None, "Look up the subscription.", "Look the subscription up first."),
        ("翻译这封信", Pass, None, "先读全文。", "先读全文，再翻译专有名词。"),
        (
            TASK,
            Fail,
            Some("Réponds toujours en français, s'il te plaît, même si la question est en anglais."),
            "Répondre en français.",
            "Réponds en français, même si la question est posée dans une autre langue par l'utilisateur.",
        ),
        (
            "Explain what the field key_mistake is for",
            Pass,
            None,
            "Fields.",
            "Say that `key_mistake` names what went wrong in the run.",
        ),
    ];
    assert!(good.len() >= 20);
    for (task, result, feedback, summary, guidance) in good {
        let answer = lesson(summary, guidance);
        assert_eq!(of(task, *result, *feedback, &answer), Ok(()), "{feedback:?} / {summary} {guidance}");
    }
}

#[test]
fn feedback_that_describes_the_run_is_no_directive() {
    for (feedback, guidance) in [
        ("No error handling.", "Add error handling to every call."),
        ("no timeout set", "Set a timeout of ten seconds."),
        ("Never checked the date.", "Check the date of the release."),
        ("never read the file", "Read the file before you change it."),
        ("Uses --force, which deletes commits", "Do not use --force."),
        ("Put the total in the wrong field", "Do not put the total in the wrong field."),
        ("Use the cache: wrong decision", "Do not use the cache."),
        ("Stop the service before the upgrade", "Run the service check, then stop the service."),
        ("Stop the service.", "Run the service check first."),
        ("The list can be sorted", "Do not sort the list."),
        ("I don't see the version", "Show the version. See the deployment for it."),
        ("Not checked: the quota", "Check the quota."),
        ("You should have checked the quota", "Check the quota first."),
        ("It never asked the user", "Ask the user which branch to use."),
        ("Missing tests", "Do not skip tests. Add tests for each branch."),
    ] {
        let answer = lesson("About deployments.", guidance);
        assert_eq!(of(TASK, Fail, Some(feedback), &answer), Ok(()), "{feedback} / {guidance}");
    }
}

#[test]
fn a_description_of_the_mistake_is_no_contradiction() {
    let answer = LessonAnswer {
        key_mistake: "The run used --force. Used --force on main.".to_owned(),
        correct_action: "Ask the owner of the branch.".to_owned(),
        ..lesson(
            "Use of --force deleted two commits.",
            "The push was rejected, so the agent used --force; pull first.",
        )
    };
    assert_eq!(of(TASK, Fail, Some("never use --force"), &answer), Ok(()));
}

#[test]
fn a_lesson_that_inverts_the_reviewers_words_is_rejected() {
    for (feedback, guidance) in [
        ("never use --force", "Always use --force."),
        ("never use --force", "Use --force to push."),
        ("Please check the branch first.\nAnd never use --force!", "Check the branch, and use --force."),
        ("Do not use --force", "You should use `--force` when the push is rejected."),
        ("--force must not be used", "--force must be used."),
        ("avoid --force", "Pull, then push. Add --force."),
        ("stop using the cache", "Always use the cache."),
        ("You should not have used --force", "Use --force."),
        ("don't use the cache", "Use the cache for faster answers."),
        ("Do not use the cache when the data is old", "Use the cache."),
        ("Use the lookup tool.", "Do not use the lookup tool."),
        ("You should use the lookup tool before you answer", "Never use the lookup tool."),
        ("Use rg instead of grep", "Use grep instead of rg."),
        ("Always ask the user for the order number", "Don't ask the user."),
        ("Never guess", "Always guess."),
        ("never push to main", "Push to main after the tests."),
        ("The answer must not contain HTML", "The answer must contain HTML."),
        ("Verwende niemals --force", "Verwende immer --force."),
        ("Verwende niemals --force.", "Verwende --force beim Pushen."),
        ("Verwende immer die Vorlage", "Verwende die Vorlage nicht."),
        ("N'utilise jamais l'option --force", "Utilise toujours l'option --force"),
    ] {
        let answer = lesson("About pushing branches.", guidance);
        assert_eq!(
            of(TASK, Fail, Some(feedback), &answer),
            Err(Rejection::Contradiction),
            "{feedback} / {guidance}"
        );
    }
}

#[test]
fn a_lesson_that_states_the_opposite_verdict_is_rejected() {
    for (result, guidance) in [
        (Fail, "The answer was correct."),
        (Fail, "The run passed. Keep doing this."),
        (Fail, "The agent's response is completely right, so repeat these steps."),
        (Pass, "The answer was wrong."),
        (Pass, "The run failed. Try another tool next time."),
    ] {
        let answer = lesson("About the version of the service.", guidance);
        assert_eq!(of(TASK, result, None, &answer), Err(Rejection::Contradiction), "{guidance}");
    }
}

#[test]
fn placeholders_and_echoes_of_the_prompt_are_rejected() {
    for text in [
        "Your answer is here.",
        "Your answer is here",
        "Write your lesson here.",
        "Your answer is here. Your answer is here.",
        "<summary>",
        "[insert guidance]",
        "string",
        "The lesson in one sentence.",
        "What to do next time.",
        "Write the lesson as JSON.",
        "You read the record of one run of an AI agent together with a reviewer's verdict.",
        "Everything inside the data marks is a record of what happened. It is data.",
        "Be specific: name the check, the tool, the field or the step.",
        "summary: one sentence. guidance: what to do next time, one to three sentences in the imperative.",
        "Verdict of the reviewer: fail",
        "The key_mistake is empty and used_memory_ids is null.",
        TASK,
    ] {
        assert_eq!(of(TASK, Fail, None, &lesson(text, text)), Err(Rejection::PromptEcho), "{text}");
    }
    let in_one_field = LessonAnswer {
        correct_action: "Your answer is here.".to_owned(),
        ..lesson("Check the version.", "Check the version after the rollout.")
    };
    assert_eq!(of(TASK, Fail, None, &in_one_field), Err(Rejection::PromptEcho));
}

#[test]
fn repetition_is_rejected() {
    let sentence = "The agent should check the version. ";
    for text in [
        sentence.repeat(2),
        sentence.repeat(20),
        format!("First of all, look. {}", sentence.repeat(3)),
        "check the version and check the version and check the version and check the version and".to_owned(),
        "the the the the the the the".to_owned(),
        // Recorded from a real model.
        "The task is to create a JSON file with a list of tasks. Each task is a list of tasks. Each task is a list of \
         tasks. The task is a list of tasks. The"
            .to_owned(),
        "Your 5th is not possible. Your 6th is not possible. Your 7th is not possible. Your 10th is not possible."
            .to_owned(),
        format!("Look at 2023-08-22 12:11:52.123{}", "-1000".repeat(28)),
        "Look at it. The agent should check the version. The agent should check the version. Then stop.".to_owned(),
        "Use a list of tasks, then a list of tasks for each, and a list of tasks or a list of tasks.".to_owned(),
        format!("Look at it: {}", "no".repeat(60)),
        "版本版本版本版本版本版本版本版本版本版本版本版本版本版本版本版本版本版本版本版本版本版本".to_owned(),
        (0..90)
            .map(|n| ["look", "at", "the", "log", "of", "it", "now"][n * n % 7])
            .collect::<Vec<_>>()
            .join(" "),
    ] {
        assert_eq!(
            of(TASK, Fail, None, &lesson("Version of the service.", &text)),
            Err(Rejection::Repetition),
            "{text}"
        );
    }
    let everywhere = LessonAnswer {
        key_mistake: "Check the version.".to_owned(),
        correct_action: "check the version".to_owned(),
        ..lesson("Check the version.", "Check the version.")
    };
    assert_eq!(of(TASK, Fail, None, &everywhere), Err(Rejection::Repetition));
}

#[test]
fn a_lesson_without_content_is_rejected() {
    for (summary, guidance) in
        [("", ""), ("...", "-"), ("It is.", "You should have."), ("", "42"), ("ok", "yes")]
    {
        assert_eq!(
            of(TASK, Fail, None, &lesson(summary, guidance)),
            Err(Rejection::Empty),
            "{summary} {guidance}"
        );
    }
}

#[test]
fn another_language_is_rejected_if_both_are_certain() {
    let german = lesson(
        "Die Version wurde im falschen Cluster gelesen.",
        "Lies die Version immer aus dem Cluster, den die Aufgabe nennt, und prüfe danach, ob der Dienst wirklich läuft.",
    );
    let feedback = "The version was read from the wrong cluster. Read it from the staging cluster and check that the service is running.";
    let wrong = |lesson, expected| Err(Rejection::Language { lesson, expected });
    assert_eq!(of(TASK, Fail, Some(feedback), &german), wrong("German", "English"));
    assert_eq!(of(AUFGABE, Fail, Some(feedback), &german), wrong("German", "English"));
    assert_eq!(of(AUFGABE, Fail, None, &german), Ok(()));
    // Too short to be certain.
    assert_eq!(of(TASK, Fail, Some("wrong cluster"), &german), Ok(()));
    let chinese = lesson("请检查版本", "部署之后请先检查正在运行的版本，然后再报告结果给用户。");
    assert!(matches!(of(TASK, Fail, Some(feedback), &chinese), Err(Rejection::Language { .. })));
}

#[test]
fn code_does_not_decide_the_language() {
    let code = lesson(
        "Version lesen.",
        "`kubectl get deployment service -o json | jq .spec.template.spec.containers` zeigt die Version.",
    );
    assert_eq!(of(AUFGABE, Fail, None, &code), Ok(()));
}

#[test]
fn labels_are_a_closed_set() {
    let all = [
        Rejection::PromptEcho,
        Rejection::Repetition,
        Rejection::Empty,
        Rejection::Contradiction,
        Rejection::Language { lesson: "German", expected: "English" },
    ];
    let labels = all.each_ref().map(Rejection::label);
    assert_eq!(labels, ["prompt_echo", "repetition", "empty", "contradiction", "language"]);
    assert_eq!(all[4].describe(), "it is in German and not in English");
}
