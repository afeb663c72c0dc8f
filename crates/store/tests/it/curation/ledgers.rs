//! Computes the values of memories from the ledgers of reviews and of curation, independently of the product's code.

use reflect_types::MemoryId;
use serde_json::Value;
use sqlx::PgConnection;

/// Something that moved a memory: where it stands in the order of utilities and in that of credits, and what it is.
struct Moved {
    entered: (i64, i64),
    credited: Option<(i32, i64)>,
    by: By,
}

enum By {
    Review { reward: f32, alpha: f32, annealed: bool, used: Option<bool>, expected: Option<f32> },
    Halved,
    Pooled(Vec<Value>),
}

/// What moved a memory and was not taken back.
async fn moved(connection: &mut PgConnection, memory: MemoryId) -> Vec<Moved> {
    type Entry = (i64, f32, f32, bool, Option<bool>, Option<f32>, Option<i32>);
    let entries: Vec<Entry> = sqlx::query_as(
        "select seq, reward, alpha, annealed, used, expected, credited from utility_event
         where memory_id = $1 and not withdrawn",
    )
    .bind(memory)
    .fetch_all(&mut *connection)
    .await
    .unwrap();
    let changes: Vec<(i64, i16, Value, i64, i32)> = sqlx::query_as(
        "select seq, facet, after, entered, credited from memory_change
         where memory_id = $1 and facet in (4, 5) and not undone",
    )
    .bind(memory)
    .fetch_all(connection)
    .await
    .unwrap();
    let entries = entries.into_iter().map(|(seq, reward, alpha, annealed, used, expected, credited)| Moved {
        entered: (seq, 0),
        credited: credited.map(|credited| (credited, 0)),
        by: By::Review { reward, alpha, annealed, used, expected },
    });
    let changes = changes.into_iter().map(|(seq, facet, after, entered, credited)| Moved {
        entered: (entered, seq),
        credited: Some((credited, seq)),
        by: if facet == 4 { By::Halved } else { By::Pooled(after.as_array().unwrap().clone()) },
    });
    entries.chain(changes).collect()
}

/// Where a memory stands by this test's own reading of both ledgers: q, reviews, passes, credit, evidence.
fn folded(mut moved: Vec<Moved>) -> [f64; 5] {
    let number = |share: &Value, name: &str| share[name].as_f64().unwrap();
    let pool = |own: f64, weight: f64, shares: &[Value], value: &str, by: &str| {
        let weights = weight + shares.iter().map(|share| number(share, by)).sum::<f64>();
        let sum =
            own * weight + shares.iter().map(|share| number(share, value) * number(share, by)).sum::<f64>();
        (if weights == 0.0 { own } else { sum / weights }, weights)
    };
    let (mut q, mut reviews, mut passes) = (0.5, 0.0, 0.0);
    moved.sort_by_key(|moved| moved.entered);
    for Moved { by, .. } in &moved {
        match by {
            By::Review { reward, alpha, .. } => {
                q += f64::from(*alpha) * (f64::from(*reward) - q);
                (reviews, passes) = (reviews + 1.0, passes + f64::from(*reward));
            }
            By::Halved => {}
            By::Pooled(shares) => {
                (q, reviews) = pool(q, reviews, shares, "q", "reviews");
                passes += shares.iter().map(|share| number(share, "passes")).sum::<f64>();
            }
        }
    }
    let (mut credit, mut evidence) = (0.5_f64, 0.0_f64);
    moved.retain(|moved| moved.credited.is_some());
    moved.sort_by_key(|moved| moved.credited);
    for Moved { by, .. } in &moved {
        match by {
            By::Review { used: Some(false), .. } | By::Review { expected: None, .. } => {}
            By::Review { reward, alpha, annealed, expected: Some(expected), .. } => {
                let step =
                    if *annealed { (0.3 / (1.0 + 0.3 * evidence)).max(0.1) } else { f64::from(*alpha) };
                let worth = 0.5 + (f64::from(*reward) - f64::from(*expected)) / 2.0;
                (credit, evidence) = (credit + step * (worth - credit), evidence + 1.0);
            }
            By::Halved => evidence = (evidence / 2.0).floor(),
            By::Pooled(shares) => (credit, evidence) = pool(credit, evidence, shares, "credit", "evidence"),
        }
    }
    [q, reviews, passes, credit, evidence]
}

/// A memory that does not stand where the ledgers say, and both.
pub(crate) async fn differing(connection: &mut PgConnection, memories: &[MemoryId]) -> Option<String> {
    for memory in memories {
        let (q, reviews, passes, credit, evidence): (f32, i32, i32, f32, i32) = sqlx::query_as(
            "select q, reviews, passes, credit, evidence from memory_stat where memory_id = $1",
        )
        .bind(memory)
        .fetch_one(&mut *connection)
        .await
        .unwrap();
        let stands = [q.into(), reviews.into(), passes.into(), credit.into(), f64::from(evidence)];
        let folded = folded(moved(connection, *memory).await);
        if stands.iter().zip(&folded).any(|(one, other)| (one - other).abs() > 1e-4) {
            return Some(format!("memory {memory}: {stands:?} stands, {folded:?} is what the ledgers say"));
        }
    }
    None
}

/// Every memory stands where the ledgers say, also in the middle of things.
pub(super) async fn check_standing(connection: &mut PgConnection, memories: &[MemoryId], seed: u64) {
    assert_eq!(differing(connection, memories).await, None, "seed {seed}");
}
