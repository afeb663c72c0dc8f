//! Learning curves as SVG: one panel per regime, one line per arm.

use std::fmt::Write as _;

use super::tables::CURVES;
use crate::arms::{MEMRL, NONE, SIMILARITY};
use crate::data::SetName;
use crate::environment::REGIMES;
use crate::measure::{Cell, Results};

const PANEL: (f64, f64) = (300.0, 240.0);
const GAP: f64 = 40.0;
const LEFT: f64 = 58.0;
const TOP: f64 = 64.0;
const BOTTOM: f64 = 84.0;

/// Lines that can be distinguished without colour: colour, dashes, label.
fn style(arm: &str) -> (&'static str, &'static str, &'static str) {
    match arm {
        NONE => ("#8a8a8a", "2 4", "no memory"),
        SIMILARITY => ("#d08a00", "8 4", "similarity only"),
        MEMRL => ("#3a78b8", "8 3 2 3", "MemRL"),
        _ => ("#a3213f", "", "recommended"),
    }
}

fn regime_title(name: &str) -> &'static str {
    match name {
        "A" => "A: fixed bank",
        "B" => "B: a memory for every run",
        _ => "C: B, and tools move half-way",
    }
}

/// The area of the values in a panel.
struct Scale {
    low: f64,
    high: f64,
    left: f64,
    tasks: f64,
}

impl Scale {
    fn x(&self, tasks: f64) -> f64 {
        self.left + PANEL.0 * tasks / self.tasks
    }

    fn y(&self, value: f64) -> f64 {
        TOP + PANEL.1 * (self.high - value) / (self.high - self.low)
    }
}

/// Whether a cell is a line of a panel: only regimes in which every arm runs have a panel.
fn is_drawn(cell: &Cell) -> bool {
    let has_panel = REGIMES.iter().any(|regime| regime.every_arm && regime.name == cell.regime);
    has_panel && CURVES.contains(&cell.arm)
}

/// The image of one dataset.
pub(super) fn curves(results: &Results, set: SetName) -> String {
    let shown: Vec<&Cell> = results.cells.iter().filter(|cell| cell.set == set && is_drawn(cell)).collect();
    let values: Vec<f64> = shown.iter().flat_map(|cell| cell.curve()).collect();
    let (low, high) = values.iter().fold((100.0_f64, 0.0_f64), |(low, high), v| (low.min(*v), high.max(*v)));
    let (low, high) = ((low / 10.0).floor() * 10.0, (high / 10.0).ceil() * 10.0);
    let panels = REGIMES.iter().filter(|regime| shown.iter().any(|cell| cell.regime == regime.name));
    let panels: Vec<&str> = panels.map(|regime| regime.name).collect();
    let width = LEFT + panels.len() as f64 * (PANEL.0 + GAP);
    let height = TOP + PANEL.1 + BOTTOM;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\">\n\
         <title>{0}: success of every 500 tasks, by what the agent is shown</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n\
         <text x=\"{LEFT}\" y=\"22\" font-size=\"15\" font-weight=\"bold\">{0}: success of every 500 tasks, %</text>\n",
        match set {
            SetName::Bank => "Banking77",
            SetName::Clinc => "CLINC150",
        }
    );
    for (at, regime) in panels.iter().enumerate() {
        let left = LEFT + at as f64 * (PANEL.0 + GAP);
        panel(&mut svg, &Scale { low, high, left, tasks: 8.0 }, regime, at == 0);
        for cell in shown.iter().filter(|cell| cell.regime == *regime) {
            line(&mut svg, &Scale { low, high, left, tasks: 8.0 }, cell);
        }
    }
    legend(&mut svg, height - 20.0);
    svg.push_str("</svg>\n");
    svg
}

fn panel(svg: &mut String, scale: &Scale, regime: &str, labelled: bool) {
    let (left, right, bottom) = (scale.left, scale.left + PANEL.0, TOP + PANEL.1);
    let _ = writeln!(
        svg,
        "<text x=\"{left}\" y=\"{}\" font-weight=\"bold\">{}</text>",
        TOP - 12.0,
        regime_title(regime)
    );
    let mut value = scale.low;
    while value <= scale.high {
        let y = scale.y(value);
        let _ = writeln!(svg, "<path d=\"M{left} {y:.1}H{right}\" stroke=\"#e2e2e2\"/>");
        if labelled {
            let _ = writeln!(
                svg,
                "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{value:.0}</text>",
                left - 8.0,
                y + 4.0
            );
        }
        value += 10.0;
    }
    for part in [0, 2, 4, 6, 8] {
        let x = scale.x(f64::from(part));
        let _ = writeln!(svg, "<path d=\"M{x:.1} {bottom}v4\" stroke=\"#888888\"/>");
        let _ = writeln!(
            svg,
            "<text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            bottom + 18.0,
            part * 500
        );
    }
    let _ = writeln!(svg, "<path d=\"M{left} {bottom}H{right}\" stroke=\"#888888\"/>");
    let middle = left + PANEL.0 / 2.0;
    let _ = writeln!(
        svg,
        "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">tasks done</text>",
        bottom + 36.0
    );
}

/// Each point is at the centre of its tasks.
fn line(svg: &mut String, scale: &Scale, cell: &Cell) {
    let (colour, dashes, _) = style(cell.arm);
    let points: Vec<(f64, f64)> = (0_u32..)
        .zip(cell.curve())
        .map(|(part, value)| (scale.x(f64::from(part) + 0.5), scale.y(value)))
        .collect();
    let path: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
    let _ = writeln!(
        svg,
        "<path d=\"M{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2.2\" stroke-dasharray=\"{dashes}\"/>",
        path.join("L")
    );
    for (x, y) in points {
        let _ = writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.6\" fill=\"{colour}\"/>");
    }
}

fn legend(svg: &mut String, y: f64) {
    for (at, arm) in CURVES.iter().enumerate() {
        let (colour, dashes, label) = style(arm);
        let x = LEFT + at as f64 * 170.0;
        let _ = writeln!(
            svg,
            "<path d=\"M{x} {y}h36\" stroke=\"{colour}\" stroke-width=\"2.2\" stroke-dasharray=\"{dashes}\"/>\
             <text x=\"{}\" y=\"{}\">{label}</text>",
            x + 44.0,
            y + 4.0
        );
    }
}
