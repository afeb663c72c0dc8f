//! The data set, and an agent in the place of yours: it guesses, and does what a lesson tells it.

use std::convert::Infallible;

use async_trait::async_trait;
use reflexion_loop::{
    Actor, ActorError, Attempt, Evaluator, LlmReflector, Reflector, TrialContext, check_fn, model_fn,
};

/// One case: what is asked, what is right, and what a failure teaches.
pub(crate) struct Case {
    pub(crate) task: &'static str,
    answer: &'static str,
    lesson: &'static str,
}

pub(crate) const CASES: [Case; 6] = [
    Case { task: "Refund an order that arrived broken", answer: "photo", lesson: "Ask for a photo first." },
    Case { task: "Change the address of a parcel under way", answer: "carrier", lesson: "Call the carrier." },
    Case { task: "Cancel a subscription in its first month", answer: "prorate", lesson: "Always prorate." },
    Case {
        task: "Reset the password of a locked account",
        answer: "identity",
        lesson: "Check the identity.",
    },
    Case { task: "Send last year's invoice again", answer: "archive", lesson: "It is in the archive." },
    // Not every case can be run. This one never can, and the report says so.
    Case { task: "Ask the warehouse about stock", answer: "", lesson: "" },
];

impl Case {
    pub(crate) fn evaluator(&'static self) -> impl Evaluator + 'static {
        check_fn(
            |answer: &str| {
                if answer == self.answer { Ok(()) } else { Err(format!("`{answer}` does not help")) }
            },
        )
    }

    pub(crate) fn reflector(&'static self) -> impl Reflector + 'static {
        LlmReflector::new(model_fn("writer", |_prompt| async {
            let lesson = serde_json::json!({ "summary": self.lesson, "suggestions": [self.lesson] });
            Ok::<_, Infallible>(lesson.to_string())
        }))
    }
}

/// Guesses right once in a while, and always when the prompt says how.
pub(crate) struct Agent {
    pub(crate) case: &'static Case,
    pub(crate) round: usize,
}

#[async_trait]
impl Actor for Agent {
    async fn attempt(&self, cx: TrialContext) -> Result<Attempt, ActorError> {
        if self.case.answer.is_empty() {
            return Err(ActorError::new("the warehouse does not answer"));
        }
        let told = cx.prompt().contains(self.case.lesson);
        // By lot, but the same in every experiment.
        let lucky = (self.round * 7 + self.case.task.len()).is_multiple_of(4);
        Ok(Attempt::from(if told || lucky { self.case.answer } else { "a guess" }))
    }
}
