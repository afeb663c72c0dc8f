// The head of a page: its heading, a count, and actions.
import { type ReactNode, useEffect } from "react";

export function PageHead(props: { title: string; about?: ReactNode; children?: ReactNode }) {
  useEffect(() => {
    document.title = `${props.title} · Reflect`;
  }, [props.title]);
  return (
    <header className="flex min-h-13 shrink-0 flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-4 py-1.5">
      <h1 className="min-w-0 [overflow-wrap:anywhere]">{props.title}</h1>
      <div className="min-w-0 text-sm text-soft">{props.about}</div>
      <div className="ms-auto flex min-w-0 flex-wrap items-center gap-2">{props.children}</div>
    </header>
  );
}

/** An empty state that says why it is empty and what to do. */
export function Empty(props: { title: string; children?: ReactNode }) {
  return (
    <div className="mx-auto mt-[10vh] flex w-full max-w-xl flex-col items-start gap-3 p-8 max-md:mt-0 max-md:p-4">
      <h2 className="section-title">{props.title}</h2>
      {props.children}
    </div>
  );
}
