//! Lessons that a caller wrote.

use reflect_api::AuthoredReflection;
use reflect_engine::AuthoredLesson;

pub(crate) fn authored(reflection: AuthoredReflection) -> AuthoredLesson {
    AuthoredLesson {
        summary: reflection.summary,
        guidance: reflection.guidance,
        key_mistake: reflection.key_mistake,
        correct_action: reflection.correct_action,
        applicable_tools: reflection.applicable_tools,
    }
}
