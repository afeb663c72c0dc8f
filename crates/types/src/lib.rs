//! Types that every part of Reflect shares: ids, outcomes, bounded numbers, scopes and steps; and [`text`],
//! the guard against invisible text. A value of these types is always valid. There is no I/O here.

mod choices;
mod crash_point;
mod credit;
mod defence;
#[cfg(test)]
mod fuzz;
mod ids;
mod json_cost;
mod lesson;
mod member;
mod memory_value;
mod otlp;
mod outcome;
mod privacy;
mod project;
mod reviewer;
mod scope;
mod score;
mod settings;
mod signal;
mod space;
mod step;
pub mod text;
mod trust;
mod webhook;

pub use choices::{HealthLevel, JudgeState, MemorySort, QueueOrder};
pub use crash_point::CrashPoint;
#[cfg(debug_assertions)]
pub use crash_point::crash_at;
pub use credit::Credit;
pub use defence::Defence;
pub use ids::{
    ClientIdError, KeyId, LessonId, MemberId, MemoryId, RetrievalId, ReviewId, SessionId, SignalId, TraceId,
};
pub use json_cost::{JsonCost, MAX_DEPTH, MAX_METADATA_VALUES, json_cost};
pub use lesson::{
    ChangeLessons, GroupingState, LessonGrouping, LessonSettings, QuestionAnswer, UseSource, WeightSource,
};
pub use member::{InvalidMemberName, MemberAccess, MemberName, MemberRole};
pub use memory_value::memory_value;
pub use otlp::{ChangeOtlp, OtlpSettings};
pub use outcome::{
    Arm, Fate, IngestStatus, Link, MemoryOrigin, MemoryStatus, Ranking, ReviewMode, ReviewResult,
    ReviewStatus, UnknownWord,
};
pub use privacy::{ChangeRedaction, PiiMode, RedactionSettings, RetentionSettings};
pub use project::{InvalidSlug, ProjectId, ProjectSlug};
pub use reviewer::ReviewerKind;
pub use scope::{Environment, Scope, Trust};
pub use score::{Alpha, OutOfRange, Utility};
pub use settings::{ChangeJudge, ChangeProject, InvalidSetting, JudgeSettings, ProjectSettings};
pub use signal::{
    ChangeSignals, InvalidName, RunKeyName, SignalMatching, SignalReport, SignalSettings, SignalSource,
    SourceRule, SourceSettings,
};
pub use space::{EmbeddedText, GraphState, SpaceChangeState};
pub use step::{PartForm, StepKind};
pub use trust::{SAME_TASK, Said, Source, VOUCHERS, independent, says_the_same};
pub use webhook::{DeliveredType, DeliveryState, WebhookEventType};
