//! Statistics, and the one table they end in.

use std::time::Duration;

/// Durations in milliseconds, in the order of the pairs.
pub type Times = Vec<f64>;

/// A duration in milliseconds.
pub fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// The value below which this share of the values lies.
pub fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[((sorted.len() - 1) as f64 * share).round() as usize]
}

/// The middle value.
pub fn median(values: &[f64]) -> f64 {
    quantile(values, 0.5)
}

/// What a row says of one program, and how it is written.
#[derive(Debug, Clone, Copy)]
pub enum Figure {
    /// Milliseconds.
    Ms(f64),
    /// Messages a second.
    Rate(f64),
    /// A number of things.
    Count(u64),
    /// A number of things, told in millions.
    Millions(u64),
    /// Megabytes.
    Mb(f64),
    /// Nothing: there is nothing to compare, or the tool for it is missing.
    None,
}

impl std::fmt::Display for Figure {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        let words = match *self {
            Figure::Ms(number) => format!("{number:.2} ms"),
            Figure::Rate(number) => format!("{number:.0} /s"),
            Figure::Count(number) => number.to_string(),
            Figure::Millions(number) => format!("{:.2} M", number as f64 / 1e6),
            Figure::Mb(number) => format!("{number:.1} MB"),
            Figure::None => "-".to_owned(),
        };
        formatter.pad(&words)
    }
}

/// The table, printed row by row as the figures come in.
#[derive(Debug, Default)]
pub struct Table {
    over: usize,
}

impl Table {
    /// A table with its head printed.
    pub fn new() -> Table {
        let table = Table::default();
        table.line("", &"htalk", &"harness-talk", "ratio", "target", "");
        table
    }

    fn line(
        &self,
        name: &str,
        ours: &dyn std::fmt::Display,
        peers: &dyn std::fmt::Display,
        ratio: &str,
        target: &str,
        verdict: &str,
    ) {
        println!("{name:<44} {ours:>11} {peers:>12} {ratio:>8}  {target:<12} {verdict}");
    }

    /// A row that is judged by `is_met`.
    pub fn row(&mut self, name: &str, ours: Figure, peers: Figure, ratio: Option<f64>, target: &str, is_met: bool) {
        self.over += usize::from(!is_met);
        let ratio = ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.3}"));
        self.line(name, &ours, &peers, &ratio, target, if is_met { "ok" } else { "over" });
    }

    /// A row of pairs: the two medians, and the median of the ratios of each pair, which is what counts.
    pub fn pairs(&mut self, name: &str, (ours, peers): &(Times, Times), most: f64) {
        let ratios: Vec<f64> = ours.iter().zip(peers).map(|(ours, peer)| ours / peer).collect();
        let ratio = median(&ratios);
        let (ours, peers) = (Figure::Ms(median(ours)), Figure::Ms(median(peers)));
        self.row(name, ours, peers, Some(ratio), &format!("<= {most} x"), ratio <= most);
    }

    /// A row whose own figure counts.
    pub fn own(&mut self, name: &str, ours: Figure, peers: Figure, most: Figure) {
        let value = |figure| match figure {
            Figure::Ms(number) | Figure::Rate(number) | Figure::Mb(number) => number,
            Figure::Count(number) | Figure::Millions(number) => number as f64,
            Figure::None => 0.0,
        };
        self.row(name, ours, peers, None, &format!("<= {most}"), value(ours) <= value(most));
    }

    /// A row that could not be measured here.
    pub fn missing(&self, name: &str, why: &str) {
        self.line(name, &Figure::None, &Figure::None, "-", "-", why);
    }

    /// How many rows miss their target.
    pub fn over(&self) -> usize {
        self.over
    }
}
