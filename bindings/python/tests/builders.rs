//! The methods that add items have every key of the scene format. (A test in Rust also makes
//! `cargo test` build the library that the tests in Python load.)

use kreisel_scene::grammar::SECTIONS;

#[test]
fn every_key_of_every_item_is_an_argument() {
    let source = include_str!("../python/kreisel/_builders.py");
    for keys in SECTIONS.iter().filter(|s| s.title().starts_with("[[") && !s.title().contains('.'))
    {
        let table = keys.title().trim_matches(['[', ']']);
        let start = source
            .find(&format!("def add_{table}("))
            .unwrap_or_else(|| panic!("no method for {table}"));
        let body = &source[start..];
        let arguments = &body[..body.find(") ->").expect("the end of the arguments")];
        for (name, ..) in keys.lines() {
            let found = [name.to_owned(), format!("{name}_")]
                .iter()
                .any(|n| arguments.contains(&format!("        {n}: Any")));
            assert!(found, "add_{table} lacks `{name}`: run `cargo xtask python --write`");
        }
    }
}
