//! Splits a command line of a shell into its commands. It understands what agents write to run tests; for loops,
//! conditions and groups it says so.

/// What follows a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Joint {
    /// `&&`
    And,
    /// `||`
    Or,
    /// `|`
    Pipe,
    /// `;` or the end of a line
    Then,
    /// `&`
    Background,
}

/// One command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct SimpleCommand {
    /// Its words, without quotes and redirections.
    pub(super) words: Vec<String>,
    /// What joins it to the next command. `None` for the last one, unless it runs in the background.
    pub(super) next: Option<Joint>,
}

/// Words that begin something that is not a simple command.
const KEYWORDS: [&str; 17] = [
    "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "select",
    "function", "!", "{", "}",
];

/// The commands of a line, or of several lines. `None` if it contains something else.
pub(super) fn commands(line: &str) -> Option<Vec<SimpleCommand>> {
    let mut splitter = Splitter { rest: ungrouped(line.trim()), ..Splitter::default() };
    while splitter.step()? {}
    splitter.end_command(None);
    // A line may end with `;`.
    if let Some(last) = splitter.commands.last_mut().filter(|last| last.next == Some(Joint::Then)) {
        last.next = None;
    }
    let is_simple = |command: &SimpleCommand| !KEYWORDS.contains(&command.words[0].as_str());
    splitter.commands.iter().all(is_simple).then_some(splitter.commands)
}

/// A line that is one group as a whole is the same without its parentheses.
fn ungrouped(line: &str) -> &str {
    match line.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
        Some(inner) if !inner.contains(['(', ')']) => inner,
        _ => line,
    }
}

#[derive(Debug, Default)]
struct Splitter<'a> {
    rest: &'a str,
    commands: Vec<SimpleCommand>,
    words: Vec<String>,
    /// The word that is being read. Some, also if it is empty, after a quote.
    word: Option<String>,
    /// The next word is the target of a redirection.
    is_target: bool,
    /// Ends of texts that begin at the next line.
    here_ends: Vec<String>,
    /// The next word is the end of such a text.
    is_here_end: bool,
}

impl Splitter<'_> {
    /// Reads one part of the line. Returns false at its end, and `None` for syntax that is not understood.
    fn step(&mut self) -> Option<bool> {
        let rest = self.rest;
        let Some(letter) = rest.chars().next() else { return Some(false) };
        let after = &rest[letter.len_utf8()..];
        match letter {
            '\'' => {
                let (quoted, after) = after.split_once('\'')?;
                self.push(quoted);
                self.rest = after;
            }
            '"' => self.double_quoted(after)?,
            '\\' => {
                let next = after.chars().next()?;
                // A line break is left out with its backslash.
                if next != '\n' {
                    self.push(next.encode_utf8(&mut [0; 4]));
                }
                self.rest = &after[next.len_utf8()..];
            }
            '`' => {
                let (_, after) = after.split_once('`')?;
                self.push("`…`");
                self.rest = after;
            }
            '$' if after.starts_with('(') => {
                let end = closing(after)?;
                self.push("$(…)");
                self.rest = &after[end..];
            }
            '#' if self.word.is_none() => self.rest = &after[after.find('\n').unwrap_or(after.len())..],
            '\n' => {
                self.rest = after;
                self.end_command(Some(Joint::Then));
                self.skip_here_texts();
            }
            ' ' | '\t' | '\r' => {
                self.rest = after;
                self.end_word();
            }
            '&' if after.starts_with('>') => self.redirection(&after[1..])?,
            '<' | '>' => self.redirection(after)?,
            ';' | '&' | '|' => self.operator(letter, after)?,
            '(' | ')' => return None,
            _ => {
                self.push(letter.encode_utf8(&mut [0; 4]));
                self.rest = after;
            }
        }
        Some(true)
    }

    fn operator(&mut self, letter: char, after: &str) -> Option<()> {
        let is_double = after.starts_with(letter);
        let joint = match (letter, is_double) {
            ('&', true) => Joint::And,
            ('|', true) => Joint::Or,
            ('&', false) => Joint::Background,
            ('|', false) => Joint::Pipe,
            (_, false) => Joint::Then,
            // `;;` is part of a `case`.
            (_, true) => return None,
        };
        let skipped = if is_double || (letter == '|' && after.starts_with('&')) { 2 } else { 1 };
        self.rest = &self.rest[skipped..];
        self.end_command(Some(joint));
        Some(())
    }

    fn double_quoted(&mut self, mut after: &str) -> Option<()> {
        let mut text = String::new();
        loop {
            let letter = after.chars().next()?;
            let rest = &after[letter.len_utf8()..];
            match letter {
                '"' => {
                    self.push(&text);
                    self.rest = &self.rest[self.rest.len() - rest.len()..];
                    return Some(());
                }
                '\\' => {
                    let next = rest.chars().next()?;
                    text.push(next);
                    after = &rest[next.len_utf8()..];
                }
                '$' if rest.starts_with('(') => {
                    text.push_str("$(…)");
                    after = &rest[closing(rest)?..];
                }
                other => {
                    text.push(other);
                    after = rest;
                }
            }
        }
    }

    /// A redirection; `after` begins after its first sign.
    fn redirection(&mut self, after: &str) -> Option<()> {
        if after.starts_with('(') {
            return None;
        }
        // The number of a file, as in `2>&1`.
        match self.word.take() {
            Some(word) if !word.bytes().all(|byte| byte.is_ascii_digit()) => {
                self.word = Some(word);
                self.end_word();
            }
            _ => {}
        }
        let is_here = self.rest.starts_with("<<") && !self.rest.starts_with("<<<");
        let signs =
            after.find(|letter| !matches!(letter, '<' | '>' | '&' | '|' | '-')).unwrap_or(after.len());
        // `2>&-` closes a file, and has no target.
        self.is_target = !is_here && !after[..signs].ends_with('-');
        self.is_here_end = is_here;
        self.rest = &self.rest[self.rest.len() - after.len() + signs..];
        Some(())
    }

    fn push(&mut self, text: &str) {
        self.word.get_or_insert_default().push_str(text);
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        if std::mem::take(&mut self.is_here_end) {
            self.here_ends.push(word);
        } else if !std::mem::take(&mut self.is_target) {
            self.words.push(word);
        }
    }

    fn end_command(&mut self, next: Option<Joint>) {
        self.end_word();
        let words = std::mem::take(&mut self.words);
        if words.is_empty() {
            // A line break after `&&`, or an empty line.
            return;
        }
        self.commands.push(SimpleCommand { words, next });
    }

    /// Skips the texts that begin after this line break.
    fn skip_here_texts(&mut self) {
        for end in std::mem::take(&mut self.here_ends) {
            let mut left = self.rest;
            loop {
                let (line, after) = left.split_once('\n').unwrap_or((left, ""));
                left = after;
                if line.trim_start_matches('\t') == end || left.is_empty() {
                    break;
                }
            }
            self.rest = left;
        }
    }
}

/// The place after the parenthesis that closes the first one.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use Joint::*;

    fn split(line: &str) -> Vec<(String, Option<Joint>)> {
        let commands = commands(line).unwrap_or_else(|| panic!("not understood: {line}"));
        commands.into_iter().map(|command| (command.words.join("|"), command.next)).collect()
    }

    fn of(parts: &[(&str, Option<Joint>)]) -> Vec<(String, Option<Joint>)> {
        parts.iter().map(|(words, next)| ((*words).to_owned(), *next)).collect()
    }

    #[test]
    fn commands_are_split_at_operators_and_not_inside_quotes() {
        assert_eq!(split("cargo test"), of(&[("cargo|test", None)]));
        let line = "cd 'a b' && RUST_LOG=x cargo test -- \"x && y\" | tee log; echo $?";
        let expected = of(&[
            ("cd|a b", Some(And)),
            ("RUST_LOG=x|cargo|test|--|x && y", Some(Pipe)),
            ("tee|log", Some(Then)),
            ("echo|$?", None),
        ]);
        assert_eq!(split(line), expected);
        assert_eq!(
            split("a || b & c\nd"),
            of(&[("a", Some(Or)), ("b", Some(Background)), ("c", Some(Then)), ("d", None)])
        );
        assert_eq!(split("(cd x && pytest)"), of(&[("cd|x", Some(And)), ("pytest", None)]));
        assert_eq!(split("npm test \\\n  -- --run"), of(&[("npm|test|--|--run", None)]));
        assert_eq!(split("a &&\n b # c && d\n"), of(&[("a", Some(And)), ("b", None)]));
        assert_eq!(split("a;"), of(&[("a", None)]));
        assert_eq!(split("a &"), of(&[("a", Some(Background))]));
    }

    #[test]
    fn redirections_substitutions_and_texts_are_no_words() {
        assert_eq!(split("pytest -q >out.txt 2>&1"), of(&[("pytest|-q", None)]));
        assert_eq!(split("pytest &> log 2>/dev/null < in 2>&-"), of(&[("pytest", None)]));
        assert_eq!(split("x \"$(a | b)\" $(c && d) `e; f`"), of(&[("x|$(…)|$(…)|`…`", None)]));
        let text = "cat > t.sh <<'EOF'\ncargo test || true\nEOF\npytest";
        assert_eq!(split(text), of(&[("cat", Some(Then)), ("pytest", None)]));
        assert_eq!(
            split("git commit -m \"it's \\\"done\\\"\""),
            of(&[("git|commit|-m|it's \"done\"", None)])
        );
    }

    #[test]
    fn loops_conditions_and_open_quotes_are_not_understood() {
        for line in [
            "for i in 1 2; do pytest; done",
            "if pytest; then a; fi",
            "a 'b",
            "a \"b",
            "! pytest",
            "{ pytest; }",
            "(a) && (b)",
            "diff <(a) <(b)",
            "case x in y) pytest;; esac",
            "echo $(a",
            "x \\",
        ] {
            assert_eq!(commands(line), None, "{line}");
        }
        assert_eq!(commands("").unwrap(), []);
        assert_eq!(commands(" # only a comment").unwrap(), []);
    }
}
