//! Every program in CONTRIBUTING's table runs in the full tier of CI, at least in a quick form: a program that CI never
//! runs fails unnoticed.

use std::collections::BTreeSet;

use super::Violation;
use crate::sources::Tree;

const TABLE: &str = "CONTRIBUTING.md";
const STEPS: &str = ".ci/steps";
const RECIPES: &str = "justfile";
/// The heading of the table.
const HEADING: &str = "| Recipe | Tests or measures | Last line |";
/// Recipes whose quick form is another recipe.
const QUICK_FORMS: [(&str, &str); 2] = [
    // The same tests with a debug build, in which response times are printed and not limited.
    ("budgets", "e2e"),
    // The same tests in one process.
    ("e2e-files", "e2e"),
];

pub(super) fn check(tree: &Tree) -> Vec<Violation> {
    let text = |path: &str| {
        let file = tree.files.iter().find(|file| file.path == path);
        file.map(|file| file.text.as_str()).unwrap_or_default()
    };
    let steps = steps(text(STEPS), text(RECIPES));
    let missing = table(text(TABLE)).filter(|(_, recipe)| !steps.contains(quick_form(recipe)));
    let why = |recipe: &str| {
        format!("`just {recipe}` has no step with a quick form in the full tier (`u`) of {STEPS}")
    };
    missing.map(|(line, recipe)| Violation::new(TABLE, line, why(recipe))).collect()
}

fn quick_form(recipe: &str) -> &str {
    QUICK_FORMS.iter().find(|(long, _)| *long == recipe).map_or(recipe, |(_, quick)| *quick)
}

/// The recipes in the table, with their lines.
fn table(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let rows = text.lines().enumerate().skip_while(|(_, line)| *line != HEADING).skip(2);
    let rows = rows.take_while(|(_, line)| line.starts_with('|'));
    rows.filter_map(|(index, line)| {
        let recipe = line.strip_prefix("| `just ")?.split(['`', ' ']).next()?;
        Some((index + 1, recipe))
    })
}

/// The recipes of the full tier, with those that they depend on.
fn steps<'a>(steps: &'a str, justfile: &'a str) -> BTreeSet<&'a str> {
    let of_tier = steps.lines().filter_map(|line| {
        let mut fields = line.split_whitespace();
        let tiers = fields.next()?;
        // Then lane, budget and name.
        let mut command = fields.skip(3).peekable();
        if command.next_if_eq(&".ci/unless-passed").is_some() {
            command.find(|word| *word == "--");
        }
        (!line.starts_with('#') && tiers.contains('u') && command.next() == Some("just"))
            .then(|| command.next())?
    });
    let mut found: BTreeSet<&str> = of_tier.collect();
    // One level, as in `benches-quick: (query-ratio "--quick")`.
    let lists = found.iter().flat_map(|recipe| dependencies(justfile, recipe)).collect::<Vec<_>>();
    found.extend(lists);
    found
}

fn dependencies<'a>(justfile: &'a str, recipe: &str) -> impl Iterator<Item = &'a str> + use<'a> {
    let head = justfile.lines().find_map(|line| line.strip_prefix(recipe)?.strip_prefix(':'));
    let parts = head.unwrap_or_default().split_whitespace();
    parts.map(|part| part.trim_matches(['(', ')'])).filter(|part| !part.starts_with('"'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_without_a_step_is_found() {
        let table = format!(
            "| `just serve` | no program |\n\n{HEADING}\n|---|---|---|\n| `just soak` | a | b |\n\
             | `just poison` | a | b |\n| `just budgets` | a | b |\n| `just ratio --x` | a | b |\n| `just move` | a | b |\n\
             \n| `just other` | x |\n"
        );
        let steps = "# tiers lane budget name command\nu main 1 soak just soak --seconds 20\n\
                     l main 1 poison just poison\nul side 1 e2e .ci/unless-passed e2e @all b -- just e2e\n\
                     u main 1 all just benches-quick\n";
        let justfile = "benches-quick: (ratio \"--quick\") db\n    x\nmove *args:\n    x\n";

        let found =
            check(&Tree::of(&[("CONTRIBUTING.md", &table), (".ci/steps", steps), ("justfile", justfile)]));

        let lines: Vec<_> = found.iter().map(|violation| (violation.line, violation.why.as_str())).collect();
        assert_eq!(lines.len(), 2, "{lines:?}");
        assert!(lines[0].0 == 6 && lines[0].1.contains("`just poison`"), "{lines:?}");
        assert!(lines[1].0 == 9 && lines[1].1.contains("`just move`"), "{lines:?}");
    }
}
