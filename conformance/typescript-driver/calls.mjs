/** Calls with a single result: one client method each. */

import { camel, queryOf, reviewOf, traceOf } from "./arguments.mjs";

export const calls = {
  health: (client) => client.health(),
  query_memories: (client, { task, ...query }) => client.memories.query(task, queryOf(query)),
  augment_with_memories: (client, { task, ...query }) => client.memories.augment(task, queryOf(query)),
  create_memory: (client, { task, result, lesson }) => client.memories.create({ task, result, ...camel(lesson) }),
  create_trace: (client, trace) => client.traces.create(traceOf(trace)),
  create_trace_and_wait: (client, { trace, patience }) =>
    client.traces.createAndWait(traceOf(trace), { waitTimeout: patience * 1000 }),
  wait_for_trace: (client, { trace_id: id, require_reviewed: requireReviewed, patience }) =>
    client.traces.wait(id, { requireReviewed, waitTimeout: patience * 1000 }),
  get_trace: (client, { trace_id: id }) => client.traces.get(id),
  list_traces: (client, { review_status: reviewStatus }) =>
    client.traces.list(reviewStatus === null ? {} : { reviewStatus }).toArray(),
  delete_traces: (client, { trace_ids: ids }) => client.traces.delete(ids),
  review_trace: (client, { trace_id: id, review }) => client.reviews.create(id, reviewOf(review)),
  list_api_keys: (client) => client.keys.list().toArray(),
  create_api_key: (client, key) => client.keys.create(key),
  revoke_api_key: (client, { key_id: id }) => client.keys.revoke(id),
  get_skill: (client) => client.skills.get(),
  create_skill: (client, counts) => client.skills.create(camel(counts)),
  delete_project: (client) => client.project.delete(),
};
