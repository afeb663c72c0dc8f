//! A Rust file seen as code without its comments and strings, and as the strings alone.
//!
//! So that a rule which looks for a call does not fire on a sentence about it, nor one which looks for SQL
//! on a comment. A reader of tokens, not of grammar: it knows where things end, not what they mean.

/// A string literal and the line it begins on.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Literal {
    pub(super) line: usize,
    pub(super) text: String,
}

/// A file taken apart.
pub(super) struct RustText {
    /// The code, line for line; comments and the insides of strings are left out.
    pub(super) code: String,
    pub(super) literals: Vec<Literal>,
}

struct Reader {
    rest: std::collections::VecDeque<char>,
    line: usize,
    found: RustText,
}

impl RustText {
    pub(super) fn read(text: &str) -> Self {
        let found = Self { code: String::new(), literals: Vec::new() };
        let mut reader = Reader { rest: text.chars().collect(), line: 1, found };
        while reader.step() {}
        reader.found
    }

    /// Where the tests at the foot of a source file begin, if it has any.
    pub(super) fn first_test_line(&self) -> Option<usize> {
        let lines: Vec<&str> = self.code.lines().map(str::trim).collect();
        let opens = |pair: &[&str]| pair[0] == "#[cfg(test)]" && pair[1].starts_with("mod ");
        lines.windows(2).position(opens).map(|index| index + 1)
    }

    /// Lines of code with their numbers.
    pub(super) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.code.lines().enumerate().map(|(index, line)| (index + 1, line))
    }
}

impl Reader {
    fn step(&mut self) -> bool {
        if self.comes("//") {
            while self.rest.front().is_some_and(|c| *c != '\n') {
                self.skip();
            }
        } else if self.comes("/*") {
            self.skip_block_comment();
        } else if let Some(hashes) = self.raw_string_comes() {
            self.take_raw_string(hashes);
        } else if self.comes("\"") {
            self.take_string();
        } else if self.comes("'") {
            self.take_quote();
        } else if let Some(c) = self.skip() {
            if c != '\n' {
                self.found.code.push(c);
            }
        } else {
            return false;
        }
        true
    }

    fn comes(&self, text: &str) -> bool {
        self.rest.iter().take(text.len()).copied().eq(text.chars())
    }

    /// Drops one character; line ends stay in the code, so that its lines keep their numbers.
    fn skip(&mut self) -> Option<char> {
        let c = self.rest.pop_front()?;
        if c == '\n' {
            self.line += 1;
            self.found.code.push('\n');
        }
        Some(c)
    }

    fn skip_block_comment(&mut self) {
        let mut depth = 0;
        loop {
            let opens = self.comes("/*");
            let closes = self.comes("*/");
            depth = depth + i32::from(opens) - i32::from(closes);
            if self.skip().is_none() {
                return;
            }
            if opens || closes {
                self.skip();
            }
            if depth == 0 {
                return;
            }
        }
    }

    /// `r"…"` or `r#"…"#`, unless the r ends a name; `r#name` is not a string.
    fn raw_string_comes(&self) -> Option<usize> {
        if !self.comes("r") {
            return None;
        }
        let mut before = self.found.code.chars().rev().peekable();
        before.next_if(|c| matches!(c, 'b' | 'c'));
        if before.next().is_some_and(|c| c.is_alphanumeric() || c == '_') {
            return None;
        }
        let hashes = self.rest.iter().skip(1).take_while(|c| **c == '#').count();
        (self.rest.get(hashes + 1) == Some(&'"')).then_some(hashes)
    }

    fn take_raw_string(&mut self, hashes: usize) {
        for _ in 0..hashes + 2 {
            self.skip();
        }
        let end = format!("\"{}", "#".repeat(hashes));
        let (line, mut text) = (self.line, String::new());
        while !self.comes(&end)
            && let Some(c) = self.skip()
        {
            text.push(c);
        }
        for _ in 0..end.len() {
            self.skip();
        }
        self.keep(line, text);
    }

    fn take_string(&mut self) {
        self.skip();
        let (line, mut text) = (self.line, String::new());
        while let Some(c) = self.skip() {
            match c {
                '"' => break,
                '\\' => text.extend(self.escaped()),
                c => text.push(c),
            }
        }
        self.keep(line, text);
    }

    /// What an escape stands for, as far as rules care: all kinds of space are one space.
    fn escaped(&mut self) -> Option<char> {
        match self.skip()? {
            'n' | 't' | 'r' => Some(' '),
            '\n' => {
                while self.rest.front().is_some_and(|c| c.is_whitespace()) {
                    self.skip();
                }
                None
            }
            c => Some(c),
        }
    }

    /// A character literal is dropped; a lifetime is code.
    fn take_quote(&mut self) {
        self.skip();
        if self.comes("\\") {
            self.skip();
            self.skip();
            while self.rest.front().is_some_and(|c| *c != '\'') {
                self.skip();
            }
            self.skip();
        } else if self.rest.get(1) == Some(&'\'') {
            self.skip();
            self.skip();
        } else {
            self.found.code.push('\'');
        }
    }

    fn keep(&mut self, line: usize, text: String) {
        self.found.code.push_str("\"\"");
        self.found.literals.push(Literal { line, text });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn literals(text: &str) -> Vec<(usize, String)> {
        RustText::read(text).literals.into_iter().map(|literal| (literal.line, literal.text)).collect()
    }

    #[test]
    fn comments_are_left_out_and_lines_keep_their_numbers() {
        let text = RustText::read("one(); // \"no\"\n/* two /* nested */\n still */ three();\nfour();");

        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines, [(1, "one(); "), (2, ""), (3, " three();"), (4, "four();")]);
        assert!(text.literals.is_empty());
    }

    #[test]
    fn strings_of_every_kind_are_found_on_their_line() {
        let text =
            "a(\"x \\\"y\\\" // z\");\nb(r#\"raw \"quoted\"\"#); c(br\"bytes\");\nd(\"two \\\n    lines\");";

        let found = literals(text);

        let (quoted, raw) = ("x \"y\" // z".to_owned(), "raw \"quoted\"".to_owned());
        assert_eq!(found, [(1, quoted), (2, raw), (2, "bytes".into()), (3, "two lines".into())]);
    }

    #[test]
    fn tests_begin_at_their_module() {
        let text = "fn f() {}\n#[cfg(test)]\nfn g() {}\n\n#[cfg(test)]\nmod tests {\n}\n";

        assert_eq!(RustText::read(text).first_test_line(), Some(5));
        assert_eq!(RustText::read("mod tests {\n}\n").first_test_line(), None);
    }

    #[test]
    fn lifetimes_characters_and_raw_names_do_not_open_strings() {
        let text = "fn f<'a>(x: &'a str) { g('\"', '\\'', 'x', r#type, for_r); h(\"end\") }";

        assert_eq!(literals(text), [(1, "end".to_owned())]);
    }
}
