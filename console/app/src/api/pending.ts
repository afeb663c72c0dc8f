// Routes that the console calls and the committed contract does not describe yet, as their authors wrote them down.
// Whatever appears in openapi.json is to be removed here: `Paths` then takes it from there.

type Json<T> = { content: { "application/json": T } };
type Answer<T> = { responses: { 200: Json<T> } };
type In<P extends string> = { project_id: string } & Record<P, string>;
type Get<T, P extends string = never, Q = Record<never, never>> = {
  get: { parameters: { path: In<P>; query?: Q } } & Answer<T>;
};
type Post<B, T, P extends string = never> = {
  post: { parameters: { path: In<P> }; requestBody: Json<B> } & Answer<T>;
};
type Delete<T, P extends string = never> = { delete: { parameters: { path: In<P> } } & Answer<T> };

export type Role = "admin" | "developer" | "reviewer" | "viewer";

export type Session = {
  member: {
    id: string;
    name: string;
    role: Role;
    scopes: string[];
    projects: string[] | null;
    manages_members: boolean;
  };
  projects: ProjectSummary[];
  session: { id: string; created_at: string; expires_at: string };
  version: string;
};

export type ProjectSummary = {
  project_id: string;
  pending: number;
  pending_more: boolean;
  created_at: string;
};

export type Overview = {
  as_of: string;
  traces: { last_24h: number; last_7d: number; more: boolean };
  reviews: {
    runs: number;
    reviewed: number;
    share: number | null;
    pending: number;
    pending_more: boolean;
    oldest_pending: { trace_id: string; created_at: string } | null;
  };
  reflections: { made: number; failed: number; queued: number };
  memories_used: { runs: number; with_memories: number; share: number | null };
  success_by_day: { day: string; reviews: number; passed: number }[];
  newest_memories: {
    id: string;
    task: string;
    summary: string;
    origin: string;
    success: boolean | null;
    created_at: string;
  }[];
  failures: { trace_id: string; task: string; error: string; created_at: string }[];
};

export type TraceRow = {
  id: string;
  created_at: string;
  task: string;
  result: "pass" | "fail" | null;
  review_status: "pending" | "reviewed";
  ingest_status: "queued" | "processing" | "completed" | "failed";
  reviewer: string | null;
  messages: number;
  errors: number | null;
  memories: number;
  created_memory_id: string | null;
  model: string | null;
  latency_ms: number | null;
  tokens: number | null;
};

export type RowsQuery = {
  limit?: number;
  cursor?: string;
  review_status?: "pending" | "reviewed";
  result?: "pass" | "fail";
  ingest_status?: "queued" | "processing" | "completed" | "failed";
  model?: string;
  text?: string;
  since?: string;
  until?: string;
  memory_id?: string;
  has_error?: boolean;
};

export type StepKind =
  | "system"
  | "user"
  | "assistant"
  | "reasoning"
  | "tool_call"
  | "tool_result"
  | "error"
  | "memory"
  | "note";

export type Part = {
  n: number;
  form: "text" | "json" | "media";
  label: string | null;
  media_type: string | null;
  size: number;
  text: string | null;
  head: string | null;
  tail: string | null;
};

export type Step = {
  n: number;
  message: number;
  kind: StepKind;
  title: string;
  parts: Part[];
  call_id: string | null;
  tool: string | null;
  failed: boolean;
  at: string | null;
  duration_ms: number | null;
  tokens: number | null;
};

export type Steps = {
  trace_id: string;
  total: number;
  kinds: StepKind[];
  failed: number[];
  from: number;
  to: number;
  steps: Step[];
};

export type PartText = { n: number; size: number; from: number; to: number; text: string };

export type QueueOrder = "informative" | "newest" | "oldest" | "errors" | "random";
export type RunFilter = {
  model?: string;
  metadata?: Record<string, unknown>;
  task?: string;
  signal?: string;
  judged?: boolean;
};

export type QueuedTrace = {
  trace_id: string;
  leased_until: string;
  created_at: string;
  model: string | null;
  link: string;
  deferred_by: string | null;
  deferred_note: string | null;
  score: number;
  reasons: { reason: string; weight: number }[];
  digest: TraceDigest;
};

export type TraceDigest = {
  task: string;
  task_is_cut: boolean;
  answer: string;
  answer_is_cut: boolean;
  steps: { total: number; by_kind: Record<string, number>; listed: DigestStep[] } | null;
  signals: { signal: string; count: number; step: number | null }[];
  memories: DigestMemory[];
};

export type DigestStep = { step: number; message: number; kind: string; title: string; failed: boolean };

export type DigestMemory = {
  id: string;
  summary: string;
  status: string;
  q_value: number;
  q_value_after_pass: number;
  q_value_after_fail: number;
  evidence: number;
};

export type NextReviews = {
  count?: number;
  order?: QueueOrder;
  lease_seconds?: number;
  skip?: string[];
  renew?: boolean;
  filter?: RunFilter;
};

export type ReviewQueue = {
  pending: number;
  leased: number;
  deferred: number;
  oldest_pending_seconds: number | null;
  reviewed_today: number;
};

export type BulkReview = {
  trace_ids?: string[];
  filter?: RunFilter;
  result: "pass" | "fail";
  feedback_text?: string;
  grace_seconds?: number;
  dry_run?: boolean;
};

export type BulkReviewed = {
  dry_run: boolean;
  action_id: string | null;
  traces: number;
  skipped: number;
  left: number;
  utilities: number;
  reflections: number;
  tokens: number;
};

export type DeferredTrace = {
  trace_id: string;
  deferred_until: string | null;
  deferred_by: string | null;
  note: string | null;
};

/** What a review has beyond the committed contract. */
export type ReviewExtras = { reviewer?: string; learns_at?: string | null };

export type PendingPaths = {
  "/v1/projects/{project_id}/overview": Get<Overview>;
  "/v1/projects/{project_id}/traces/rows": Get<TraceRow[], never, RowsQuery>;
  "/v1/projects/{project_id}/traces/{trace_id}/steps": Get<Steps, "trace_id", { from?: number; to?: number }>;
  "/v1/projects/{project_id}/traces/{trace_id}/parts/{n}": Get<
    PartText,
    "trace_id" | "n",
    { from?: number; to?: number }
  >;
  "/v1/projects/{project_id}/review-queue": Get<ReviewQueue>;
  "/v1/projects/{project_id}/review-queue/next": Post<
    NextReviews,
    { items: QueuedTrace[]; remaining: number }
  >;
  "/v1/projects/{project_id}/review-queue/leases": Post<
    { trace_ids: string[]; lease_seconds?: number; release?: boolean },
    { held: { trace_id: string; leased_until: string }[] }
  >;
  "/v1/projects/{project_id}/traces/{trace_id}/defer": Post<
    { seconds?: number; until?: string; note?: string },
    DeferredTrace,
    "trace_id"
  > &
    Delete<DeferredTrace, "trace_id">;
  "/v1/projects/{project_id}/reviews/bulk": Post<BulkReview, BulkReviewed>;
};
