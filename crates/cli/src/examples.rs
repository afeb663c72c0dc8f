//! Example calls of every command, for its help, its man page and the documentation. A test parses all of them.

use clap::Command;

/// The path of each command below `reflect`, such as `traces list`, and its examples as lines of a shell.
const EXAMPLES: &[(&str, &[&str])] = &[
    ("dev", &["reflect dev", "reflect dev --demo", "reflect dev --ephemeral --port 9000"]),
    ("demo", &["reflect demo", "reflect demo --clean"]),
    (
        "review",
        &[
            "reflect review",
            "reflect review --project demo --limit 10",
            "reflect review 01a1dd7e-3ee9-72ee-8967-c21adbd96373 --fail -m 'The order cost 24.00.'",
        ],
    ),
    ("review apply", &["reflect review apply verdicts.csv --dry-run", "reflect review apply verdicts.csv"]),
    ("doctor", &["reflect doctor", "reflect doctor --only connection", "reflect doctor --fix"]),
    (
        "traces list",
        &[
            "reflect traces list --filter 'status:pending error:true'",
            "reflect traces list --json=id,task --all",
        ],
    ),
    ("traces get", &["reflect traces get 01a1dd7e-3ee9-72ee-8967-c21adbd96373 --steps"]),
    ("traces tail", &["reflect traces tail --filter result:fail"]),
    (
        "traces submit",
        &[
            "reflect traces submit --task 'Refund order 1182' --answer 'Refunded 240.00' --fail -m 'It cost 24.00.'",
            "reflect traces submit run.json --wait 60",
        ],
    ),
    ("traces retry", &["reflect traces retry --failed"]),
    ("traces delete", &["reflect traces delete 01a1dd7e-3ee9-72ee-8967-c21adbd96373"]),
    ("traces import", &["reflect traces import runs.jsonl --dry-run", "reflect traces import runs.jsonl"]),
    ("traces export", &["reflect traces export --filter since:7d --output runs.jsonl"]),
    (
        "memories list",
        &["reflect memories list --sort harm", "reflect memories list --filter 'status:active utility:<0.4'"],
    ),
    ("memories get", &["reflect memories get 01a1dd7e-3f9d-7268-b8f2-277cca504f80"]),
    ("memories history", &["reflect memories history 01a1dd7e-3f9d-7268-b8f2-277cca504f80"]),
    (
        "memories add",
        &["reflect memories add --task 'Refund an order' --guidance 'Look up the price before you refund.'"],
    ),
    (
        "memories import",
        &[
            "reflect memories import . --dry-run",
            "reflect memories import CLAUDE.md mem0.json agent.af",
            "reflect memories import lessons.jsonl --map task=question --map guidance=answer.text",
        ],
    ),
    (
        "memories edit",
        &[
            "reflect memories edit 01a1dd7e-3f9d-7268-b8f2-277cca504f80",
            "reflect memories edit 01a1dd7e-3f9d-7268-b8f2-277cca504f80 --guidance 'Look at the timer first.'",
        ],
    ),
    ("memories disable", &["reflect memories disable 01a1dd7e-3f9d-7268-b8f2-277cca504f80"]),
    ("memories enable", &["reflect memories enable 01a1dd7e-3f9d-7268-b8f2-277cca504f80"]),
    ("memories pin", &["reflect memories pin 01a1dd7e-3f9d-7268-b8f2-277cca504f80"]),
    ("memories unpin", &["reflect memories unpin 01a1dd7e-3f9d-7268-b8f2-277cca504f80"]),
    ("memories quarantine", &["reflect memories quarantine 01a1dd7e-3f9d-7268-b8f2-277cca504f80"]),
    ("memories release", &["reflect memories release 01a1dd7e-3f9d-7268-b8f2-277cca504f80"]),
    ("memories delete", &["reflect memories delete 01a1dd7e-3f9d-7268-b8f2-277cca504f80"]),
    (
        "memories merge",
        &["reflect memories merge 01a1dd7e-3f9d-7268-b8f2-277cca504f80 01a1dd7e-3f02-7a11-b0a5-0c8d9be1f2d7"],
    ),
    ("lessons list", &["reflect lessons list", "reflect lessons list --sort harm --filter refund"]),
    ("lessons get", &["reflect lessons get 01a1dd7e-3f9d-7268-b8f2-277cca504f80"]),
    (
        "lessons group",
        &["reflect lessons group 01a1dd7e-3f9d-7268-b8f2-277cca504f80 01a1dd7e-3f02-7a11-b0a5-0c8d9be1f2d7"],
    ),
    (
        "lessons split",
        &["reflect lessons split 01a1dd7e-3f9d-7268-b8f2-277cca504f80 01a1dd7e-3f02-7a11-b0a5-0c8d9be1f2d7"],
    ),
    (
        "lessons move",
        &["reflect lessons move 01a1dd7e-3f02-7a11-b0a5-0c8d9be1f2d7 01a1dd7e-3f9d-7268-b8f2-277cca504f80"],
    ),
    ("lessons questions", &["reflect lessons questions"]),
    ("lessons answer", &["reflect lessons answer 01a1dd7e-5b1c-7d02-9f0e-6f2d3c5b8a41 first"]),
    ("lessons status", &["reflect lessons status"]),
    ("lessons start", &["reflect lessons start"]),
    ("lessons revert", &["reflect lessons revert"]),
    (
        "retrieve",
        &["reflect retrieve 'Refund order 77'", "reflect retrieve 'Refund order 77' --explain --lambda 0"],
    ),
    (
        "signal",
        &[
            "reflect signal --key commit=4f2a9c1 --junit results.xml --idempotency-key 'build 5121'",
            "reflect signal --source merge --key pull_request=118 --pass",
            "reflect signal --source user --trace 01a1dd7e-3ee9-72ee-8967-c21adbd96373 --fail -m 'Wrong amount.'",
        ],
    ),
    ("skill get", &["reflect skill get > SKILL.md"]),
    ("skill create", &["reflect skill create --passed 10 --failed 10"]),
    ("stats", &["reflect stats --since 30d"]),
    ("actions list", &["reflect actions list --limit 5", "reflect actions list --automatic"]),
    ("actions undo", &["reflect actions undo 01a1dd7e-5b1c-7d02-9f0e-6f2d3c5b8a41"]),
    (
        "hook install",
        &[
            "reflect hook install claude-code",
            "reflect hook install codex --level project --dry-run -- --project shop --test-command 'just ci'",
        ],
    ),
    ("hook list", &["reflect hook list"]),
    ("hook remove", &["reflect hook remove claude-code"]),
    ("hook print", &["reflect hook print >> AGENTS.md"]),
    ("hook claude-code", &["reflect hook claude-code --debug < event.json"]),
    ("hook codex", &["reflect hook codex --debug < event.json"]),
    ("webhooks list", &["reflect webhooks list"]),
    (
        "webhooks create",
        &[
            "reflect webhooks create https://hooks.example.com/reflect --event review.needed --event judge.stopped",
        ],
    ),
    (
        "webhooks update",
        &[
            "reflect webhooks update 01a1dd7c-0102-7304-8506-0708090a0b0c --enable",
            "reflect webhooks update 01a1dd7c-0102-7304-8506-0708090a0b0c --event memory.quarantined",
        ],
    ),
    ("webhooks rotate", &["reflect webhooks rotate 01a1dd7c-0102-7304-8506-0708090a0b0c --overlap-hours 48"]),
    ("webhooks delete", &["reflect webhooks delete 01a1dd7c-0102-7304-8506-0708090a0b0c"]),
    ("webhooks test", &["reflect webhooks test 01a1dd7c-0102-7304-8506-0708090a0b0c"]),
    (
        "webhooks deliveries",
        &["reflect webhooks deliveries 01a1dd7c-0102-7304-8506-0708090a0b0c --state failed --all"],
    ),
    ("webhooks redeliver", &["reflect webhooks redeliver 01a1dd7c-0102-7304-8506-0708090a0b0c --failed"]),
    ("spool status", &["reflect spool status"]),
    ("spool replay", &["reflect spool replay"]),
    ("spool redirect", &["reflect spool redirect --from-project old-name --yes"]),
    ("spool purge", &["reflect spool purge --yes"]),
    (
        "api",
        &[
            "reflect api GET /health",
            "reflect api GET traces/rows -f limit=100 --paginate",
            "reflect api POST memory/query -f task='Refund order 77'",
        ],
    ),
    ("open", &["reflect open review"]),
    ("whoami", &["reflect whoami"]),
    ("serve", &["REFLECT_DATABASE_URL=postgres://owner@db.internal/reflect reflect serve --migrate"]),
    ("migrate", &["REFLECT_DATABASE_URL=postgres://owner@db.internal/reflect reflect migrate"]),
    ("projects create", &["reflect projects create shop"]),
    ("projects list", &["reflect projects list"]),
    ("projects delete", &["reflect projects delete shop"]),
    (
        "keys create",
        &[
            "reflect keys create --project shop --label agent",
            "reflect keys create --project shop --label editor --scope memory:read --scope trace:write",
        ],
    ),
    ("keys list", &["reflect keys list --project shop"]),
    ("keys rotate", &["reflect keys rotate b3xk29fa --overlap-hours 48"]),
    ("keys revoke", &["reflect keys revoke b3xk29fa", "reflect keys revoke --created-by member:ana"]),
    ("members link", &["reflect members link --name ana --role reviewer"]),
    (
        "members connect",
        &[
            "reflect members connect --name ana --from 'Ana Pérez'",
            "reflect members connect --name ana --issuer https://sso.example.com --subject 00u1abcd",
        ],
    ),
    ("members list", &["reflect members list"]),
    (
        "members role",
        &["reflect members role ana maintainer --project shop", "reflect members role ana --remove"],
    ),
    ("audit", &["reflect audit --project shop --limit 20"]),
    (
        "audit export",
        &[
            "reflect audit export > audit.jsonl",
            "reflect audit export --follow --position /var/lib/reflect/audit-position.json",
        ],
    ),
    (
        "audit verify",
        &[
            "reflect audit verify --audit-key-file /etc/reflect/audit.key",
            "reflect audit verify --project shop --heads audit-heads.txt",
        ],
    ),
    ("audit key", &["reflect audit key --file /etc/reflect/audit.key"]),
    ("audit heads", &["reflect audit heads > audit-heads.txt"]),
    ("encryption key", &["reflect encryption key --file /etc/reflect/encryption.keys"]),
    ("encryption rotate", &["reflect encryption rotate --encryption-key-file /etc/reflect/encryption.keys"]),
    (
        "encryption encrypt",
        &["reflect encryption encrypt --encryption-key-file /etc/reflect/encryption.keys"],
    ),
    ("export", &["reflect export --project shop --to shop-pack"]),
    ("import", &["reflect import --from shop-pack --as shop-copy"]),
    ("verify", &["reflect verify --from shop-pack --project shop-copy"]),
    ("openapi", &["reflect openapi > openapi.json"]),
    ("completion", &["reflect completion bash > ~/.local/share/bash-completion/completions/reflect"]),
    ("man", &["reflect man ~/.local/share/man/man1"]),
];

/// Adds the examples to the help of `reflect` and of all its subcommands.
pub(crate) fn add_to_help(command: Command) -> Command {
    with_examples(command, "")
}

/// The examples of the command with this path.
pub(crate) fn for_command(path: &str) -> &'static [&'static str] {
    EXAMPLES.iter().find(|(known, _)| *known == path).map_or(&[], |(_, examples)| examples)
}

fn with_examples(mut command: Command, path: &str) -> Command {
    let names: Vec<String> = command.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
    for name in names {
        let path = format!("{path} {name}");
        command = command.mut_subcommand(name, |sub| with_examples(sub, path.trim_start()));
    }
    match for_command(path) {
        [] => command,
        [one] => command.after_help(format!("Example:\n  {one}")),
        several => command.after_help(format!("Examples:\n  {}", several.join("\n  "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The program name and the arguments of the `reflect` call in a line of a shell.
    fn words(line: &str) -> Vec<String> {
        let call = &line[line.rfind(" reflect ").map_or(0, |at| at + 1)..];
        let redirections = [" > ", " >> ", " < "];
        let call = redirections.iter().fold(call, |call, sign| call.split(sign).next().unwrap_or_default());
        let (mut words, mut quoted) = (vec![String::new()], false);
        for character in call.chars() {
            match character {
                '\'' => quoted = !quoted,
                ' ' if !quoted => words.push(String::new()),
                other => words.last_mut().unwrap().push(other),
            }
        }
        words
    }

    #[test]
    fn every_command_has_a_valid_example() {
        fn paths(command: &Command, path: &str, found: &mut Vec<String>) {
            let below: Vec<_> = command.get_subcommands().filter(|sub| !sub.is_hide_set()).collect();
            if !path.is_empty() && (below.is_empty() || !command.is_subcommand_required_set()) {
                found.push(path.to_owned());
            }
            for sub in below {
                paths(sub, format!("{path} {}", sub.get_name()).trim_start(), found);
            }
        }
        let mut all = Vec::new();
        paths(&crate::command_line::definition(), "", &mut all);

        let mut known: Vec<&str> = EXAMPLES.iter().map(|(path, _)| *path).collect();
        known.sort_unstable();
        all.sort_unstable();
        assert_eq!(known, all);
        for (path, examples) in EXAMPLES {
            for example in *examples {
                assert!(example.contains(&format!("reflect {path}")), "{example}");
                let mut words = words(example);
                if ["serve", "migrate"].contains(path) {
                    words.push("--database-url=postgres://db".to_owned());
                }
                let parsed = crate::command_line::definition().try_get_matches_from(words);
                assert!(parsed.is_ok(), "{example}: {}", parsed.unwrap_err());
            }
        }
    }

    #[test]
    fn an_example_is_below_the_help() {
        let error = crate::command_line::definition()
            .try_get_matches_from(["reflect", "whoami", "--help"])
            .unwrap_err();
        assert!(error.to_string().ends_with("Example:\n  reflect whoami\n"), "{error}");
    }
}
