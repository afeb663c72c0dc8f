// Names for the schema types that the console uses.
import type { components } from "./schema";

export type Schemas = components["schemas"];
export type Session = Schemas["ConsoleSession"];
export type Role = Schemas["MemberRole"];
export type Scope = Schemas["Scope"];
export type Overview = Schemas["Overview"];
export type TraceLine = Schemas["TraceLine"];
export type Review = Schemas["Review"];
export type TraceSignal = Schemas["TraceSignal"];
export type StepKind = Schemas["StepKind"];
export type Part = Schemas["Part"];
export type Step = Schemas["Step"];
export type TraceSteps = Schemas["TraceSteps"];
export type QueueOrder = Schemas["QueueOrder"];
export type RunFilter = Schemas["RunFilter"];
export type QueuedTrace = Schemas["QueuedTrace"];
export type DigestStep = Schemas["DigestStep"];
export type DigestMemory = Schemas["DigestMemory"];
export type ReviewQueue = Schemas["ReviewQueue"];
export type BulkReview = Schemas["ReviewInBulk"];
export type BulkReviewed = Schemas["BulkReviewed"];
