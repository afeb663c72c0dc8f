//! Shows a change of a text as lines with `-` and `+`.

/// How many unchanged lines are shown around a change.
const CONTEXT: usize = 2;

/// The lines that changed. A settings file is changed in few places, and lines in between stay: they are found as the longest
/// list of lines that both texts have in this order.
pub(super) fn difference(before: &str, after: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let lines = lines(&old, &new);
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
fn lines<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<(char, &'a str)> {
    // The length of the longest common list of what follows a pair of places.
    let mut common = vec![vec![0_usize; new.len() + 1]; old.len() + 1];
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
    }
}
