//! Places before and after external effects, at which a debug build can end the process. `just kills` ends it at each of
//! them, lets everything continue, and audits what is left. Release builds have none of this.

#[cfg(debug_assertions)]
use std::sync::OnceLock;
#[cfg(debug_assertions)]
use std::sync::atomic::{AtomicU64, Ordering};

#[cfg(debug_assertions)]
static PLAN: OnceLock<CrashPlan> = OnceLock::new();

/// An effect outside of the process: a commit, a call of a model, a request to a server, a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CrashPoint {
    /// The commit of new traces.
    IngestCommit,
    /// The commit of a batch of traces that one request sent.
    BatchCommit,
    /// The commit of receipts.
    ReceiptCommit,
    /// The commit of a review, of its replacement or withdrawal.
    ReviewCommit,
    /// The commit of reviews of a bulk request.
    BulkReviewCommit,
    /// The commit of signals.
    SignalAccept,
    /// The commit of a review that follows from signals.
    SignalApply,
    /// The claim of jobs.
    JobClaim,
    /// The removal of finished jobs.
    JobFinish,
    /// The commit that marks a trace as being learned from.
    LearnStart,
    /// The call of the model that writes a lesson.
    LearnModel,
    /// The commit of a draft.
    LearnDraft,
    /// The call of the embedder for a memory.
    LearnEmbed,
    /// The commit of a memory.
    LearnFinish,
    /// The commit that postpones learning.
    LearnPostpone,
    /// The commit that puts traces into the judge's queue.
    JudgeQueue,
    /// The call of the judge.
    JudgeModel,
    /// The commit of a judgement.
    JudgeRecord,
    /// The commit of the review that follows from a judgement.
    JudgeApply,
    /// The commit of a change of memories by a person.
    CurationCommit,
    /// The commit of a memory that a person wrote.
    CurationCreate,
    /// The commit of a batch of an undone action.
    CurationUndo,
    /// The commit of a split lesson.
    LessonSplit,
    /// The commit that removes the texts of a memory.
    MemoryErase,
    /// The commit that deletes traces.
    TraceDelete,
    /// The commit of a request for an erasure.
    ErasureRequest,
    /// The commit of one batch of an erasure.
    ErasureBatch,
    /// The commit that ends an erasure.
    ErasureFinish,
    /// The commit of links of the audit chain.
    AuditAppend,
    /// The commit of spans of runs that have not ended.
    SpanStage,
    /// The commit that closes a run of spans.
    SpanRunClose,
    /// The submission of a run that was built from spans.
    SpanRunSubmit,
    /// The commit that ends a run of spans, and removes its spans.
    SpanRunEnd,
    /// The request that sends an event to a webhook.
    WebhookSend,
    /// The commit of the results of a round of such requests.
    WebhookRecord,
    /// A part of a pack on the disk.
    ExportPart,
    /// The line of a part in the journal of an export.
    ExportNote,
    /// The manifest of a pack on the disk.
    ExportManifest,
    /// The commit of one part of an import.
    ImportPart,
    /// The commit that makes an imported project visible.
    ImportFinish,
    /// The request that delivers stored runs of a spool.
    SpoolSend,
    /// The acknowledgement in a spool file.
    SpoolAcknowledge,
}

impl CrashPoint {
    /// Every effect with its name. `NAME:before` and `NAME:after` are the places.
    pub const ALL: [(&'static str, Self); 42] = [
        ("ingest-commit", Self::IngestCommit),
        ("batch-commit", Self::BatchCommit),
        ("receipt-commit", Self::ReceiptCommit),
        ("review-commit", Self::ReviewCommit),
        ("bulk-review-commit", Self::BulkReviewCommit),
        ("signal-accept", Self::SignalAccept),
        ("signal-apply", Self::SignalApply),
        ("job-claim", Self::JobClaim),
        ("job-finish", Self::JobFinish),
        ("learn-start", Self::LearnStart),
        ("learn-model", Self::LearnModel),
        ("learn-draft", Self::LearnDraft),
        ("learn-embed", Self::LearnEmbed),
        ("learn-finish", Self::LearnFinish),
        ("learn-postpone", Self::LearnPostpone),
        ("judge-queue", Self::JudgeQueue),
        ("judge-model", Self::JudgeModel),
        ("judge-record", Self::JudgeRecord),
        ("judge-apply", Self::JudgeApply),
        ("curation-commit", Self::CurationCommit),
        ("curation-create", Self::CurationCreate),
        ("curation-undo", Self::CurationUndo),
        ("lesson-split", Self::LessonSplit),
        ("memory-erase", Self::MemoryErase),
        ("trace-delete", Self::TraceDelete),
        ("erasure-request", Self::ErasureRequest),
        ("erasure-batch", Self::ErasureBatch),
        ("erasure-finish", Self::ErasureFinish),
        ("audit-append", Self::AuditAppend),
        ("span-stage", Self::SpanStage),
        ("span-run-close", Self::SpanRunClose),
        ("span-run-submit", Self::SpanRunSubmit),
        ("span-run-end", Self::SpanRunEnd),
        ("webhook-send", Self::WebhookSend),
        ("webhook-record", Self::WebhookRecord),
        ("export-part", Self::ExportPart),
        ("export-note", Self::ExportNote),
        ("export-manifest", Self::ExportManifest),
        ("import-part", Self::ImportPart),
        ("import-finish", Self::ImportFinish),
        ("spool-send", Self::SpoolSend),
        ("spool-acknowledge", Self::SpoolAcknowledge),
    ];

    /// The effect comes next.
    #[cfg(not(debug_assertions))]
    pub const fn before(self) {}

    /// The effect is done.
    #[cfg(not(debug_assertions))]
    pub const fn after(self) {}

    /// The effect comes next.
    #[cfg(debug_assertions)]
    pub fn before(self) {
        self.pass("before");
    }

    /// The effect is done.
    #[cfg(debug_assertions)]
    pub fn after(self) {
        self.pass("after");
    }

    /// Ends the process if the plan says so. As after SIGKILL, nothing is cleaned up.
    #[cfg(debug_assertions)]
    fn pass(self, side: &'static str) {
        let Some(plan) = PLAN.get() else { return };
        if plan.ends(self, side) {
            let name = Self::ALL.iter().find(|(_, point)| *point == self).map_or("", |(name, _)| name);
            eprintln!("crash point {name}:{side}");
            std::process::abort();
        }
    }
}

/// When the process ends.
#[cfg(debug_assertions)]
#[derive(Debug)]
enum CrashPlan {
    /// At this place, when it is passed as often as this.
    At { point: CrashPoint, side: &'static str, passes: AtomicU64 },
    /// At any place, with this probability in a million.
    Random { in_a_million: u64, state: AtomicU64 },
}

#[cfg(debug_assertions)]
impl CrashPlan {
    fn ends(&self, point: CrashPoint, side: &'static str) -> bool {
        match self {
            Self::At { point: wanted, side: wanted_side, passes } => {
                point == *wanted && side == *wanted_side && passes.fetch_sub(1, Ordering::Relaxed) == 1
            }
            Self::Random { in_a_million, state } => {
                // SplitMix64: each step is one addition, so threads share it without a lock.
                let mut number = state.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
                number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
                (number ^ (number >> 31)) % 1_000_000 < *in_a_million
            }
        }
    }

    /// `NAME:before`, `NAME:after:3` for the third time, or `random:SEED:IN_A_MILLION`.
    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split(':');
        let (name, second, third) = (parts.next()?, parts.next()?, parts.next());
        if name == "random" {
            let (seed, in_a_million) = (second.parse().ok()?, third?.parse().ok()?);
            return Some(Self::Random { in_a_million, state: AtomicU64::new(seed) });
        }
        let (_, point) = CrashPoint::ALL.iter().find(|(known, _)| *known == name)?;
        let side = ["before", "after"].into_iter().find(|side| *side == second)?;
        let passes = third.map_or(Some(1), |third| third.parse().ok())?;
        Some(Self::At { point: *point, side, passes: AtomicU64::new(passes) })
    }
}

/// Makes this process end at a place: `NAME:before`, `NAME:after:3` for the third time, or `random:SEED:IN_A_MILLION`.
/// Only the first call counts. Returns false if the text is none of these.
#[cfg(debug_assertions)]
pub fn crash_at(plan: &str) -> bool {
    CrashPlan::parse(plan).map(|plan| PLAN.set(plan)).is_some()
}

#[cfg(all(test, debug_assertions))]
mod tests {
    use super::*;

    #[test]
    fn a_plan_ends_the_process_at_its_place_once() {
        let plan = CrashPlan::parse("learn-draft:after:2").unwrap();

        let ends = [
            plan.ends(CrashPoint::LearnDraft, "before"),
            plan.ends(CrashPoint::LearnDraft, "after"),
            plan.ends(CrashPoint::LearnFinish, "after"),
            plan.ends(CrashPoint::LearnDraft, "after"),
            plan.ends(CrashPoint::LearnDraft, "after"),
        ];

        assert_eq!(ends, [false, false, false, true, false]);
    }

    #[test]
    fn a_random_plan_ends_at_its_share_of_places() {
        let plan = CrashPlan::parse("random:7:20000").unwrap();
        let ends = (0..100_000).filter(|_| plan.ends(CrashPoint::JobClaim, "before")).count();
        assert!((1_700..2_300).contains(&ends), "{ends}");
    }

    #[test]
    fn other_texts_are_no_plan() {
        for text in [
            "",
            "learn-draft",
            "learn-draft:during",
            "odd:before",
            "random:1",
            "random:x:1",
            "job-claim:after:x",
        ] {
            assert!(CrashPlan::parse(text).is_none(), "{text}");
        }
    }
}
