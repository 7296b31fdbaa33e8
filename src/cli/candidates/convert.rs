use super::args::Convert;
use super::read;
use crate::cli::corpus::output::{Output, is_no_input};
use crate::cli::plain::tell;
use crate::report::counted;
use crate::treebank::candidates::{ListFormat, write_list};
use anyhow::{Result, bail};
use std::io::Write;

pub fn run(args: &Convert, out: &mut dyn Write) -> Result<()> {
    if let Some(path) = &args.out {
        is_no_input(path, [&*args.lists])?;
    }
    let file = read(&args.lists, &args.reading)?;
    let to = ListFormat::from(args.to);
    if to == ListFormat::CharniakJohnson {
        let lacking = file.lists.iter().filter(|list| list.gold.is_none()).count();
        if lacking > 0 {
            let sentences = counted(lacking, "sentence");
            bail!(
                "{}: {sentences} without a gold tree, which charniak-johnson needs: --gold FILE \
                 gives them",
                args.lists.display()
            );
        }
    }
    let mut output = match &args.out {
        Some(path) => Output::file(path, args.force)?,
        None => Output::standard(out),
    };
    if to == ListFormat::CharniakJohnson {
        writeln!(output, "{}", file.lists.len())?;
    }
    for list in &file.lists {
        write_list(list, to, &mut output)?;
    }
    output.keep()?;
    let empty = file.lists.iter().filter(|list| list.candidates.is_empty()).count();
    if to == ListFormat::Stanford && empty > 0 {
        let sentences = counted(empty, "sentence");
        tell(&format!(
            "warning: {sentences} without candidates have no place in stanford's format"
        ));
    }
    Ok(())
}
