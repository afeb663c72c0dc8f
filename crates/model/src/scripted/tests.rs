//! Tests of the scripted doubles.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use super::*;
use crate::{ChatMessage, ChatRequest, EmbedPurpose, Embedder, ModelError, Remedy, TextModel};

fn hello() -> ChatRequest {
    ChatRequest::new(vec![ChatMessage::user("hello")])
}

#[tokio::test]
async fn the_script_is_followed_in_order_and_then_runs_out() {
    let model = ScriptedModel::new()
        .named("double")
        .answer("one")
        .error(ModelError::retry_later("busy", None))
        .cut_off("tw");

    let one = model.chat(hello()).await.unwrap();
    let busy = model.chat(hello()).await.unwrap_err();
    let two = model.chat(hello()).await.unwrap();
    let over = model.chat(hello()).await.unwrap_err();

    assert_eq!((one.text.as_str(), one.model.as_str(), one.cut_off), ("one", "double", false));
    assert_eq!((one.usage.input_tokens, one.usage.output_tokens), (2, 1));
    assert_eq!(busy.remedy, Remedy::RetryLater { after: None });
    assert!(two.cut_off);
    assert_eq!(over.remedy, Remedy::DoNotRetry);
    assert_eq!((model.calls(), model.answers().len(), model.remaining()), (4, 2, 0));
}

#[tokio::test]
async fn clones_share_script_and_record() {
    let model = ScriptedModel::new().answer("once");
    let given_away = model.clone();

    given_away.chat(hello()).await.unwrap();

    assert_eq!(model.requests(), [hello()]);
    assert_eq!(model.remaining(), 0);
}

#[test]
fn a_scripted_call_can_hang() {
    let model = ScriptedModel::new().hang();
    let mut call = pin!(model.chat(hello()));

    let polled = call.as_mut().poll(&mut Context::from_waker(Waker::noop()));

    assert!(matches!(polled, Poll::Pending));
    assert_eq!(model.calls(), 1);
}

async fn embed(embedder: &ScriptedEmbedder, texts: &[&str]) -> Result<Vec<crate::Embedding>, ModelError> {
    let texts: Vec<String> = texts.iter().map(ToString::to_string).collect();
    embedder.embed(&texts, EmbedPurpose::Query).await
}

#[tokio::test]
async fn equal_texts_have_equal_vectors_and_every_text_has_one() {
    let embedder = ScriptedEmbedder::new(64);

    let vectors = embed(&embedder, &["a b", "B, a.", "", "!?", "日本"]).await.unwrap();

    assert_eq!(vectors[0], vectors[1]);
    assert!(vectors.iter().all(|vector| vector.dimensions() == 64));
    assert_eq!(embedder.calls().len(), 1);
}

#[tokio::test]
async fn every_fault_has_the_effect_it_has_with_a_provider() {
    let embedder = ScriptedEmbedder::new(8);
    let faults =
        [Fault::Error(ModelError::retry_later("down", None)), Fault::NotANumber, Fault::Zero, Fault::TooFew];
    for fault in faults {
        embedder.fault_next(fault);
    }

    assert!(matches!(embed(&embedder, &["x"]).await.unwrap_err().remedy, Remedy::RetryLater { .. }));
    assert_eq!(embed(&embedder, &["x"]).await.unwrap_err().remedy, Remedy::Unreadable);
    assert_eq!(embed(&embedder, &["x"]).await.unwrap_err().remedy, Remedy::Unreadable);
    assert_eq!(embed(&embedder, &["x", "y"]).await.unwrap().len(), 1);
    assert_eq!(embed(&embedder, &["x"]).await.unwrap()[0].dimensions(), 8);

    embedder.fault_always(Some(Fault::WrongDimension));
    assert_eq!(embed(&embedder, &["x"]).await.unwrap()[0].dimensions(), 9);
    assert_eq!(embed(&embedder, &["x"]).await.unwrap()[0].dimensions(), 9);
    embedder.fault_always(None);
    assert_eq!(embed(&embedder, &["x"]).await.unwrap()[0].dimensions(), 8);
}
