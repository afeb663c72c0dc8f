//! Fuzz target: events of coding agents, and the command lines that they ran.

use reflect_fuzz::{CaseSource, FuzzTarget, parts};
use reflect_trajectory::ShellCommand;

use super::event::{EventKind, HookEvent};
use super::shell_line::commands;
use super::test_commands;

const WORDS: &[&str] = &[
    "cargo test",
    "pytest",
    "python -m pytest -q",
    "npm test",
    "just test",
    "cd a",
    "set -e",
    "set -o pipefail",
    "echo",
    "tail -5",
    "&&",
    "||",
    "|",
    ";",
    "&",
    "(",
    ")",
    "$(",
    "`",
    "<<EOF\n",
    "EOF\n",
    "2>&1",
    "> out",
    "'",
    "\"",
    "\\\n",
    "#",
    "if",
    "A=1",
    "hook_event_name",
    "UserPromptSubmit",
    "Stop",
    "session_id",
    "prompt_id",
    "turn_id",
    "agent_id",
];

#[test]
fn any_command_line_is_commands_or_something_else() {
    FuzzTarget::new("hook-events").words(WORDS).run(generated, |input| {
        let Some([event, line, configured]) = parts::<3>(input) else { return };
        if let Ok(mut event) = serde_json::from_str::<HookEvent>(event) {
            assert!(event.turn().is_none_or(|turn| !turn.is_empty()));
            assert!(event.agent_id.is_none() || event.kind() == EventKind::Other, "{event:?}");
            let kept = serde_json::to_string(&event).expect("an event can be written");
            let again: HookEvent = serde_json::from_str(&kept).expect("an event can be read");
            event.prompt = None;
            assert_eq!(again, event, "what is kept has no prompt");
        }
        for command in commands(line).unwrap_or_default() {
            assert!(!command.words.is_empty(), "{command:?}");
            let length = command.words.iter().map(String::len).sum::<usize>();
            // What is substituted is replaced by a mark, which is longer than `$()`.
            assert!(length <= 3 * line.len(), "{command:?} in {line:?}");
        }
        for exit_code in [0, 1, 101] {
            let run =
                ShellCommand { command: line.to_owned(), exit_code: Some(exit_code), output: String::new() };
            let Some(report) = test_commands::report(&[run], &[configured.to_owned()]) else { continue };
            assert_eq!((report.command.as_str(), report.exit_code), (line, exit_code));
        }
    });
}

fn generated(source: &mut CaseSource<'_>) -> String {
    let (prompt, id) = (source.json_string(), source.json_string());
    let name = source.pick_text(&["UserPromptSubmit", "Stop", "SessionEnd", "Dream"]);
    let event = source.object(&[
        ("hook_event_name", format!("\"{name}\"")),
        ("session_id", "\"s\"".to_owned()),
        ("prompt", prompt),
        ("prompt_id", id.clone()),
        ("turn_id", id),
    ]);
    let mut line = String::new();
    for _ in 0..=source.size(8) {
        let part = if source.once_in(4) { source.text(2) } else { source.word().to_owned() };
        let space = source.pick_text(&[" ", " ", "", "\n"]);
        line.push_str(&format!("{part}{space}"));
    }
    let configured = if source.once_in(2) { "just test".to_owned() } else { source.text(3) };
    reflect_fuzz::join(&[event, line, configured])
}
