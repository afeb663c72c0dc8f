//! Shows a change of a text as lines with `-` and `+`.

use crate::output::counted;

/// How many unchanged lines are shown around a change.
const CONTEXT: usize = 2;
/// Each pair of a removed and an added line costs time and memory. If there are more lines than this on a side, they are only
/// counted.
const MOST_LINES: usize = 2000;

/// The lines that changed. A settings file is changed in few places, and lines in between stay: they are found as the longest
/// list of lines that both texts have in this order.
pub(super) fn difference(before: &str, after: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let begin = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let ends = old[begin..].iter().rev().zip(new[begin..].iter().rev());
    let end = ends.take_while(|(old, new)| old == new).count();
    let (removed, added) = (&old[begin..old.len() - end], &new[begin..new.len() - end]);
    if removed.len().max(added.len()) > MOST_LINES {
        return format!("{} replaced by {}", counted(removed.len(), "line"), counted(added.len(), "line"));
    }
    let mut lines: Vec<(char, &str)> = old[..begin].iter().map(|line| (' ', *line)).collect();
    lines.extend(changes(removed, added));
    lines.extend(old[old.len() - end..].iter().map(|line| (' ', *line)));
    shown(&lines)
}

/// The lines near a change, with a sign each.
fn shown(lines: &[(char, &str)]) -> String {
    let is_near = |at: usize| {
        let from = at.saturating_sub(CONTEXT);
        lines[from..(at + CONTEXT + 1).min(lines.len())].iter().any(|(sign, _)| *sign != ' ')
    };
    let mut text = String::new();
    let mut is_cut = false;
    for (at, (sign, line)) in lines.iter().enumerate() {
        if is_near(at) {
            text.push_str(&format!("{sign} {line}").trim_end().replace('\t', "    "));
            text.push('\n');
            is_cut = false;
        } else if !is_cut {
            text.push_str("  …\n");
            is_cut = true;
        }
    }
    text.trim_end_matches('\n').to_owned()
}

/// All lines, with a sign each.
fn changes<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<(char, &'a str)> {
    // The length of the longest common list of what follows a pair of places.
    let mut common = vec![vec![0_u16; new.len() + 1]; old.len() + 1];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            common[i][j] = if old[i] == new[j] {
                common[i + 1][j + 1] + 1
            } else {
                common[i + 1][j].max(common[i][j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut lines = Vec::with_capacity(old.len() + new.len());
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            lines.push((' ', old[i]));
            (i, j) = (i + 1, j + 1);
        } else if j == new.len() || (i < old.len() && common[i + 1][j] >= common[i][j + 1]) {
            lines.push(('-', old[i]));
            i += 1;
        } else {
            lines.push(('+', new[j]));
            j += 1;
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_changes_and_what_is_near_them_are_shown() {
        let before = "a\nb\nc\nd\ne\nf\n";
        let after = "a\nb\nc\nd\nE\nx\nf\n";

        assert_eq!(difference(before, after), "  …\n  c\n  d\n- e\n+ E\n+ x\n  f");
        assert_eq!(difference("", "a\n"), "+ a");
        assert_eq!(difference("a\n", "a\n"), "  …");
        // The same begin and the same end must not overlap.
        assert_eq!(difference("a\na\n", "a\na\na\n"), "  a\n  a\n+ a");
    }

    #[test]
    fn a_large_file_costs_no_more_than_its_change_and_a_large_change_is_counted() {
        let many = |word: &str| (0..3000).map(|number| format!("{word}{number}\n")).collect::<String>();
        let large = many("a");

        let changed = large.replace("\na1500\n", "\nx\n");
        let expected = "  …\n  a1498\n  a1499\n- a1500\n+ x\n  a1501\n  a1502\n  …";
        assert_eq!(difference(&large, &changed), expected);
        assert_eq!(difference("x\n", &large), "1 line replaced by 3000 lines");
        assert_eq!(difference(&large, &many("b")), "3000 lines replaced by 3000 lines");
    }
}
