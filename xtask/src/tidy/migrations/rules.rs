//! Which statements hold a lock on a table in use for longer than a moment, and what to do instead.

use std::collections::HashSet;

use super::lexer::{Statement, Token, statements};

const REWRITES: &str = "rewrites the table while all other statements on it wait";
const INDEX: &str = "builds an index while writes wait: put it into crates/store/src/indexes.rs";
const NOT_VALID: &str =
    "checks all rows while writes wait: add it as `not valid`, and validate it in a later migration";
const IN_USE: &str = "the previous release may still use it: remove it one release later";
const ROWS: &str = "changes all rows in one transaction: let the server do it in batches";

/// Types whose values come from a sequence, so that every row gets another one.
const SERIAL: [&str; 6] = ["serial", "bigserial", "smallserial", "serial4", "serial8", "serial2"];
/// Functions with the same result for all rows of a statement.
const CONSTANT_FUNCTIONS: [&str; 3] = ["now", "transaction_timestamp", "statement_timestamp"];
/// What can follow the default of a column.
const COLUMN_WORDS: [&str; 9] =
    ["not", "null", "check", "constraint", "references", "unique", "primary", "generated", "collate"];
/// Words before a statement inside a `do` block.
const BEFORE_STATEMENT: [&str; 5] = [";", "begin", "then", "else", "loop"];

/// The tables of one migration.
#[derive(Default)]
pub(super) struct Tables {
    /// Created here, so they are empty and no one else uses them.
    created: HashSet<String>,
    /// Those that got a constraint that is not validated yet.
    constrained: HashSet<String>,
}

/// Why a statement is refused.
pub(super) fn refusal(statement: &Statement, tables: &mut Tables) -> Option<String> {
    check(&statement.tokens, tables)
}

fn check(tokens: &[Token], tables: &mut Tables) -> Option<String> {
    let at = |index: usize| tokens.get(index).map(text).unwrap_or_default();
    match (at(0).as_str(), at(1).as_str()) {
        ("create", _) => create(tokens, tables),
        ("alter", "table") => alter_table(&tokens[2..], tables),
        ("drop", "table") => existing(name_after(&tokens[2..]), tables).map(|table| about(&table, IN_USE)),
        ("truncate" | "lock" | "cluster" | "vacuum" | "reindex" | "refresh", _) => {
            Some(format!("`{}` locks a table for a long time", at(0)))
        }
        ("do", _) => tokens.iter().find_map(|token| match token {
            Token::Text(body) => check_block(body, tables),
            _ => None,
        }),
        _ => rows(tokens, tables),
    }
}

fn create(tokens: &[Token], tables: &mut Tables) -> Option<String> {
    let kind = tokens.iter().position(|token| ["table", "index"].iter().any(|word| token.is(word)));
    // The word can also be part of another statement, such as the body of a view.
    let kind = kind.filter(|at| *at <= 2)?;
    if tokens[kind].is("table") {
        tables.created.insert(name_after(&tokens[kind + 1..]));
        return None;
    }
    if tokens.iter().any(|token| token.is("concurrently")) {
        return Some(
            "a migration is a transaction: put the index into crates/store/src/indexes.rs".to_owned(),
        );
    }
    let on = tokens.iter().position(|token| token.is("on"))?;
    existing(name_after(&tokens[on + 1..]), tables).map(|table| about(&table, INDEX))
}

fn alter_table(tokens: &[Token], tables: &mut Tables) -> Option<String> {
    let name = name_after(tokens);
    let table = existing(name.clone(), tables)?;
    // A placeholder of `format` has two tokens, such as `%` and `i`.
    let length = if name == "%" { 2 } else { 1 };
    let begin = tokens.iter().position(|token| token.is(&name)).unwrap_or(0) + length;
    let actions = split(tokens.get(begin..).unwrap_or_default());
    actions.iter().find_map(|action| alter_action(&table, action, tables)).map(|why| about(&table, &why))
}

fn alter_action(table: &str, action: &[Token], tables: &mut Tables) -> Option<String> {
    let has = |words: &[&str]| contains(action, words);
    let first = action.first().map(text).unwrap_or_default();
    let why = match first.as_str() {
        "add" => return add(table, &action[1..], tables),
        "alter" if has(&["type"]) => REWRITES,
        "alter" if has(&["set", "not", "null"]) => {
            "reads all rows while all other statements wait: add `check (… is not null) not valid`, validate it in a later \
             migration, and drop it after this"
        }
        "set" if ["logged", "unlogged", "tablespace", "access"].iter().any(|word| has(&[word])) => REWRITES,
        "validate" if tables.constrained.contains(table) => {
            "validate it in a later migration: the lock of adding it is held until the end of this one"
        }
        "drop" if !has(&["drop", "constraint"]) => IN_USE,
        "rename" => IN_USE,
        "attach" => "reads the whole partition and the default partition while other statements wait",
        _ => return None,
    };
    Some(why.to_owned())
}

/// A column or a constraint.
fn add(table: &str, action: &[Token], tables: &mut Tables) -> Option<String> {
    let has = |words: &[&str]| contains(action, words);
    let first = action.first().map(text).unwrap_or_default();
    let is_constraint = ["constraint", "check", "unique", "primary", "foreign", "exclude"];
    if is_constraint.contains(&first.as_str()) {
        let why = match () {
            () if has(&["using", "index"]) => return None,
            () if has(&["unique"]) || has(&["primary", "key"]) || has(&["exclude"]) => INDEX,
            () if has(&["not", "valid"]) => {
                tables.constrained.insert(table.to_owned());
                return None;
            }
            () => NOT_VALID,
        };
        return Some(why.to_owned());
    }
    let is_serial = action.iter().any(|token| SERIAL.iter().any(|word| token.is(word)));
    let why = match () {
        () if is_serial || has(&["identity"]) || (has(&["generated"]) && has(&["stored"])) => REWRITES,
        () if has_variable_default(action) => {
            "rewrites the table, because the default differs for each row: add the column without it"
        }
        () if has(&["unique"]) || has(&["primary", "key"]) => INDEX,
        () if has(&["check"]) || has(&["references"]) => NOT_VALID,
        () if has(&["not", "null"]) && !has(&["default"]) => {
            "fails if the table has rows: give the column a default"
        }
        () => return None,
    };
    Some(why.to_owned())
}

/// Whether the default of a column calls a function whose result is not the same for all rows.
fn has_variable_default(column: &[Token]) -> bool {
    let Some(default) = column.iter().position(|token| token.is("default")) else { return false };
    let expression: Vec<&Token> = column[default + 1..]
        .iter()
        .take_while(|token| !COLUMN_WORDS.iter().any(|word| token.is(word)))
        .collect();
    expression.windows(2).any(|pair| match pair {
        [Token::Word(function), open] => open.is("(") && !CONSTANT_FUNCTIONS.contains(&function.as_str()),
        _ => false,
    })
}

/// Statements that change rows of a table in use.
fn rows(tokens: &[Token], tables: &Tables) -> Option<String> {
    let changed = tokens.iter().enumerate().find_map(|(at, token)| {
        let rest = &tokens[at + 1..];
        let is_update = token.is("update") && contains(rest, &["set"]) && !rest.first()?.is("set");
        let is_delete = token.is("delete") && rest.first()?.is("from");
        // `for update` and `on conflict do update` change no rows of their own.
        let table = match (is_update, is_delete || token.is("merge")) {
            (true, _) => name_after(rest),
            (_, true) => name_after(&rest[1..]),
            _ => return None,
        };
        existing(table, tables)
    });
    changed.map(|table| about(&table, ROWS))
}

/// The statements of a `do` block, and the texts that it executes.
fn check_block(body: &str, tables: &mut Tables) -> Option<String> {
    for statement in statements(body) {
        let tokens = &statement.tokens;
        if statement.excuse.is_some() {
            continue;
        }
        let follows = |at: usize| BEFORE_STATEMENT.iter().any(|word| tokens[at - 1].is(word));
        let starts = (0..tokens.len()).filter(|at| *at == 0 || follows(*at));
        for start in starts {
            let part = &tokens[start..];
            let executed = part.first().filter(|token| token.is("execute")).is_some();
            let refused = match executed {
                true => part.iter().find_map(|token| match token {
                    Token::Text(sql) => statements(sql).iter().find_map(|inner| check(&inner.tokens, tables)),
                    _ => None,
                }),
                false => check(part, tables),
            };
            if refused.is_some() {
                return refused;
            }
        }
    }
    None
}

/// The table, if it was not created by this migration.
fn existing(table: String, tables: &Tables) -> Option<String> {
    (!tables.created.contains(&table)).then_some(table)
}

/// The name after words such as `if not exists` and `only`.
fn name_after(tokens: &[Token]) -> String {
    let skipped = ["if", "not", "exists", "only", "into", "from"];
    let name = tokens.iter().find(|token| !skipped.iter().any(|word| token.is(word)));
    name.map(text).unwrap_or_default()
}

fn text(token: &Token) -> String {
    match token {
        Token::Word(word) => word.clone(),
        Token::Text(_) => "'".to_owned(),
        Token::Symbol(symbol) => symbol.to_string(),
    }
}

fn contains(tokens: &[Token], words: &[&str]) -> bool {
    let matches = |window: &[Token]| window.iter().zip(words).all(|(token, word)| token.is(word));
    tokens.windows(words.len()).any(matches)
}

/// Splits at commas outside of parentheses.
fn split(tokens: &[Token]) -> Vec<&[Token]> {
    let (mut depth, mut from, mut parts) = (0_i32, 0, Vec::new());
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Symbol('(') => depth += 1,
            Token::Symbol(')') => depth -= 1,
            Token::Symbol(',') if depth == 0 => {
                parts.push(&tokens[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&tokens[from..]);
    parts
}

fn about(table: &str, why: &str) -> String {
    format!("`{table}`: {why}")
}
