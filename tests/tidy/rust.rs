//! Rust, read as far as the rules of the house need it: its tokens, its string literals, and the paths that it names.

/// A Rust file.
pub struct Source {
    /// Its words and signs in their order, without comments. `::` is one token; a literal of text is `""`.
    pub tokens: Vec<String>,
    /// The literals of text, with the line of each.
    pub literals: Vec<(usize, String)>,
}

/// A path that a file names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// The modules in this file in which it is named, from the outermost.
    pub within: Vec<String>,
    /// Its parts as they are written, `crate`, `self` and `super` included.
    pub path: Vec<String>,
    /// How it is named.
    pub how: How,
}

/// How a path is named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum How {
    /// It is imported under this name.
    Import(String),
    /// All that it holds is imported.
    Glob,
    /// It is used where it stands.
    Used,
}

impl Source {
    /// Reads a text.
    pub fn read(text: &str) -> Source {
        let (mut tokens, mut literals) = (Vec::new(), Vec::new());
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let line = text[..text.len() - rest.len()].matches('\n').count() + 1;
            let mut end = first.len_utf8();
            if rest.starts_with("//") {
                end = rest.find('\n').unwrap_or(rest.len());
            } else if let Some((literal, length)) = text_literal(rest) {
                literals.push((line, literal.to_owned()));
                tokens.push("\"\"".to_owned());
                end = length;
            } else if first == '\'' {
                // A character, or else a lifetime.
                let after = rest[1..].chars().next().unwrap_or_default();
                let length = match after {
                    '\\' => rest[2..].char_indices().skip(1).find(|(_, at)| *at == '\'').map(|(at, _)| at + 3),
                    _ => rest[1 + after.len_utf8()..].starts_with('\'').then_some(2 + after.len_utf8()),
                };
                end = length.unwrap_or(1);
            } else if is_of_word(first) {
                end = rest.find(|character| !is_of_word(character)).unwrap_or(rest.len());
                tokens.push(rest[..end].to_owned());
            } else if rest.starts_with("::") {
                end = 2;
                tokens.push("::".to_owned());
            } else if !first.is_whitespace() {
                tokens.push(first.to_string());
            }
            rest = &rest[end..];
        }
        Source { tokens, literals }
    }

    /// All paths of more than one part, and all that is imported.
    pub fn names(&self) -> Vec<Named> {
        let (mut names, mut within) = (Vec::new(), Vec::new());
        let (mut depth, mut at) = (0, 0);
        while at < self.tokens.len() {
            match self.tokens[at].as_str() {
                "{" => depth += 1,
                "}" => {
                    depth -= 1;
                    within.retain(|(_, outside)| *outside < depth);
                }
                "mod" if self.token(at + 2) == "{" => within.push((self.tokens[at + 1].clone(), depth)),
                // `use<'a>` is a bound.
                "use" if self.token(at + 1) != "<" => {
                    let mut found = Vec::new();
                    at = self.import(at + 1, &mut Vec::new(), &mut found);
                    let within: Vec<String> = within.iter().map(|(name, _)| name.clone()).collect();
                    names.extend(found.into_iter().map(|(path, how)| Named { within: within.clone(), path, how }));
                }
                word if word.starts_with(is_of_word) && self.token(at + 1) == "::" => {
                    let mut path = vec![word.to_owned()];
                    while self.token(at + 1) == "::" && self.token(at + 2).starts_with(is_of_word) {
                        path.push(self.tokens[at + 2].clone());
                        at += 2;
                    }
                    let within = within.iter().map(|(name, _)| name.clone()).collect();
                    names.push(Named { within, path, how: How::Used });
                }
                _ => {}
            }
            at += 1;
        }
        names
    }

    /// The token at a place, and nothing behind the end.
    fn token(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", String::as_str)
    }

    /// Reads a tree of imports that begins here, below a path; the place of the token that ends it.
    fn import(&self, mut at: usize, path: &mut Vec<String>, found: &mut Vec<(Vec<String>, How)>) -> usize {
        let above = path.len();
        loop {
            match self.token(at) {
                "::" => {}
                "*" => found.push((path.clone(), How::Glob)),
                "{" => loop {
                    at = self.import(at + 1, path, found);
                    if self.token(at) != "," {
                        break;
                    }
                },
                "as" => {
                    at += 1;
                    found.push((path.clone(), How::Import(self.token(at).to_owned())));
                    path.truncate(above);
                }
                word if word.starts_with(is_of_word) => {
                    // `self` at the end of a path is the path.
                    if word != "self" || path.is_empty() {
                        path.push(word.to_owned());
                    }
                    if matches!(self.token(at + 1), "," | ";" | "}") {
                        found.push((path.clone(), How::Import(path.last().unwrap().clone())));
                    }
                }
                _ => break,
            }
            at += 1;
        }
        path.truncate(above);
        at
    }
}

fn is_of_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// The literal of text that begins here, raw or not: what is in it as it is written, and its whole length.
fn text_literal(rest: &str) -> Option<(&str, usize)> {
    if let Some(inner) = rest.strip_prefix('"') {
        let mut escaped = false;
        let close = inner.find(|character| {
            let closes = character == '"' && !escaped;
            escaped = character == '\\' && !escaped;
            closes
        });
        let close = close.expect("a string has an end");
        return Some((&inner[..close], close + 2));
    }
    let hashes = rest.strip_prefix('r')?.chars().take_while(|character| *character == '#').count();
    let inner = rest[1 + hashes..].strip_prefix('"')?;
    let closing = format!("\"{}", "#".repeat(hashes));
    let close = inner.find(&closing).expect("a raw string has an end");
    Some((&inner[..close], 2 + hashes + close + closing.len()))
}

#[test]
fn rust_is_read_rightly() {
    let text =
        "let a = \"one \\\" two\"; // \"not this\"\nlet b: &'a str = r#\"raw \"x\"\"#; let c = ('\"', '\\'', \"3\");";
    let literals = [(1, "one \\\" two".to_owned()), (2, "raw \"x\"".to_owned()), (2, "3".to_owned())];
    let source = Source::read(text);
    assert_eq!(source.literals, literals);
    assert!(!source.tokens.iter().any(|token| token == "this" || token == "raw"));
}

#[test]
fn imports_and_paths_are_read_rightly() {
    let text = "use crate::{db, commands::{self, send as s, wait::*}};
        use super::super::{a::b, c};
        mod inner { use super::x; fn f() { if true { crate::y::z() } } }
        fn g() -> impl T + use<'_> { std::fs::read(c::d) } // use crate::not;
        pub(crate) use self::e::F as _;";
    let named: Vec<(String, String, String)> = Source::read(text)
        .names()
        .into_iter()
        .map(|Named { within, path, how }| {
            let how = match how {
                How::Import(name) => name,
                How::Glob => "*".to_owned(),
                How::Used => String::new(),
            };
            (within.join("::"), path.join("::"), how)
        })
        .collect();
    let expected = [
        ("", "crate::db", "db"),
        ("", "crate::commands", "commands"),
        ("", "crate::commands::send", "s"),
        ("", "crate::commands::wait", "*"),
        ("", "super::super::a::b", "b"),
        ("", "super::super::c", "c"),
        ("inner", "super::x", "x"),
        ("inner", "crate::y::z", ""),
        ("", "std::fs::read", ""),
        ("", "c::d", ""),
        ("", "self::e::F", "_"),
    ];
    let named: Vec<_> = named.iter().map(|(a, b, c)| (a.as_str(), b.as_str(), c.as_str())).collect();
    assert_eq!(named, expected);
}
