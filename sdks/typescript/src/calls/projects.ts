/** Calls about the project: settings, health, keys, skills, receipts. */

import { NotFoundError } from "../errors.js";
import type {
  ApiKey,
  ChangeProject,
  CreateApiKey,
  CreatedApiKey,
  CreateErasure,
  CreateSkill,
  DeletedProject,
  Diagnosis,
  Erasure,
  GetUpliftQuery,
  LoopHealth,
  Project,
  Retrieval,
  RotateApiKey,
  Skill,
  Uplift,
} from "../generated/bodies.js";
import type { CallOptions } from "../types.js";
import type { Pages } from "../wire/pages.js";
import { calls, type CallContext } from "./routes.js";

/** The project of the client: `client.project`. */
export interface ProjectCalls {
  /** The settings of the project. */
  get(options?: CallOptions): Promise<Project>;

  /** Changes settings. Those that are not passed do not change. */
  update(changes: ChangeProject, options?: CallOptions): Promise<Project>;

  /** Deletes the project with all its runs and memories. This cannot be undone. */
  delete(options?: CallOptions): Promise<DeletedProject>;

  /** Checks whether the learning loop works, worst first, each with a fix. */
  loopHealth(options?: CallOptions): Promise<LoopHealth>;

  /** How much more often runs with memories pass than holdout runs. */
  uplift(query?: GetUpliftQuery, options?: CallOptions): Promise<Uplift>;

  /** What the server knows about itself and about the caller, for a support request. */
  diagnosis(options?: CallOptions): Promise<Diagnosis>;

  /** Starts to remove all data about a run or a subject for good. */
  erase(erasure: CreateErasure, options?: CallOptions): Promise<Erasure>;

  /** The progress of an erasure. */
  erasure(erasureId: string, options?: CallOptions): Promise<Erasure>;
}

export const projectCalls = (context: CallContext): ProjectCalls =>
  calls(context, "project", {
    get: "project_id GET ",
    update: "project_id PATCH  body",
    delete: "deleted DELETE ",
    loopHealth: "status GET loop-health flush",
    uplift: "message GET uplift query",
    diagnosis: "caller GET diagnosis",
    erase: "id POST erasures body key",
    erasure: "id GET erasures/:",
  });

/** The API keys of the project: `client.keys`. */
export interface KeyCalls {
  /** All keys, newest first, without their secrets. */
  list(options?: CallOptions): Pages<ApiKey>;

  /** Creates a key. The result contains its secret, which cannot be read again. */
  create(key: CreateApiKey, options?: CallOptions): Promise<CreatedApiKey>;

  /** Replaces a key by a new one with the same scopes. The result contains its secret. */
  rotate(keyId: string, rotation?: RotateApiKey, options?: CallOptions): Promise<CreatedApiKey>;

  /** Revokes a key, and the keys that were created with it; they stop working within seconds. */
  revoke(keyId: string, options?: CallOptions): Promise<ApiKey>;
}

export const keyCalls = (context: CallContext): KeyCalls =>
  calls(context, "keys", {
    list: "pages GET api-keys",
    create: "key POST api-keys body key",
    rotate: "key POST api-keys/:/rotate body key",
    revoke: "id POST api-keys/:/revoke empty key",
  });

/** The guides that are written from the best lessons: `client.skills`. */
export interface SkillCalls {
  /** The newest version, or undefined if there is none yet. */
  get(options?: CallOptions): Promise<Skill | undefined>;

  /** Writes the next version from the best lessons, by default 5 of each kind. */
  create(counts?: CreateSkill, options?: CallOptions): Promise<Skill>;
}

export function skillCalls(context: CallContext): SkillCalls {
  const sent = calls<SkillCalls>(context, "skills", {
    get: "content GET skill",
    create: "content POST skill/create body key",
  });
  const absent = (error: unknown): undefined => {
    if (!(error instanceof NotFoundError)) throw error;
  };
  return { ...sent, get: (options) => sent.get(options).catch(absent) };
}

/** The receipts of retrievals: `client.retrievals`. */
export interface RetrievalCalls {
  /** The candidates of a retrieval, and for each one whether it was returned. */
  get(retrievalId: string, options?: CallOptions): Promise<Retrieval>;
}

export const retrievalCalls = (context: CallContext): RetrievalCalls =>
  calls(context, "retrievals", { get: "id GET retrievals/:" });
