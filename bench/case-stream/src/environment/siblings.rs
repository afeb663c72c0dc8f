//! Which tools are easily confused: those whose queries have the highest average similarity.

use crate::vectors::Halves;

/// The three most similar tools of each tool, by the centroids of their queries, most similar first.
pub fn siblings(queries: &Halves, labels: &[usize], tools: usize) -> Vec<[usize; 3]> {
    let mut middles = vec![vec![0.0_f64; queries.dimensions()]; tools];
    for (query, label) in labels.iter().enumerate() {
        for (sum, number) in middles[*label].iter_mut().zip(queries.row(query)) {
            *sum += f64::from(*number);
        }
    }
    for middle in &mut middles {
        let length = middle.iter().map(|number| number * number).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
        middle.iter_mut().for_each(|number| *number /= length);
    }
    let similarity =
        |one: usize, other: usize| middles[one].iter().zip(&middles[other]).map(|(a, b)| a * b).sum::<f64>();
    (0..tools)
        .map(|tool| {
            let mut others: Vec<(f64, usize)> = (0..tools)
                .filter(|other| *other != tool)
                .map(|other| (similarity(tool, other), other))
                .collect();
            others.sort_by(|one, next| next.0.total_cmp(&one.0).then(one.1.cmp(&next.1)));
            // Only small examples have fewer than four tools. Then the most similar one is repeated.
            std::array::from_fn(|at| others.get(at).or(others.first()).map_or(tool, |(_, other)| *other))
        })
        .collect()
}
