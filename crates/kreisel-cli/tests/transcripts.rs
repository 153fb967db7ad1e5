//! What the program prints, command by command: the files in `tests/cmd` are typed and compared.
//!
//! `TRYCMD=overwrite cargo test -p kreisel-cli --test transcripts` writes them anew; read them
//! before you commit.

#[test]
fn every_command_prints_what_its_transcript_says() {
    trycmd::TestCases::new().case("tests/cmd/*.trycmd").run();
}
