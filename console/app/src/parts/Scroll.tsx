// A place that scrolls. It can be reached by keyboard, so it has a name.
import type { ReactNode, Ref } from "react";

export function Scroll(props: {
  label: string;
  className: string;
  ref?: Ref<HTMLElement>;
  children: ReactNode;
}) {
  return (
    // Without a tab stop nobody could scroll it by keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <section ref={props.ref} tabIndex={0} aria-label={props.label} className={props.className}>
      {props.children}
    </section>
  );
}
