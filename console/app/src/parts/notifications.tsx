// Short notifications at the edge of the page. They never take the focus, and may have action buttons.
import { X } from "lucide-react";
import {
  Button,
  Text,
  UNSTABLE_Toast as Toast,
  UNSTABLE_ToastContent as ToastContent,
  UNSTABLE_ToastQueue as ToastQueue,
  UNSTABLE_ToastRegion as ToastRegion,
} from "react-aria-components";
import { Key } from "../keys/Key";
import { t } from "../texts";

type Notification = {
  text: string;
  tone?: "plain" | "bad";
  /** The action buttons, each with its key. */
  choices?: { label: string; key?: string; run: () => void }[];
};

const queue = new ToastQueue<Notification>({ maxVisibleToasts: 3 });
const SHORT_MS = 5_000;
/** As long as the grace period of an undo. */
const LONG_MS = 15_000;

/**
 * Shows a notification and returns a function that closes it. A notification that needs a decision stays until
 * it is closed.
 */
export function notify(message: Notification, options: { stays?: boolean } = {}): () => void {
  const timeout = message.choices === undefined ? SHORT_MS : LONG_MS;
  const key = queue.add(message, options.stays === true ? {} : { timeout });
  return () => queue.close(key);
}

export function Notifications() {
  return (
    <ToastRegion
      queue={queue}
      aria-label={t.parts.notifications.label}
      className="fixed bottom-3 left-1/2 [body:has([data-verdict-bar])_&]:max-md:top-2 [body:has([data-verdict-bar])_&]:max-md:bottom-auto z-50 flex w-[min(34rem,calc(100vw-2rem))] -translate-x-1/2 flex-col-reverse gap-1.5"
    >
      {({ toast }) => (
        <Toast
          toast={toast}
          className="flex items-center gap-2 rounded-md border border-edge bg-raised px-3 py-1.5 shadow-lg"
        >
          <ToastContent className="min-w-0 flex-1 break-words">
            <Text slot="title" className={toast.content.tone === "bad" ? "text-fail" : "text-ink"}>
              {toast.content.text}
            </Text>
          </ToastContent>
          {toast.content.choices?.map((choice) => (
            <Button
              key={choice.label}
              className="btn btn-small"
              onPress={() => {
                choice.run();
                queue.close(toast.key);
              }}
            >
              {choice.label} <Key name={choice.key} />
            </Button>
          ))}
          <Button slot="close" aria-label={t.parts.notifications.close} className="btn btn-plain btn-small">
            <X size={14} aria-hidden="true" />
          </Button>
        </Toast>
      )}
    </ToastRegion>
  );
}
