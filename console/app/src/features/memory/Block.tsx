// Layout parts of the memory page.
import type { ReactNode } from "react";

export function Block(props: { title: string; about?: ReactNode; children: ReactNode }) {
  return (
    <section className="flex flex-col gap-1.5">
      <div className="flex flex-wrap items-baseline gap-x-2">
        <h2>{props.title}</h2>
        {props.about === undefined ? null : <span className="text-xs text-soft">{props.about}</span>}
      </div>
      {props.children}
    </section>
  );
}

export function Facts(props: { children: ReactNode }) {
  return <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5 text-sm">{props.children}</dl>;
}

export function Fact(props: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-soft">{props.name}</dt>
      <dd className="min-w-0 [overflow-wrap:anywhere]">{props.children}</dd>
    </>
  );
}
