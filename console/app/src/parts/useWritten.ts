// A text that somebody writes and that stands in the address as well.
import { useState } from "react";

/** Follows the address, but not when what was sent from here arrives there: somebody may have written on by then. */
export function useWritten(given: string) {
  const [text, setText] = useState(given);
  const [known, setKnown] = useState(given);
  const [sent, setSent] = useState<string | null>(null);
  if (known !== given) {
    // The address changed: by what was sent, the back button, a link, or a chip that was taken away.
    setKnown(given);
    setSent(null);
    if (given !== sent) setText(given);
  }
  return { text, setText, setSent };
}
