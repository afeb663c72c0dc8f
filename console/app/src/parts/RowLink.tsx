// The link of a row. The router's own works out where it leads each time a row is drawn, which was most of what drawing
// a row cost; a list that scrolls draws a dozen of them in a frame.
import { useRouter } from "@tanstack/react-router";
import type { MouseEvent, ReactNode } from "react";
import { base } from "../api/base";

type Props = {
  /** Below the console's own path, such as `/p/mine/traces/01…`. */
  path: string;
  className: string;
  title?: string;
  children: ReactNode;
};

export function RowLink(props: Props) {
  const { history } = useRouter();
  const href = `${base}${props.path}`;
  const follow = (event: MouseEvent) => {
    // The row has its own meaning for a click.
    event.stopPropagation();
    // A new tab or window is the browser's business.
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

/** The path of something in a project. */
export const pathOf = (project: string, kind: "traces" | "memories", id: string) =>
  `/p/${encodeURIComponent(project)}/${kind}/${encodeURIComponent(id)}`;
