use super::*;
use crate::workbench::testing::{event, learning, run, step};

fn broken() -> RunEntry {
    let mut broken = run(2, "=odd, \"run\"", &[]);
    for (i, loss) in [9.5, f64::NAN, f64::INFINITY].into_iter().enumerate() {
        broken.history.push(&event(i as u64, step(i as u64 + 1, loss)));
    }
    broken
}

#[test]
fn csv_has_a_row_a_step_with_raw_values_and_words_for_what_is_no_number() {
    let good = run(1, "good", &learning(20));
    let loss = good.history.loss.point(0).1.to_string();
    let text = csv(&[good, broken()]);
    let lines: Vec<&str> = text.lines().collect();
    let head: Vec<&str> = lines[0].split(',').collect();
    assert_eq!(head[..6], ["run", "step", "elapsed", "time", "loss", "loss_a_word"]);
    assert_eq!(lines.len(), 1 + 20 + 3);
    let cell = |line: &str, name: &str| -> String {
        let at = head.iter().position(|h| *h == name).expect("a column");
        // The odd name holds the only comma within a field.
        let line = line.replace("odd, ", "odd");
        line.split(',').nth(at).expect("as many fields as heads").to_owned()
    };
    let first = lines[1];
    assert_eq!(cell(first, "loss"), loss);
    assert_eq!(
        (cell(first, "dev_s_f1"), cell(lines[10], "dev_s_f1").is_empty()),
        ("".into(), false)
    );
    assert_eq!(cell(first, "time"), "1002");
    assert!(lines[21].starts_with("\"'=odd, \"\"run\"\"\",1,0,1000,9.5,"), "{}", lines[21]);
    let losses: Vec<String> = lines[21..].iter().map(|l| cell(l, "loss")).collect();
    assert_eq!(losses, ["9.5", "NaN", "Infinity"]);
}

#[test]
fn json_has_the_same_rows_and_reads_back() {
    let good = run(1, "good", &learning(20));
    let loss = good.history.loss.point(0).1;
    let value: serde_json::Value = serde_json::from_str(&json(&[good, broken()])).expect("JSON");
    assert_eq!(value["schema"], 1);
    let rows = value["runs"][0]["rows"].as_array().expect("rows");
    assert_eq!((rows.len(), &value["runs"][0]["run"]), (20, &"good".into()));
    assert_eq!(rows[0]["loss"], loss);
    assert!(rows[0].get("dev_s_f1").is_none() && rows[9]["dev_s_f1"].is_f64());
    let odd = &value["runs"][1];
    assert_eq!(odd["run"], "=odd, \"run\"");
    assert_eq!([&odd["rows"][1]["loss"], &odd["rows"][2]["loss"]], ["NaN", "Infinity"]);
    assert_eq!(word(f64::NEG_INFINITY), "-Infinity");
}

#[test]
fn figures_of_other_splits_have_columns_of_their_own() {
    let mut tested = run(1, "tested", &learning(10));
    tested.history.push(&event(
        500,
        crate::report::EventKind::Evaluation {
            step: 10,
            epoch: 1,
            split: "test".into(),
            metrics: [("s_f1", 41.25)].into_iter().collect(),
        },
    ));
    let text = csv(std::slice::from_ref(&tested));
    assert!(text.lines().next().is_some_and(|head| head.ends_with(",test_s_f1")), "{text}");
    assert!(text.lines().last().is_some_and(|row| row.ends_with(",41.25")), "{text}");
    // A run that went on from an earlier step forgets them with the rest.
    let resumed = crate::report::EventKind::State {
        state: crate::report::RunState::Running,
        step: 5,
        resumed: true,
        reason: None,
    };
    tested.history.push(&event(501, resumed));
    assert_eq!(csv(std::slice::from_ref(&tested)).lines().count(), 1 + 5);
}

#[test]
fn formats_are_told_by_the_ending_of_a_file() {
    let of = |name: &str| Format::of(Path::new(name));
    assert_eq!(of("a.CSV"), Some(Format::Csv));
    assert_eq!([of("a.b.png"), of("x.json"), of("x.svg")].map(|f| f.is_some()), [true; 3]);
    assert_eq!((of("a"), of("a.pdf")), (None, None));
}
