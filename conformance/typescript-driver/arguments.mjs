/** Converts the arguments of a call. Absent ones are null in a line, and undefined for the client. */

/** A query for memories. */
export function queryOf({ limit, utility_weight, mmr_lambda, similarity_threshold, metadata_filter }) {
  return known({
    limit,
    lambda: utility_weight,
    mmrLambda: mmr_lambda,
    similarityThreshold: similarity_threshold,
    metadataFilter: metadata_filter,
  });
}

/** The review of a run. */
export function reviewOf({ result, feedback, alpha }) {
  return known({ result, feedbackText: feedback, alpha });
}

/** A run to store. */
export function traceOf(given) {
  return known({
    task: given.task,
    trajectory: given.trajectory,
    finalResponse: given.final_response,
    retrievedMemoryIds: given.retrieved_memory_ids,
    model: given.model,
    metadata: given.metadata,
    referenceContext: given.reference_context,
    review: given.review && reviewOf(given.review),
  });
}

/** The output of a run. A text is both its trajectory and its final response. */
export function outputOf({ text, trajectory, review, model }) {
  return known({
    trajectory: trajectory ?? text,
    finalResponse: text,
    model,
    ...(review && reviewOf(review)),
  });
}

/** The same fields with the names of the client. */
export function camel(fields) {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase()), value]),
  );
}

function known(fields) {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));
}
