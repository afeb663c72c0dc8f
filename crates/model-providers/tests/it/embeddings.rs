//! Embeddings over HTTP: their order, their dimensions and their failures.

use reflect_model::{EmbedPurpose, Embedder, ModelError, Remedy};
use reflect_model_providers::ProviderEmbedder;
use reflect_scripted_provider::{
    CallKind, EmbedBehaviour, EndpointScript, Script, ScriptedProvider, bag_of_words,
};
use serde_json::json;

use crate::{KEY, embedding, impatient};

const LATER: Remedy = Remedy::RetryLater { after: None };

fn texts(number: usize) -> Vec<String> {
    (0..number).map(|index| format!("text number {index}")).collect()
}

async fn failure(embeddings: EmbedBehaviour) -> ModelError {
    let (_provider, embedder) = embedding(EndpointScript::always(embeddings)).await;
    embedder.embed(&texts(3), EmbedPurpose::Document).await.unwrap_err()
}

#[tokio::test]
async fn a_call_is_sent_as_openai_documents_it() {
    let (provider, embedder) = embedding(EndpointScript::default()).await;

    embedder.embed(&["one".to_owned(), "two".to_owned()], EmbedPurpose::Query).await.unwrap();

    let calls = provider.calls();
    assert_eq!((calls[0].kind, calls[0].path.as_str()), (CallKind::Embeddings, "/v1/embeddings"));
    assert_eq!(calls[0].headers["authorization"], format!("Bearer {KEY}"));
    assert_eq!(
        calls[0].body,
        json!({ "model": "small", "input": ["one", "two"], "encoding_format": "float" })
    );
}

#[tokio::test]
async fn many_texts_go_in_several_calls_and_come_back_in_order() {
    for behaviour in [EmbedBehaviour::Answer, EmbedBehaviour::Reversed] {
        let (provider, embedder) = embedding(EndpointScript::always(behaviour)).await;
        let texts = texts(70);

        let vectors = embedder.embed(&texts, EmbedPurpose::Document).await.unwrap();

        assert_eq!(vectors.len(), 70);
        for (text, vector) in texts.iter().zip(&vectors) {
            let expected = bag_of_words(text, 16);
            assert!(vector.as_slice().iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{text}");
        }
        assert_eq!(provider.counts().embeddings, 3);
    }
}

#[tokio::test]
async fn no_texts_are_no_call() {
    let (provider, embedder) = embedding(EndpointScript::default()).await;

    assert!(embedder.embed(&[], EmbedPurpose::Query).await.unwrap().is_empty());
    assert_eq!(provider.counts().embeddings, 0);
}

#[tokio::test]
async fn vectors_that_cannot_be_used_are_unreadable() {
    let cases = [
        (EmbedBehaviour::Nan, "JSON that is broken"),
        (EmbedBehaviour::Null, "invalid type: null, expected f32"),
        (EmbedBehaviour::Zero, "a vector of length zero"),
        (EmbedBehaviour::Fewer, "gave 2 vectors for 3 texts"),
        (EmbedBehaviour::SameIndex, "numbered its vectors wrongly"),
        (EmbedBehaviour::Truncated, "JSON that is broken or cut off"),
    ];
    for (behaviour, said) in cases {
        let error = failure(behaviour).await;

        assert_eq!(error.remedy, Remedy::Unreadable, "{error}");
        assert!(error.message.contains(said), "{error}");
    }
}

#[tokio::test]
async fn the_dimension_of_the_first_vector_binds_all_others() {
    let (_provider, embedder) =
        embedding(EndpointScript::first([EmbedBehaviour::Answer, EmbedBehaviour::WrongDimension])).await;

    let first = embedder.embed(&texts(2), EmbedPurpose::Document).await.unwrap();
    let second = embedder.embed(&texts(2), EmbedPurpose::Document).await.unwrap_err();
    let third = embedder.embed(&texts(2), EmbedPurpose::Document).await.unwrap();

    assert_eq!((first[0].dimensions(), third[0].dimensions()), (16, 16));
    assert_eq!(second.remedy, Remedy::Unreadable);
    assert!(second.message.contains("17 dimensions after vectors of 16"), "{second}");
}

#[tokio::test]
async fn faults_of_the_server_mean_the_same_as_for_chat() {
    assert_eq!(failure(EmbedBehaviour::Refuse).await.remedy, LATER);
    assert_eq!(failure(EmbedBehaviour::status(503)).await.remedy, LATER);
    assert_eq!(failure(EmbedBehaviour::status(401)).await.remedy, Remedy::DoNotRetry);
    for behaviour in [EmbedBehaviour::Hang, EmbedBehaviour::Trickle] {
        let script = Script { embeddings: EndpointScript::always(behaviour), ..Script::default() };
        let provider = ScriptedProvider::start(script).await.unwrap();
        let embedder = ProviderEmbedder::connect(&impatient(provider.base_url())).unwrap();

        let error = embedder.embed(&texts(1), EmbedPurpose::Query).await.unwrap_err();

        assert_eq!(error.remedy, LATER, "{error}");
    }
}
