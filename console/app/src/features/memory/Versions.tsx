// The versions of a memory's text, each with its difference from the previous one.
import type { MemoryDetail } from "../../api/memories";
import { shown } from "../../parts/reveal";
import { Time } from "../../parts/time";
import { t } from "../../texts";
import { Block } from "./Block";
import { diffRows } from "../memories/diff";
import { DiffRows } from "../memories/DiffRows";
import { draftOf } from "../memories/lesson";

export function Versions(props: { memory: MemoryDetail }) {
  const { versions } = props.memory;
  const { versions: texts } = t.memory;
  if (versions.length === 0) {
    return (
      <Block title={texts.title}>
        <p className="text-sm text-soft">{texts.first}</p>
      </Block>
    );
  }
  return (
    <Block title={texts.counted(versions.length)}>
      <ol className="flex flex-col" reversed>
        {versions.map((version, index) => {
          const before = versions[index + 1];
          return (
            <li key={version.version} className="border-t border-line py-1.5 first:border-t-0">
              <details open={index === 0 && before !== undefined}>
                <summary className="text-sm">
                  {version.current ? texts.current(version.version) : texts.version(version.version)}{" "}
                  <span className="text-soft">
                    {shown(version.actor ?? texts.original)} <Time at={version.created_at} />
                  </span>
                </summary>
                <div className="ps-4 pt-1">
                  {before === undefined ? (
                    <p className="words-run text-sm">{shown(version.summary || version.reflection)}</p>
                  ) : (
                    <DiffRows rows={diffRows(draftOf(before), draftOf(version))} />
                  )}
                </div>
              </details>
            </li>
          );
        })}
      </ol>
    </Block>
  );
}
