// The panel beside a list. On a screen without room for both, it covers the list.
import type { ReactNode } from "react";
import { Key } from "../keys/Key";
import { t } from "../texts";
import { RowLink } from "./RowLink";
import { Scroll } from "./Scroll";

export function PreviewPanel(props: {
  /** The page of the entry, below the console's base path. */
  path: string;
  /** What is shown. */
  label: string;
  onClose: () => void;
  children: ReactNode;
}) {
  const { preview: texts } = t.parts;
  return (
    <aside
      aria-label={texts.label}
      className="flex w-[26rem] shrink-0 flex-col border-s border-line bg-raised max-xl:fixed max-xl:inset-y-0 max-xl:end-0 max-xl:z-30 max-xl:shadow-lg max-md:w-full"
    >
      <header className="flex min-h-10 items-center gap-2 border-b border-line px-3">
        <RowLink path={props.path} className="btn btn-small">
          {texts.open} <Key name="o" />
        </RowLink>
        <span className="text-xs text-soft max-md:hidden">
          <Key name="j" /> <Key name="k" /> {texts.move}
        </span>
        <button type="button" className="btn btn-plain btn-small ms-auto" onClick={props.onClose}>
          {texts.close} <Key name="Escape" />
        </button>
      </header>
      <Scroll className="flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto p-3" label={props.label}>
        {props.children}
      </Scroll>
    </aside>
  );
}
