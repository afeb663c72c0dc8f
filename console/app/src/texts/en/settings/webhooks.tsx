import type { ReactNode } from "react";

export const webhooks = {
  title: "Webhooks",
  about: "Events for other programs, such as chats and ticket systems",
  seeOrCreate: "see or create webhooks",
  list: "Webhooks",
  listed: (count: number) => `Webhooks (${count})`,
  listAbout:
    "Failed deliveries are tried again for a day. A webhook that fails for three days is disabled. Deliveries are kept for 14 days.",
  none: "No webhooks yet. Create the first one above.",
  events: {
    "review.needed": "Runs wait for a review",
    "memory.created": "A memory was created",
    "memory.quarantined": "A memory was put into quarantine",
    "health.changed": "The health of the learning loop changed",
    "judge.stopped": "The judge was stopped",
  },
  state: { enabled: "enabled", failing: "failing", disabled: "disabled" },
  withTexts: "with texts",
  disabledBecause: (reason: string) => `Disabled by the server: ${reason}.`,
  createdBy: (creator: string, created: ReactNode) => (
    <>
      Created by {creator} {created}
    </>
  ),
  bothSecrets: (until: ReactNode) => <>, signed with both secrets until {until}</>,
  test: "Send test",
  tested: (name: string) => `A test is on its way to ${name}.`,
  showDeliveries: "Show deliveries",
  hideDeliveries: "Hide deliveries",
  enable: "Enable",
  disable: "Disable",
  rotate: "Replace secret",
  delete: "Delete",
  create: {
    title: "Create a webhook",
    about: "The server sends a signed POST request for each event. The receiver verifies it with the secret.",
    created: (url: string) => `Secret for ${url}`,
    saveNow: "Save it now where the receiver reads its secrets.",
    url: "Address",
    urlHint: "An https address on the public internet. The operator can allow other networks.",
    events: "Events",
    includeTexts: "Send texts too",
    includeTextsHint:
      "The task and the summary of a memory, and the tasks of waiting runs. Otherwise events contain only ids, words and numbers.",
    description: "Description",
    descriptionHint: "For example the channel that shows the events.",
    submit: "Create webhook",
  },
  deliveries: {
    title: "Deliveries",
    newestFirst: "Deliveries, newest first",
    none: "No deliveries in the last 14 days.",
    time: "Time",
    event: "Event",
    state: "State",
    attempts: "Attempts",
    action: "Action",
    states: { waiting: "waiting", delivered: "delivered", failed: "failed" },
    next: (time: ReactNode) => <>(next attempt {time})</>,
    redeliver: "Send again",
    redeliverNamed: (event: string) => `Send ${event} again`,
    showOlder: "Show older deliveries",
  },
  rotation: {
    title: "Replace the secret?",
    about:
      "You get a new secret. For 24 hours, requests are signed with both secrets. Give the new one to the receiver within that time.",
    submit: "Create new secret",
    done: "Done",
  },
  deletion: {
    title: "Delete the webhook?",
    about: (url: string) => `No more events are sent to ${url}, also none of those that wait.`,
    submit: "Delete webhook",
    deleted: "The webhook was deleted.",
  },
};
