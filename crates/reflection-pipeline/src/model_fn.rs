//! Any async function from text to text as a model.

use std::error::Error;
use std::fmt;
use std::future::Future;

use async_trait::async_trait;
use reflect_model::{ChatAnswer, ChatRequest, ChatRole, ModelError, TextModel, Usage};

use crate::error::chain;

/// A function as a model, created by [`model_fn`].
#[derive(Clone)]
pub struct ModelFn<F> {
    name: String,
    function: F,
}

/// Creates a model from an async function that takes a prompt and returns the answer.
///
/// The prompt is the whole conversation as one text, followed by the schema of the answer. The function takes it by value,
/// so its future can be sent to another thread. A [`ModelError`] keeps its remedy; any other error is not retried.
///
/// ```
/// use reflect_model::{ChatMessage, ChatRequest, TextModel};
/// use reflection_pipeline::model_fn;
///
/// async fn shout(prompt: String) -> Result<String, std::io::Error> {
///     Ok(prompt.to_uppercase())
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let model = model_fn("shout", shout);
/// let answer = model.chat(ChatRequest::new(vec![ChatMessage::user("hello")])).await.unwrap();
/// assert_eq!(answer.text, "HELLO");
/// # });
/// ```
pub fn model_fn<F, Fut, E>(name: impl Into<String>, function: F) -> ModelFn<F>
where
    F: Fn(String) -> Fut + Send + Sync,
    Fut: Future<Output = Result<String, E>> + Send,
    E: Into<Box<dyn Error + Send + Sync>>,
{
    ModelFn { name: name.into(), function }
}

#[async_trait]
impl<F, Fut, E> TextModel for ModelFn<F>
where
    F: Fn(String) -> Fut + Send + Sync,
    Fut: Future<Output = Result<String, E>> + Send,
    E: Into<Box<dyn Error + Send + Sync>>,
{
    fn name(&self) -> &str {
        &self.name
    }

    async fn chat(&self, request: ChatRequest) -> Result<ChatAnswer, ModelError> {
        match (self.function)(one_text(&request)).await {
            Ok(text) => {
                Ok(ChatAnswer { text, model: self.name.clone(), usage: Usage::default(), cut_off: false })
            }
            Err(error) => Err(self.model_error(error.into())),
        }
    }
}

impl<F> ModelFn<F> {
    fn model_error(&self, error: Box<dyn Error + Send + Sync>) -> ModelError {
        match error.downcast::<ModelError>() {
            Ok(error) => *error,
            Err(error) => ModelError::do_not_retry(format!(
                "the function {} failed: {}",
                self.name,
                chain(error.as_ref())
            )),
        }
    }
}

impl<F> fmt::Debug for ModelFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelFn").field("name", &self.name).finish_non_exhaustive()
    }
}

fn one_text(request: &ChatRequest) -> String {
    let said = request.messages.iter().map(|message| match message.role {
        ChatRole::System | ChatRole::User => message.content.clone(),
        ChatRole::Assistant => format!("Your answer was:\n{}", message.content),
    });
    let schema = request
        .schema
        .iter()
        .map(|shape| format!("Answer with one JSON object that matches this JSON Schema:\n{}", shape.schema));
    said.chain(schema).collect::<Vec<_>>().join("\n\n")
}
