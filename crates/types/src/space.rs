//! Embedding spaces: which text of a memory is embedded, the state of a migration to another space, and of the graph of a
//! large project in a space.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize};

use crate::outcome::{UnknownWord, words};

words! {
    /// What of a memory is embedded in a space. Questions are tasks in every space.
    ///
    /// ```
    /// use reflect_types::EmbeddedText;
    ///
    /// assert_eq!(EmbeddedText::Task.of("sort a list", "Use the library."), "sort a list");
    /// assert_eq!(EmbeddedText::Reflection.of("sort a list", "Use the library."), "Use the library.");
    /// assert_eq!(EmbeddedText::Reflection.of("sort a list", " "), "sort a list");
    /// ```
    EmbeddedText as "key text", expected "task or reflection" {
        /// The task it was learned from.
        Task = 0: "task",
        /// The lesson.
        Reflection = 1: "reflection",
    }
}

impl EmbeddedText {
    /// The text of a memory that is embedded: the task, if the lesson is empty.
    pub fn of<'a>(self, task: &'a str, reflection: &'a str) -> &'a str {
        match self {
            Self::Reflection if !reflection.trim().is_empty() => reflection,
            _ => task,
        }
    }
}

#[expect(clippy::derivable_impls, reason = "the macro derives the same for every word")]
impl Default for EmbeddedText {
    fn default() -> Self {
        Self::Task
    }
}

words! {
    /// How far the change of a project to another embedding space has come.
    SpaceChangeState as "state", expected "filling, ready, switched, rolled_back, abandoned or finished" {
        /// Memories are being embedded in the new space. Questions go to the old one.
        Filling = 0: "filling",
        /// Every memory has its vector in both. Questions go to the old one.
        Ready = 1: "ready",
        /// Questions go to the new one, and both are written.
        Switched = 2: "switched",
        /// Questions go to the old one again, and both are written.
        #[serde(rename = "rolled_back")]
        RolledBack = 3: "rolled_back",
        /// It was cancelled: the old one stays.
        Abandoned = 4: "abandoned",
        /// The new one stays.
        Finished = 5: "finished",
    }
}

impl SpaceChangeState {
    /// Whether both spaces are written.
    pub const fn is_live(self) -> bool {
        !matches!(self, Self::Abandoned | Self::Finished)
    }
}

words! {
    /// How far the graph of a project's vectors is. Queries use it only while it serves; otherwise they are exact.
    GraphState as "state", expected "building, catching_up, checking, serving, rejected or retired" {
        /// Its partition is being built.
        Building = 0: "building",
        /// New vectors are copied to it. Those that were written during the build are added.
        #[serde(rename = "catching_up")]
        CatchingUp = 1: "catching_up",
        /// It is complete, and is compared with exact search.
        Checking = 2: "checking",
        /// Queries use it.
        Serving = 3: "serving",
        /// It finds too few of the nearest memories.
        Rejected = 4: "rejected",
        /// It is not needed any more and will be removed.
        Retired = 5: "retired",
    }
}
