//! What the database computes for lessons that repeat: their digest, and the utility that lists sort by.

use reflect_types::{Credit, Ranking, memory_value};
use uuid::Uuid;

use crate::given;

#[tokio::test]
async fn the_database_values_a_memory_as_the_rule_does() {
    let (db, _store) = given::store().await;
    let mut connection = db.superuser().await;
    for ranking in [Ranking::Learned, Ranking::Classic] {
        for untrusted in [false, true] {
            for evidence in [0, 1, 2, 3, 4, 9, 100, 10_000] {
                for number in [0.0_f32, 0.2, 0.5, 0.63, 0.95, 1.0] {
                    let (q, credit) = (1.0 - number, Credit::stored(number, evidence));
                    let stored: f32 = sqlx::query_scalar("select memory_utility($1, $2, $3, $4, $5)")
                        .bind(q)
                        .bind(number)
                        .bind(evidence)
                        .bind(untrusted)
                        .bind(ranking == Ranking::Learned)
                        .fetch_one(&mut connection)
                        .await
                        .unwrap();
                    let rule = memory_value(ranking, q, credit, untrusted);
                    assert!(
                        (stored - rule).abs() < 1e-6,
                        "{ranking:?} {untrusted} {evidence} {number}: {stored} {rule}"
                    );
                }
            }
        }
    }
}

#[tokio::test]
async fn only_white_space_is_ignored_in_a_lesson() {
    let (db, _store) = given::store().await;
    let mut connection = db.superuser().await;
    let mut digest = async |lesson: &str| -> Option<Uuid> {
        let digest = sqlx::query_scalar("select lesson_digest($1)").bind(lesson);
        digest.fetch_one(&mut connection).await.unwrap()
    };
    let plain = digest("Use `rm -r` here.").await;
    assert!(plain.is_some());
    assert_eq!(digest("  Use\t`rm -r`\r\n here.\n").await, plain);
    assert_ne!(digest("Use `rm -R` here.").await, plain);
    assert_ne!(digest("Use `rm-r` here.").await, plain);
    assert_eq!(digest(" \n").await, None);
    assert_eq!(digest("").await, None);
}
