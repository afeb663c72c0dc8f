//! Words and settings of lessons, each of which holds one or more situations.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize};

use crate::outcome::{UnknownWord, words};

words! {
    /// How the lessons of new runs are grouped.
    LessonGrouping as "lesson grouping", expected "automatic, structure or off" {
        /// By structure, then by the answer of a language model if one is configured.
        Automatic = 0: "automatic",
        /// By structure alone: the correct action, the tools of a run without words, or an identical text.
        Structure = 1: "structure",
        /// Not at all. Only identical texts count as one lesson.
        Off = 2: "off",
    }
}

words! {
    /// Where the weight of the utility comes from if a request names none.
    WeightSource as "weight source", expected "default or replay" {
        /// A constant.
        Default = 0: "default",
        /// The weight that would have served the project's reviewed runs best.
        Replay = 1: "replay",
    }
}

words! {
    /// How it is known which memories a run used.
    UseSource as "use source", expected "client, model or text" {
        /// The client said it.
        Client = 0: "client",
        /// A language model said it.
        Model = 1: "model",
        /// The actions of the run resemble the advice.
        Text = 2: "text",
    }
}

words! {
    /// The answer to the question which of two contradicting lessons is right.
    QuestionAnswer as "answer", expected "first, second, both or same" {
        /// The first one.
        First = 0: "first",
        /// The second one.
        Second = 1: "second",
        /// Both: they do not contradict each other.
        Both = 2: "both",
        /// Both, and they are one lesson.
        Same = 3: "same",
    }
}

words! {
    /// How far the grouping of the memories that existed before lessons were grouped has come.
    GroupingState as "grouping state", expected "waiting, running, done or reverted" {
        /// It has not started.
        Waiting = 0: "waiting",
        /// Some memories are grouped.
        Running = 1: "running",
        /// All memories are grouped.
        Done = 2: "done",
        /// It was undone.
        Reverted = 3: "reverted",
    }
}

/// How a project groups, supersedes and weights lessons.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = ProjectLessons))]
#[serde(default)]
pub struct LessonSettings {
    /// How the lessons of new runs are grouped: `automatic`, `structure` or `off`.
    pub grouping: LessonGrouping,
    /// Whether a run with the same advice about nearly the same task adds a count instead of a searched memory.
    pub absorb: bool,
    /// Whether memories that newer evidence contradicts are superseded.
    pub supersede: bool,
    /// Whether the memories that a run used are inferred from texts if neither the client nor a model reports them.
    pub infer_use: bool,
    /// Where the weight of the utility comes from if a request names none: `default` or `replay`.
    pub utility_weight: WeightSource,
}

impl Default for LessonSettings {
    fn default() -> Self {
        Self {
            grouping: LessonGrouping::Automatic,
            absorb: true,
            supersede: true,
            infer_use: true,
            utility_weight: WeightSource::Default,
        }
    }
}

/// Changes the settings of lessons. Absent fields stay unchanged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ChangeLessons {
    /// How the lessons of new runs are grouped: `automatic`, `structure` or `off`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grouping: Option<LessonGrouping>,
    /// Whether a run with the same advice about nearly the same task adds a count instead of a searched memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub absorb: Option<bool>,
    /// Whether memories that newer evidence contradicts are superseded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supersede: Option<bool>,
    /// Whether the memories that a run used are inferred from texts if neither the client nor a model reports them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub infer_use: Option<bool>,
    /// Where the weight of the utility comes from if a request names none: `default` or `replay`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub utility_weight: Option<WeightSource>,
}

impl ChangeLessons {
    /// The settings after the change.
    pub fn apply(self, before: LessonSettings) -> LessonSettings {
        LessonSettings {
            grouping: self.grouping.unwrap_or(before.grouping),
            absorb: self.absorb.unwrap_or(before.absorb),
            supersede: self.supersede.unwrap_or(before.supersede),
            infer_use: self.infer_use.unwrap_or(before.infer_use),
            utility_weight: self.utility_weight.unwrap_or(before.utility_weight),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_fields_stay_unchanged() {
        let off = LessonSettings { grouping: LessonGrouping::Off, ..LessonSettings::default() };
        let change = ChangeLessons { absorb: Some(false), ..ChangeLessons::default() };
        assert_eq!(change.apply(off), LessonSettings { absorb: false, ..off });
    }

    #[test]
    fn words_and_stored_numbers_are_read_back() {
        for answer in
            [QuestionAnswer::First, QuestionAnswer::Second, QuestionAnswer::Both, QuestionAnswer::Same]
        {
            assert_eq!(QuestionAnswer::from_code(answer.code()), Some(answer));
            assert_eq!(answer.as_str().parse(), Ok(answer));
        }
        assert_eq!(GroupingState::from_code(4), None);
        let read: LessonSettings = serde_json::from_str(r#"{"grouping": "structure"}"#).unwrap();
        assert_eq!(read.grouping, LessonGrouping::Structure);
        assert!(read.absorb && read.supersede && read.infer_use);
    }
}
