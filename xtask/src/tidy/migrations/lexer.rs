//! Splits SQL into statements and tokens: enough to recognise statements that lock a table, not to understand them.

/// A statement.
pub(super) struct Statement {
    pub(super) tokens: Vec<Token>,
    /// The line of its first token.
    pub(super) line: usize,
    /// The reason in a comment above or inside the statement that makes it acceptable.
    pub(super) excuse: Option<String>,
}

/// A part of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// A keyword or a name, in small letters. Quotes of a name are removed.
    Word(String),
    /// The content of a string.
    Text(String),
    /// Anything else, one character each.
    Symbol(char),
}

impl Token {
    pub(super) fn is(&self, word: &str) -> bool {
        match self {
            Self::Word(known) => known == word,
            Self::Symbol(symbol) => word.len() == 1 && word.starts_with(*symbol),
            Self::Text(_) => false,
        }
    }
}

/// Starts a comment that excuses a statement.
pub(super) const EXCUSE: &str = "lock-safe:";

/// The statements of a text.
pub(super) fn statements(sql: &str) -> Vec<Statement> {
    let mut lexer = Lexer { rest: sql, line: 1 };
    let mut statements = Vec::new();
    let mut current = Statement { tokens: Vec::new(), line: 1, excuse: None };
    while let Some(part) = lexer.next_part() {
        match part {
            Part::Comment(text) => {
                if let Some(excuse) = text.trim().strip_prefix(EXCUSE) {
                    current.excuse = Some(excuse.trim().to_owned());
                }
            }
            Part::Token(Token::Symbol(';'), _) => {
                let empty = Statement { tokens: Vec::new(), line: lexer.line, excuse: None };
                statements.push(std::mem::replace(&mut current, empty));
            }
            Part::Token(token, line) => {
                if current.tokens.is_empty() {
                    current.line = line;
                }
                current.tokens.push(token);
            }
        }
    }
    statements.push(current);
    statements.retain(|statement| !statement.tokens.is_empty());
    statements
}

enum Part<'a> {
    Comment(&'a str),
    Token(Token, usize),
}

struct Lexer<'a> {
    rest: &'a str,
    line: usize,
}

impl<'a> Lexer<'a> {
    fn next_part(&mut self) -> Option<Part<'a>> {
        let blank = self.rest.len() - self.rest.trim_start().len();
        self.take(blank);
        let (first, line) = (self.rest.chars().next()?, self.line);
        if let Some(comment) = self.rest.strip_prefix("--") {
            let text = comment.lines().next().unwrap_or_default();
            self.take(2 + text.len());
            return Some(Part::Comment(text));
        }
        if self.rest.starts_with("/*") {
            let end = self.rest.find("*/").map_or(self.rest.len(), |at| at + 2);
            let text = self.take(end);
            return Some(Part::Comment(text));
        }
        let token = match first {
            '\'' => Token::Text(self.quoted('\'')),
            '"' => Token::Word(self.quoted('"')),
            '$' => self.dollar(),
            c if c.is_alphabetic() || c == '_' => {
                let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
                let end = self.rest.find(|c| !is_name(c)).unwrap_or(self.rest.len());
                Token::Word(self.take(end).to_lowercase())
            }
            c => {
                self.take(c.len_utf8());
                Token::Symbol(c)
            }
        };
        Some(Part::Token(token, line))
    }

    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.line += taken.matches('\n').count();
        self.rest = rest;
        taken
    }

    /// A quoted text. A doubled quote stands for one.
    fn quoted(&mut self, quote: char) -> String {
        self.take(1);
        let mut text = String::new();
        loop {
            let end = self.rest.find(quote).unwrap_or(self.rest.len());
            text.push_str(self.take(end));
            if !self.rest.is_empty() {
                self.take(1);
            }
            if !self.rest.starts_with(quote) {
                return text;
            }
            text.push(quote);
            self.take(1);
        }
    }

    /// A text between two equal tags such as `$$` or `$body$`, or the sign alone.
    fn dollar(&mut self) -> Token {
        let name = self.rest[1..].split('$').next().unwrap_or_default();
        let is_tag = self.rest[1 + name.len()..].starts_with('$')
            && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        if !is_tag {
            self.take(1);
            return Token::Symbol('$');
        }
        let tag = self.take(name.len() + 2);
        let end = self.rest.find(tag).unwrap_or(self.rest.len());
        let text = self.take(end).to_owned();
        self.take(tag.len().min(self.rest.len()));
        Token::Text(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(statement: &Statement) -> Vec<String> {
        let shown = |token: &Token| match token {
            Token::Word(word) => word.clone(),
            Token::Text(text) => format!("<{text}>"),
            Token::Symbol(symbol) => symbol.to_string(),
        };
        statement.tokens.iter().map(shown).collect()
    }

    #[test]
    fn statements_are_split_outside_of_strings_and_comments() {
        let found = statements(
            "-- Why; it is.\ncreate table A (b int); /* ; */\n\ninsert into \"C\" values ('x;''y');\n\
             do $$ begin; end $$",
        );

        let lines: Vec<usize> = found.iter().map(|statement| statement.line).collect();
        assert_eq!(lines, [2, 4, 5]);
        assert_eq!(words(&found[0]), ["create", "table", "a", "(", "b", "int", ")"]);
        assert_eq!(words(&found[1]), ["insert", "into", "C", "values", "(", "<x;'y>", ")"]);
        assert_eq!(words(&found[2]), ["do", "< begin; end >"]);
    }

    #[test]
    fn a_dollar_without_a_tag_is_a_symbol() {
        assert_eq!(words(&statements("select $1, $a$b$a$")[0]), ["select", "$", "1", ",", "<b>"]);
    }

    #[test]
    fn an_excuse_belongs_to_the_next_statement() {
        let found = statements("select 1;\n-- lock-safe: one row per member\nselect 2;\nselect 3");

        let excuses: Vec<Option<&str>> = found.iter().map(|statement| statement.excuse.as_deref()).collect();
        assert_eq!(excuses, [None, Some("one row per member"), None]);
    }
}
