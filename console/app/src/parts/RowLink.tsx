// A row link. The router's own link component computes its target on every render, which was the largest part
// of the cost of a row. A scrolling list renders a dozen rows per frame.
import { useRouter } from "@tanstack/react-router";
import type { MouseEvent, ReactNode } from "react";
import { base } from "../api/base";

type Props = {
  /** Below the console's base path, for example `/p/mine/traces/01…`. */
  path: string;
  className: string;
  title?: string;
  children: ReactNode;
};

export function RowLink(props: Props) {
  const { history } = useRouter();
  const href = `${base}${props.path}`;
  const follow = (event: MouseEvent) => {
    // The row has its own click handler.
    event.stopPropagation();
    // The browser handles new tabs and windows.
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    history.push(href);
  };
  return (
    <a href={href} className={props.className} title={props.title} onClick={follow}>
      {props.children}
    </a>
  );
}

/** The path of an entity in a project. */
export const pathOf = (project: string, kind: "traces" | "memories" | "lessons", id: string) =>
  `/p/${encodeURIComponent(project)}/${kind}/${encodeURIComponent(id)}`;
