// A text that the user edits and that is also in the URL.
import { useState } from "react";

/**
 * Follows the URL, except when the URL changes to what was sent from here: the user may have typed more since.
 */
export function useUrlText(given: string) {
  const [text, setText] = useState(given);
  const [known, setKnown] = useState(given);
  const [sent, setSent] = useState<string | null>(null);
  if (known !== given) {
    // The URL changed: by what was sent, the back button, a link, or a removed chip.
    setKnown(given);
    setSent(null);
    if (given !== sent) setText(given);
  }
  return { text, setText, setSent };
}
