//! A text model with prepared answers.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use crate::{ChatAnswer, ChatRequest, ModelError, TextModel, Usage};

type Otherwise = dyn Fn(&ChatRequest) -> Result<String, ModelError> + Send + Sync;

enum Step {
    Answer { text: String, cut_off: bool },
    Error(ModelError),
    Hang,
}

#[derive(Default)]
struct Record {
    steps: VecDeque<Step>,
    requests: Vec<ChatRequest>,
    answers: Vec<ChatAnswer>,
}

/// A [`TextModel`] that returns prepared answers in order and records its requests.
///
/// After the last answer it calls the closure of [`otherwise`](Self::otherwise), or fails. It counts four characters as
/// one token, for input and output.
///
/// ```
/// use reflect_model::scripted::ScriptedModel;
/// use reflect_model::{ChatMessage, ChatRequest, TextModel};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let model = ScriptedModel::new().answer("yes").otherwise(|request| Ok(request.messages[0].content.clone()));
/// let request = ChatRequest::new(vec![ChatMessage::user("Is it so?")]);
///
/// assert_eq!(model.chat(request.clone()).await.unwrap().text, "yes");
/// assert_eq!(model.chat(request.clone()).await.unwrap().text, "Is it so?");
/// assert_eq!(model.requests(), [request.clone(), request]);
/// # });
/// ```
#[derive(Clone)]
pub struct ScriptedModel {
    name: String,
    record: Arc<Mutex<Record>>,
    otherwise: Option<Arc<Otherwise>>,
}

impl Default for ScriptedModel {
    fn default() -> Self {
        Self::new()
    }
}

impl ScriptedModel {
    /// A model with an empty script.
    pub fn new() -> Self {
        Self { name: "scripted".into(), record: Arc::default(), otherwise: None }
    }

    /// Sets the name.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Adds an answer to the script.
    #[must_use]
    pub fn answer(self, text: impl Into<String>) -> Self {
        self.step(Step::Answer { text: text.into(), cut_off: false })
    }

    /// Adds an answer that reached the token limit.
    #[must_use]
    pub fn cut_off(self, text: impl Into<String>) -> Self {
        self.step(Step::Answer { text: text.into(), cut_off: true })
    }

    /// Adds a call that fails.
    #[must_use]
    pub fn error(self, error: ModelError) -> Self {
        self.step(Step::Error(error))
    }

    /// Adds a call that never ends, for tests of timeouts and cancellation.
    #[must_use]
    pub fn hang(self) -> Self {
        self.step(Step::Hang)
    }

    /// Sets the closure that answers after the end of the script.
    #[must_use]
    pub fn otherwise<F>(mut self, answer: F) -> Self
    where
        F: Fn(&ChatRequest) -> Result<String, ModelError> + Send + Sync + 'static,
    {
        self.otherwise = Some(Arc::new(answer));
        self
    }

    /// All requests in order, including those of failed calls.
    pub fn requests(&self) -> Vec<ChatRequest> {
        self.record().requests.clone()
    }

    /// All answers in order.
    pub fn answers(&self) -> Vec<ChatAnswer> {
        self.record().answers.clone()
    }

    /// The number of calls.
    pub fn calls(&self) -> usize {
        self.record().requests.len()
    }

    /// The number of unused answers in the script.
    pub fn remaining(&self) -> usize {
        self.record().steps.len()
    }

    fn step(self, step: Step) -> Self {
        self.record().steps.push_back(step);
        self
    }

    fn record(&self) -> MutexGuard<'_, Record> {
        // If a test panicked elsewhere, its message must stay visible.
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next(&self, request: &ChatRequest) -> Step {
        let mut record = self.record();
        record.requests.push(request.clone());
        let next = record.steps.pop_front();
        drop(record);
        next.unwrap_or_else(|| match &self.otherwise {
            Some(otherwise) => match otherwise(request) {
                Ok(text) => Step::Answer { text, cut_off: false },
                Err(error) => Step::Error(error),
            },
            None => Step::Error(ModelError::do_not_retry(format!("the script of {} has run out", self.name))),
        })
    }
}

impl fmt::Debug for ScriptedModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("ScriptedModel");
        shown.field("name", &self.name).field("calls", &self.calls()).field("remaining", &self.remaining());
        shown.finish_non_exhaustive()
    }
}

#[async_trait]
impl TextModel for ScriptedModel {
    fn name(&self) -> &str {
        &self.name
    }

    async fn chat(&self, request: ChatRequest) -> Result<ChatAnswer, ModelError> {
        let (text, cut_off) = match self.next(&request) {
            Step::Answer { text, cut_off } => (text, cut_off),
            Step::Error(error) => return Err(error),
            Step::Hang => std::future::pending().await,
        };
        let read = request.messages.iter().map(|message| message.content.chars().count()).sum();
        let usage = Usage { input_tokens: tokens(read), output_tokens: tokens(text.chars().count()) };
        let answer = ChatAnswer { text, model: self.name.clone(), usage, cut_off };
        self.record().answers.push(answer.clone());
        Ok(answer)
    }
}

fn tokens(characters: usize) -> u64 {
    characters.div_ceil(4) as u64
}
