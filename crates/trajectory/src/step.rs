//! One step of a trajectory, and its parts.

use std::borrow::Cow;
use std::collections::HashMap;

use chrono::{DateTime, Utc};
use reflect_types::{PartForm, StepKind};

/// In characters.
const LONGEST_TITLE: usize = 120;
/// In bytes. A longer name is not copied into the results of the tool: many results of one call would take far more
/// memory than the run.
const LONGEST_COPIED_NAME: usize = 256;
pub(crate) const ARGUMENTS_LABEL: &str = "arguments";
pub(crate) const OTHER_LABEL: &str = "other";

/// A part of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepPart {
    /// The form of its text.
    pub form: PartForm,
    /// None for what the step says; `arguments` of a call; `other` for fields that are not recognised.
    pub label: Option<&'static str>,
    /// The MIME type of a picture, a sound or a file, if it was sent.
    pub media_type: Option<String>,
    /// The type of the block of a picture, a sound or a file, such as `image_url`.
    pub block: Option<String>,
    /// The whole text.
    pub text: String,
}

/// One step of a run. One message may have several.
#[derive(Debug, Clone, PartialEq)]
pub struct TrajectoryStep {
    /// The message it comes from, from 0.
    pub message: usize,
    /// What it is.
    pub kind: StepKind,
    /// One line: the name of the tool, or the first line of the text.
    pub title: String,
    /// What it says, and every other field that was sent with it.
    pub parts: Vec<StepPart>,
    /// Links a call with its result.
    pub call_id: Option<String>,
    /// The tool of a call or a result.
    pub tool: Option<String>,
    /// Whether it reports a failure.
    pub failed: bool,
    /// When it happened, if the message says so.
    pub at: Option<DateTime<Utc>>,
    /// How long it took, if the message says so.
    pub duration_ms: Option<f64>,
    /// How many tokens it took, if the message says so.
    pub tokens: Option<u64>,
}

impl TrajectoryStep {
    pub(crate) fn new(kind: StepKind) -> Self {
        Self {
            message: 0,
            kind,
            title: String::new(),
            parts: Vec::new(),
            call_id: None,
            tool: None,
            failed: kind == StepKind::Error,
            at: None,
            duration_ms: None,
            tokens: None,
        }
    }

    /// What the step says in one text: the arguments of a call, otherwise its parts in lines. Fields that are not
    /// recognised are the text only if there is no other. A picture or a file is its type in brackets.
    pub fn text(&self) -> Cow<'_, str> {
        let wanted = if self.kind == StepKind::ToolCall { Some(ARGUMENTS_LABEL) } else { None };
        let texts: Vec<Cow<'_, str>> =
            self.parts.iter().filter(|part| part.label == wanted).map(StepPart::shown).collect();
        let said = match texts.len() {
            1 => texts.into_iter().next().unwrap_or_default(),
            _ => Cow::Owned(texts.join("\n")),
        };
        if !said.trim().is_empty() { said } else { self.other().map_or(said, Cow::Borrowed) }
    }

    /// The arguments of a call.
    pub fn arguments(&self) -> Option<&str> {
        let arguments = self.parts.iter().find(|part| part.label == Some(ARGUMENTS_LABEL));
        arguments.map(|part| part.text.as_str())
    }

    /// The fields that are not recognised, as JSON.
    pub fn other(&self) -> Option<&str> {
        let other = self.parts.iter().rev().find(|part| part.label == Some(OTHER_LABEL));
        other.map(|part| part.text.as_str())
    }

    /// The title: the name of the tool, or the first line of the text.
    pub(crate) fn title_line(&self) -> String {
        self.line().chars().take(LONGEST_TITLE).collect()
    }

    fn line(&self) -> &str {
        if let Some(tool) = self.tool.as_deref().and_then(first_line) {
            return tool;
        }
        let said = self.parts.iter().find(|part| part.label.is_none() && part.form == PartForm::Text);
        said.and_then(|part| first_line(&part.text)).unwrap_or_default()
    }
}

fn first_line(text: &str) -> Option<&str> {
    text.lines().map(str::trim).find(|line| !line.is_empty())
}

impl StepPart {
    /// The text to show. The bytes of a picture or a file are left out.
    pub fn shown(&self) -> Cow<'_, str> {
        match (self.form, &self.block) {
            (PartForm::Media, Some(block)) => Cow::Owned(format!("({block})")),
            _ => Cow::Borrowed(&self.text),
        }
    }
}

/// Most results name their call, and the call names the tool.
pub(crate) fn name_results<'a>(steps: impl IntoIterator<Item = &'a mut TrajectoryStep>) {
    let mut names: HashMap<String, String> = HashMap::new();
    for step in steps {
        match (step.kind, &step.call_id, &step.tool) {
            (StepKind::ToolCall, Some(call), Some(tool)) if tool.len() <= LONGEST_COPIED_NAME => {
                names.insert(call.clone(), tool.clone());
            }
            (StepKind::ToolResult, Some(call), None) => step.tool = names.get(call).cloned(),
            _ => {}
        }
    }
}
