//! Tests of vectors, and of the order of concurrent calls.

use reflect_model::{EmbedPurpose, Embedder, Embedding, Remedy};
use tokio::task::JoinSet;

use crate::files::embedder;

/// How much a value may change with the other texts of its batch. Measured: below 0.000001, because the model quantises
/// each text separately. With the usual int8 quantisation, which has one scale per batch, it was 0.05.
const COMPANY_TOLERANCE: f32 = 1e-3;

async fn embed(texts: &[&str]) -> Vec<Embedding> {
    let texts: Vec<String> = texts.iter().map(|&text| text.to_owned()).collect();
    embedder().embed(&texts, EmbedPurpose::Document).await.unwrap()
}

async fn embed_one(text: &str) -> Embedding {
    embed(&[text]).await.remove(0)
}

/// The largest difference between two values at the same position.
fn distance(one: &Embedding, other: &Embedding) -> f32 {
    let pairs = one.as_slice().iter().zip(other.as_slice());
    pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

#[tokio::test]
async fn a_vector_has_the_models_dimensions_and_unit_length() {
    let vector = embed_one("The user prefers dark mode in the editor.").await;

    assert_eq!((vector.dimensions(), embedder().dimensions()), (384, 384));
    let length = vector.as_slice().iter().map(|value| value * value).sum::<f32>().sqrt();
    assert!((length - 1.0).abs() < 1e-5, "{length}");
}

#[tokio::test]
async fn texts_with_the_same_meaning_are_more_similar() {
    let vectors = embed(&[
        "the deploy broke due to a slow schema migration",
        "the database migration timed out during deployment",
        "I like bananas",
    ])
    .await;

    let (close, far) = (vectors[0].similarity(&vectors[1]), vectors[0].similarity(&vectors[2]));
    assert!(close > 0.5 && far < 0.2, "close {close}, far {far}");
}

#[tokio::test]
async fn other_texts_do_not_change_a_vector_and_the_order_is_kept() {
    let texts: Vec<String> =
        (0..24).map(|n| format!("step {n} failed: {}", "retry and report. ".repeat(n))).collect();
    let texts: Vec<&str> = texts.iter().rev().map(String::as_str).collect();

    let together = embed(&texts).await;

    let mut farthest: f32 = 0.0;
    for (text, vector) in texts.iter().zip(&together) {
        farthest = farthest.max(distance(vector, &embed_one(text).await));
    }
    println!("largest difference between company and alone: {farthest}");
    assert!(farthest < COMPANY_TOLERANCE, "{farthest}");
    // Texts next to each other in the list are similar, so the check above would miss a wrong order unless they differ
    // enough.
    assert!(distance(&together[0], &together[23]) > 10.0 * COMPANY_TOLERANCE);
}

#[tokio::test]
async fn no_texts_give_no_vectors_and_an_empty_text_gives_one() {
    assert!(embed(&[]).await.is_empty());

    let vectors = embed(&["", " \n\t "]).await;

    assert!(distance(&vectors[0], &vectors[1]) < COMPANY_TOLERANCE, "white space is as good as nothing");
}

#[tokio::test]
async fn a_text_that_is_too_long_is_truncated() {
    let (beginning, rest) = ("the cache was stale. ".repeat(60), "bananas are yellow. ".repeat(100_000));

    let cut = embed_one(&format!("{beginning}{rest}")).await;

    assert!(distance(&cut, &embed_one(&beginning).await) < COMPANY_TOLERANCE);
    assert!(distance(&cut, &embed_one("the cache was stale. ").await) > 10.0 * COMPANY_TOLERANCE);
}

#[tokio::test]
async fn any_text_can_be_embedded() {
    let long_and_wide = "é漢🙂".repeat(30_000);
    let texts =
        ["Ünïcödé", "数据库迁移超时", "🙂🙃", "e\u{301}\u{202e}\0\u{feff}", &long_and_wide, "\u{10ffff}"];

    let vectors = embed(&texts).await;

    assert_eq!(vectors.len(), texts.len());
    let accents = embed_one("unicode").await.similarity(&vectors[0]);
    assert!(accents > 0.99, "the tokenizer of this model drops accents and capitals: {accents}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_at_the_same_time_get_their_own_vectors() {
    let mut calls = JoinSet::new();
    for number in 0..24 {
        calls.spawn(async move { (number, embed_one(&format!("lesson number {number}")).await) });
    }

    let answers = calls.join_all().await;

    assert_eq!(answers.len(), 24);
    for (number, vector) in answers {
        assert_eq!(vector, embed_one(&format!("lesson number {number}")).await, "{number}");
    }
}

#[test]
fn a_text_does_not_wait_for_an_earlier_long_list() {
    // With one blocking thread, work runs in the order of submission: the list is tokenised before the question, so it
    // is running when the question reaches the network.
    let runtime = tokio::runtime::Builder::new_current_thread().max_blocking_threads(1).build().unwrap();
    let long = "the migration timed out. ".repeat(50);
    let list = vec![long.as_str(); 12];

    let (first, next) = runtime.block_on(async {
        let first = tokio::select! {
            biased;
            _ = embed(&list) => "the list",
            _ = embed(&["a question"]) => "the question",
        };
        // The list was cancelled in the middle. The next call must succeed.
        (first, embed(&["another question"]).await)
    });

    assert_eq!((first, next.len()), ("the question", 1));
}

#[tokio::test]
async fn the_purpose_has_no_effect_without_prefixes() {
    let texts = ["which port does the database use?".to_owned()];

    let query = embedder().embed(&texts, EmbedPurpose::Query).await;
    let document = embedder().embed(&texts, EmbedPurpose::Document).await;

    assert_eq!(query.unwrap(), document.unwrap());
}

#[test]
fn a_runtime_that_shuts_down_causes_an_error_and_no_panic() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let handle = runtime.handle().clone();
    // A runtime that has shut down accepts no blocking work.
    runtime.shutdown_background();

    let _inside = handle.enter();
    let answer = handle.block_on(embedder().embed(&["late".to_owned()], EmbedPurpose::Query));

    let error = answer.expect_err("nothing computes any more");
    assert_eq!(error.remedy, Remedy::RetryLater { after: None });
}
