//! The files of the program, and which of them uses which.

use std::collections::{BTreeMap, BTreeSet};

use super::rust::{How, Named, Source};

/// A file of the program.
pub struct File {
    /// The module that it is.
    module: Vec<String>,
    /// The paths that it names.
    names: Vec<Named>,
    /// The macros and methods that it calls.
    calls: BTreeSet<String>,
}

/// What a path means: something in the program, from its root, or something of another crate.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Meaning {
    Own(Vec<String>),
    Other(Vec<String>),
}

impl Meaning {
    fn with(self, more: &[String]) -> Meaning {
        match self {
            Meaning::Own(path) => Meaning::Own([&path, more].concat()),
            Meaning::Other(path) => Meaning::Other([&path, more].concat()),
        }
    }
}

/// The files of the program by their paths below `src`.
pub struct Program {
    pub files: BTreeMap<String, File>,
    /// The file of each module.
    modules: BTreeMap<Vec<String>, String>,
}

/// The module that a file is.
fn module(path: &str) -> Vec<String> {
    let mut parts: Vec<String> = path.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    if ["mod", "main", "lib"].contains(&parts[parts.len() - 1].as_str()) {
        parts.pop();
    }
    parts
}

impl Program {
    pub fn read(texts: impl IntoIterator<Item = (String, String)>) -> Program {
        let (mut files, mut modules) = (BTreeMap::new(), BTreeMap::new());
        for (path, text) in texts {
            let (path, module) = (path.trim_start_matches("src/").to_owned(), module(&path["src/".len()..]));
            let source = Source::read(&text);
            let calls = source.tokens.windows(3).filter_map(|tokens| match tokens {
                [name, sign, _] if sign == "!" => Some(format!("{name}!")),
                [sign, name, open] if sign == "." && open == "(" => Some(format!(".{name}")),
                _ => None,
            });
            files.insert(path.clone(), File { module: module.clone(), names: source.names(), calls: calls.collect() });
            // Of a library and a program in one package, the library is the root: it comes first.
            modules.entry(module).or_insert(path);
        }
        Program { files, modules }
    }

    /// A program of these files.
    pub fn of(files: &[(&str, &str)]) -> Program {
        Program::read(files.iter().map(|(path, text)| (format!("src/{path}"), (*text).to_owned())))
    }

    /// What a path means that this file names.
    fn meaning(&self, file: &str, named: &Named) -> Meaning {
        let File { module, names, .. } = &self.files[file];
        let module = [module.as_slice(), &named.within].concat();
        let (first, rest) = named.path.split_first().unwrap();
        match first.as_str() {
            "crate" | env!("CARGO_PKG_NAME") => return Meaning::Own(rest.to_vec()),
            "self" => return Meaning::Own([&module, rest].concat()),
            "super" => {
                let ups = named.path.iter().take_while(|part| *part == "super").count();
                return Meaning::Own([&module[..module.len() - ups], &named.path[ups..]].concat());
            }
            _ => {}
        }
        if self.modules.contains_key(&[module.as_slice(), &named.path[..1]].concat()) {
            return Meaning::Own([&module, &named.path[..]].concat());
        }
        let beside = names.iter().filter(|other| other.within == named.within && *other != named);
        for other in beside {
            match &other.how {
                How::Import(name) if name == first && other.path[0] != *first => {
                    return self.meaning(file, other).with(rest);
                }
                How::Glob if other.path[0] != *first => {
                    if let Meaning::Own(path) = self.meaning(file, other)
                        && self.holds(&path, first)
                    {
                        return Meaning::Own([&path, &named.path[..]].concat());
                    }
                }
                _ => {}
            }
        }
        Meaning::Other(named.path.clone())
    }

    /// Whether a module has a module below it, or an import, of this name.
    fn holds(&self, module: &[String], name: &str) -> bool {
        let below = [module, &[name.to_owned()]].concat();
        self.modules.contains_key(&below)
            || self.modules.get(module).is_some_and(|file| self.import(file, name).is_some())
    }

    /// What a file imports under this name.
    fn import(&self, file: &str, name: &str) -> Option<&Named> {
        let imports = |named: &&Named| named.within.is_empty() && named.how == How::Import(name.to_owned());
        self.files[file].names.iter().find(imports)
    }

    /// The file that holds what a path from the root names: where it is defined, not where it is passed on.
    fn home(&self, path: &[String]) -> Option<String> {
        let length = (0..=path.len()).rev().find(|length| self.modules.contains_key(&path[..*length]))?;
        let file = &self.modules[&path[..length]];
        let passed_on = path.get(length).and_then(|name| self.import(file, name));
        match passed_on.map(|named| self.meaning(file, named).with(&path[length + 1..])) {
            Some(Meaning::Own(further)) if further != path => self.home(&further),
            // A type of another crate.
            Some(Meaning::Other(_)) => None,
            _ => Some(file.clone()),
        }
    }

    /// The files that a file uses.
    pub fn uses(&self, file: &str) -> BTreeSet<String> {
        let own = self.files[file].names.iter().filter_map(|named| match self.meaning(file, named) {
            Meaning::Own(path) => self.home(&path),
            Meaning::Other(_) => None,
        });
        own.filter(|used| used != file).collect()
    }

    /// What a file uses of other crates, each as a whole path, and what it calls.
    pub fn foreign(&self, file: &str) -> BTreeSet<String> {
        let File { names, calls, .. } = &self.files[file];
        let paths = names.iter().filter_map(|named| match self.meaning(file, named) {
            Meaning::Own(_) => None,
            Meaning::Other(path) => Some(path.join("::")),
        });
        paths.chain(calls.iter().cloned()).collect()
    }

    /// The sets of files that use each other in a circle, but for some arrows. That the file of a folder uses the files
    /// in the folder closes none: it stands for the folder, and passes on what they do. What they use of it counts.
    pub fn circles(&self, but: &[(&str, &str)]) -> BTreeSet<Vec<String>> {
        let passes_on = |file: &str, used: &str| {
            let (outer, inner) = (&self.files[file].module, &self.files[used].module);
            !outer.is_empty() && inner.starts_with(outer)
        };
        let arrows = |file: &str| -> BTreeSet<String> {
            let used = self.uses(file).into_iter();
            used.filter(|used| !passes_on(file, used) && !but.contains(&(file, used))).collect()
        };
        let arrows: BTreeMap<&str, BTreeSet<String>> =
            self.files.keys().map(|file| (file.as_str(), arrows(file))).collect();
        let mut reached: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for from in arrows.keys() {
            let (found, mut open) = (reached.entry(from).or_default(), vec![*from]);
            while let Some(file) = open.pop() {
                open.extend(arrows[file].iter().map(String::as_str).filter(|file| found.insert(*file)));
            }
        }
        let circle = |file: &str| -> Vec<String> {
            let mutual = reached[file].iter().filter(|other| reached[*other].contains(file));
            mutual.map(|other| (*other).to_owned()).collect()
        };
        arrows.keys().map(|file| circle(file)).filter(|circle| !circle.is_empty()).collect()
    }
}

#[test]
fn uses_are_found_however_they_are_written() {
    for (text, used) in [
        ("use crate::{x, b};", &["b.rs", "x/mod.rs"][..]),
        ("use crate::b::{self, T as U};", &["b.rs"]),
        ("use super::super::b;", &["b.rs"]),
        ("use super::{super::b::T, other};", &["b.rs", "x/other.rs"]),
        ("use crate as root; fn f() { root::b::f() }", &["b.rs", "main.rs"]),
        ("use crate::x as y; fn f() { y::other::f() }", &["x/mod.rs", "x/other.rs"]),
        ("use super::*; fn f() { other::f() }", &["x/mod.rs", "x/other.rs"]),
        ("fn f() { vec![crate::b::f()] }", &["b.rs"]),
        ("fn f() -> super::super::b::T { <crate::x::other::T as b::B>::f() }", &["b.rs", "x/other.rs"]),
        ("mod inner { use super::super::other; use super::super::super::b; }", &["b.rs", "x/other.rs"]),
        ("pub(super) use crate::b::*;", &["b.rs"]),
        // What a file passes on is at home where it comes from.
        ("use crate::x::Passed;", &["x/other.rs"]),
        ("use super::Passed as P;", &["x/other.rs"]),
        ("use htalk::b;", &["b.rs"]),
        // Other crates, own things, comments and text.
        ("use std::fs; use b::c; fn f() { self::g(); fs::read(\"crate::b\") } // crate::b", &[]),
    ] {
        let program = Program::of(&[
            ("main.rs", "mod b; mod x;"),
            ("b.rs", ""),
            ("x/mod.rs", "mod a; mod other; pub use other::T as Passed;"),
            ("x/a.rs", text),
            ("x/other.rs", ""),
        ]);
        assert_eq!(program.uses("x/a.rs"), used.iter().map(|file| (*file).to_owned()).collect(), "{text}");
    }
}

#[test]
fn what_is_foreign_is_found_however_it_is_written() {
    for text in [
        "use std::io::{self, Write}; fn f() { io::stdout() }",
        "use std::{fs, io::stdout as out};",
        "fn f() { std::io::stdout().write(b) }",
    ] {
        let program = Program::of(&[("main.rs", text)]);
        assert!(program.foreign("main.rs").contains("std::io::stdout"), "{text}");
    }
    let program = Program::of(&[("main.rs", "fn f() { child.stdout.take(); c.stdout(p); println!(); error.print() }")]);
    assert_eq!(program.foreign("main.rs").into_iter().collect::<Vec<_>>(), [".print", ".stdout", ".take", "println!"]);
}
