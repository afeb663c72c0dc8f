// Searches all steps. The browser's own search sees only rendered ones.
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import { t } from "../../texts";
import { mentions } from "./cards";
import type { LoadedSteps } from "./useSteps";

export function Find(props: {
  steps: LoadedSteps;
  field: RefObject<HTMLInputElement | null>;
  onFound: (n: number) => void;
  /** Focus the field on open. */
  atOnce: boolean;
}) {
  const { field, atOnce } = props;
  const texts = t.trace.find;
  const [text, setText] = useState("");
  const [found, setFound] = useState<{ text: string; at: number[]; done: boolean } | null>(null);
  const place = useRef(0);
  const run = useRef(0);
  useEffect(() => () => void (run.current += 1), []);
  useLayoutEffect(() => {
    if (atOnce) field.current?.focus();
  }, [atOnce, field]);

  const begin = async () => {
    run.current += 1;
    const mine = run.current;
    const at: number[] = [];
    place.current = 0;
    setFound({ text, at, done: false });
    await props.steps.forEachStep(
      (step) => {
        if (!mentions(step, text)) return;
        at.push(step.n);
        if (at.length === 1) props.onFound(step.n);
      },
      () => run.current !== mine,
    );
    if (run.current === mine) setFound({ text, at, done: true });
  };
  const onward = (by: number) => {
    if (found === null || found.text !== text) return void begin();
    if (found.at.length === 0) return;
    place.current = (place.current + by + found.at.length) % found.at.length;
    props.onFound(found.at[place.current] ?? 0);
  };
  return (
    <form
      role="search"
      className="flex items-center gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (text !== "") onward(1);
      }}
    >
      <input
        ref={field}
        type="search"
        aria-label={texts.label}
        placeholder={texts.hint}
        className="field w-40"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && event.shiftKey) {
            event.preventDefault();
            onward(-1);
          }
        }}
      />
      <span role="status" className="min-w-16 text-xs text-soft">
        {found === null || found.text !== text
          ? ""
          : found.done
            ? texts.found(found.at.length)
            : texts.searching}
      </span>
    </form>
  );
}
