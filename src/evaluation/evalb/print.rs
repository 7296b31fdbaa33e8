use super::{Evaluation, Parameters, Row, Totals};
use std::io::{self, Write};

const RULE: &str = "============================================================================";

/// Writes what the classic scorer prints: a row a sentence and, unless the run was stopped, the
/// two blocks of figures.
pub fn print(
    evaluation: &Evaluation,
    parameters: &Parameters,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "  Sent.                        Matched  Bracket   Cross        Correct Tag")?;
    writeln!(out, " ID  Len.  Stat. Recal  Prec.  Bracket gold test Bracket Words  Tags Accracy")?;
    writeln!(out, "{RULE}")?;
    for row in &evaluation.rows {
        print_row(row, out)?;
    }
    if evaluation.stopped {
        return Ok(());
    }
    let totals = evaluation.totals();
    let c = totals.counts;
    writeln!(out, "{RULE}")?;
    if c.gold > 0 && c.test > 0 {
        let (recall, precision) = (totals.recall(), totals.precision());
        write!(out, "{:16}{recall:6.2} {precision:6.2} {:6}", "", c.matched)?;
        write!(out, " {:5} {:5}  {:5}", c.gold, c.test, c.crossing)?;
    }
    let accuracy = totals.tagging_accuracy();
    writeln!(out, "  {:5} {:5}   {accuracy:6.2}", c.words, c.correct_tags)?;
    writeln!(out, "=== Summary ===")?;
    writeln!(out, "\n-- All --")?;
    print_block(&totals, out)?;
    let cutoff = parameters.cutoff_length;
    writeln!(out, "\n-- len<={cutoff} --")?;
    print_block(&evaluation.totals_up_to(cutoff), out)
}

fn print_row(row: &Row, out: &mut dyn Write) -> io::Result<()> {
    let Row { line, length, status, counts: c } = row;
    write!(out, "{line:4}  {length:3}    {}  ", status.number())?;
    write!(out, "{:6.2} {:6.2}   {:3}", c.recall(), c.precision(), c.matched)?;
    write!(out, "    {:3}  {:3}    {:3}", c.gold, c.test, c.crossing)?;
    writeln!(out, "   {:4}  {:4}   {:6.2}", c.words, c.correct_tags, c.tagging_accuracy())
}

fn print_block(totals: &Totals, out: &mut dyn Write) -> io::Result<()> {
    for (name, count) in [
        ("Number of sentence", totals.sentences),
        ("Number of Error sentence", totals.errors),
        ("Number of Skip  sentence", totals.skipped),
        ("Number of Valid sentence", totals.valid()),
    ] {
        writeln!(out, "{name:26}= {count:6}")?;
    }
    for (name, figure) in [
        ("Bracketing Recall", totals.recall()),
        ("Bracketing Precision", totals.precision()),
        ("Bracketing FMeasure", totals.f1()),
        ("Complete match", totals.complete_match()),
        ("Average crossing", totals.average_crossing()),
        ("No crossing", totals.no_crossing()),
        ("2 or less crossing", totals.two_or_less_crossing()),
        ("Tagging accuracy", totals.tagging_accuracy()),
    ] {
        // 0/0, as the C library writes it.
        let shown = if figure.is_nan() { "-nan".into() } else { format!("{figure:.2}") };
        writeln!(out, "{name:26}= {shown:>6}")?;
    }
    Ok(())
}
