//! A Rust file as code without its comments and strings, and as the strings alone.
//!
//! A rule that searches for a call must not match a comment about it, and a rule that searches for SQL must not match
//! a comment either. `proc-macro2` splits the text into tokens; this module only arranges them.

use std::str::FromStr as _;

use proc_macro2::{Delimiter, LineColumn, Literal, Span, TokenStream, TokenTree};

/// A string literal and the line on which it begins.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct StringLiteral {
    pub(crate) line: usize,
    pub(crate) text: String,
}

/// The tokens of one file. Empty if the file is not valid Rust, which the compiler reports.
#[derive(Default)]
pub(crate) struct RustText {
    /// One entry per source line: the code of that line without comments; every string is `""`.
    code: Vec<String>,
    pub(crate) literals: Vec<StringLiteral>,
}

impl RustText {
    pub(crate) fn read(text: &str) -> Self {
        let Ok(tokens) = TokenStream::from_str(text) else { return Self::default() };
        let mut found = Self { code: vec![String::new(); text.lines().count()], literals: Vec::new() };
        found.take(tokens);
        found
    }

    /// The line where the test module at the end of a source file begins.
    pub(crate) fn first_test_line(&self) -> Option<usize> {
        let lines: Vec<&str> = self.code.iter().map(|line| line.trim()).collect();
        let opens = |pair: &[&str]| pair[0] == "#[cfg(test)]" && pair[1].starts_with("mod ");
        lines.windows(2).position(opens).map(|index| index + 1)
    }

    /// Lines of code with their numbers.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.code.iter().enumerate().map(|(index, line)| (index + 1, line.as_str()))
    }

    fn take(&mut self, tokens: TokenStream) {
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            match token {
                // A doc comment arrives as an attribute whose tokens all have the place of the comment.
                TokenTree::Punct(mark) if mark.as_char() == '#' && is_comment(mark.span()) => {
                    tokens.next_if(|next| matches!(next, TokenTree::Punct(bang) if bang.as_char() == '!'));
                    tokens.next();
                }
                TokenTree::Punct(mark) => self.write(mark.span().start(), &mark.as_char().to_string()),
                TokenTree::Ident(name) => self.write(name.span().start(), &name.to_string()),
                TokenTree::Literal(literal) => self.take_literal(&literal),
                TokenTree::Group(group) => {
                    let (open, close) = match group.delimiter() {
                        Delimiter::Parenthesis => ("(", ")"),
                        Delimiter::Brace => ("{", "}"),
                        Delimiter::Bracket => ("[", "]"),
                        Delimiter::None => ("", ""),
                    };
                    self.write(group.span_open().start(), open);
                    self.take(group.stream());
                    self.write(group.span_close().start(), close);
                }
            }
        }
    }

    fn take_literal(&mut self, literal: &Literal) {
        let start = literal.span().start();
        let text = match syn::Lit::new(literal.clone()) {
            syn::Lit::Str(text) => text.value(),
            syn::Lit::ByteStr(bytes) => String::from_utf8_lossy(&bytes.value()).into_owned(),
            syn::Lit::Char(_) | syn::Lit::Byte(_) => return,
            _ => return self.write(start, &literal.to_string()),
        };
        self.write(start, "\"\"");
        self.literals.push(StringLiteral { line: start.line, text });
    }

    /// Appends a token to its line, at the column it has in the source if nothing is there yet.
    fn write(&mut self, at: LineColumn, token: &str) {
        let Some(line) = self.code.get_mut(at.line - 1) else { return };
        let width = line.chars().count();
        line.extend(std::iter::repeat_n(' ', at.column.saturating_sub(width)));
        line.push_str(token);
    }
}

/// In a doc comment the mark `#` does not exist in the text, so its place is longer than one character.
fn is_comment(mark: Span) -> bool {
    mark.byte_range().len() > 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn literals(text: &str) -> Vec<(usize, String)> {
        RustText::read(text).literals.into_iter().map(|literal| (literal.line, literal.text)).collect()
    }

    #[test]
    fn comments_are_left_out_and_lines_keep_their_numbers() {
        let text = RustText::read(
            "//! \"no\"\none(); // \"no\"\n/* two /* nested */\n still */ three();\n/// \"no\"\nfn four() {}",
        );

        let lines: Vec<_> = text.lines().filter(|(_, line)| !line.is_empty()).collect();
        assert_eq!(lines, [(2, "one();"), (4, "          three();"), (6, "fn four() {}")]);
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
