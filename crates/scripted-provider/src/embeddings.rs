//! Responses to embedding calls: vectors, and unusable vectors.

use std::time::Duration;

use serde_json::{Value, json};

use crate::deliver::Delivery;
use crate::script::EmbedBehaviour;
use crate::vectors::{bag_of_words, constant};

/// All texts of the request, for the rules of the script.
pub(crate) fn request_text(request: &Value) -> String {
    texts(request).unwrap_or_default().join("\n")
}

/// The response for this behaviour.
pub(crate) async fn reply(request: &Value, behaviour: EmbedBehaviour, dimension: usize) -> Delivery {
    let Some(texts) = texts(request) else {
        return Delivery::bad_request("`input` is neither a text nor a list of texts");
    };
    if request.get("encoding_format").is_some_and(|format| format != "float") {
        return Delivery::bad_request("the only encoding format of the scripted provider is float");
    }
    let dimension = request["dimensions"].as_u64().map_or(dimension, |wanted| wanted as usize);
    let words = |dimension| texts.iter().map(|text| json!(bag_of_words(text, dimension))).collect::<Vec<_>>();
    let answer = |vectors: Vec<Value>| list(request, numbered(vectors));
    match behaviour {
        EmbedBehaviour::Answer => Delivery::Json(answer(words(dimension))),
        EmbedBehaviour::Constant => Delivery::Json(answer(vec![json!(constant(dimension)); texts.len()])),
        EmbedBehaviour::DelayMs(milliseconds) => {
            tokio::time::sleep(Duration::from_millis(milliseconds)).await;
            Delivery::Json(answer(words(dimension)))
        }
        EmbedBehaviour::WrongDimension => Delivery::Json(answer(words(dimension + 1))),
        EmbedBehaviour::Nan => {
            Delivery::Json(answer(words(dimension)).replacen("\"embedding\":[", "\"embedding\":[NaN,", 1))
        }
        EmbedBehaviour::Null => {
            let mut vectors = words(dimension);
            vectors.iter_mut().filter_map(|vector| vector.get_mut(0)).for_each(|value| *value = Value::Null);
            Delivery::Json(answer(vectors))
        }
        EmbedBehaviour::Zero => Delivery::Json(answer(vec![json!(vec![0.0; dimension]); texts.len()])),
        EmbedBehaviour::Fewer => {
            let mut vectors = words(dimension);
            vectors.pop();
            Delivery::Json(answer(vectors))
        }
        EmbedBehaviour::Reversed => {
            let mut entries = numbered(words(dimension));
            entries.reverse();
            Delivery::Json(list(request, entries))
        }
        EmbedBehaviour::SameIndex => {
            let mut entries = numbered(words(dimension));
            entries.iter_mut().for_each(|entry| entry["index"] = json!(0));
            Delivery::Json(list(request, entries))
        }
        EmbedBehaviour::Truncated => Delivery::half(&answer(words(dimension))),
        EmbedBehaviour::Trickle => Delivery::Trickle(answer(words(dimension))),
        EmbedBehaviour::Hang => Delivery::Hang,
        EmbedBehaviour::Refuse => Delivery::Refuse,
        EmbedBehaviour::Status { code, retry_after, message } => {
            Delivery::Error { code, retry_after, message }
        }
    }
}

fn texts(request: &Value) -> Option<Vec<String>> {
    match &request["input"] {
        Value::String(text) => Some(vec![text.clone()]),
        Value::Array(texts) => texts.iter().map(|text| text.as_str().map(str::to_owned)).collect(),
        _ => None,
    }
}

fn numbered(vectors: Vec<Value>) -> Vec<Value> {
    let entries = vectors.into_iter().enumerate();
    entries
        .map(|(index, vector)| json!({ "object": "embedding", "index": index, "embedding": vector }))
        .collect()
}

fn list(request: &Value, entries: Vec<Value>) -> String {
    let read = request_text(request).split_whitespace().count();
    json!({
        "object": "list",
        "data": entries,
        "model": request["model"].as_str().unwrap_or("scripted"),
        "usage": { "prompt_tokens": read, "total_tokens": read },
    })
    .to_string()
}
