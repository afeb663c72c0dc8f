// Constants of the review API.

/** The grace period: how long the server waits before it learns from a verdict. */
export const GRACE_SECONDS = 15;
