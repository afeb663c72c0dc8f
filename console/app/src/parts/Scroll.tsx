// A scroll area. It can be focused by keyboard, so it needs a label. It is the containing block of its hidden labels, which
// would make the document larger otherwise.
import type { ReactNode, Ref } from "react";

export function Scroll(props: {
  label: string;
  className: string;
  ref?: Ref<HTMLElement>;
  children: ReactNode;
}) {
  return (
    // Without a tab stop, keyboard users could not scroll it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <section ref={props.ref} tabIndex={0} aria-label={props.label} className={`relative ${props.className}`}>
      {props.children}
    </section>
  );
}
