// The texts that a memory has had, each with what it changed of the one before.
import type { MemoryDetail } from "../../api/memories";
import { shown } from "../../parts/reveal";
import { Time } from "../../parts/time";
import { Block } from "./Block";
import { diffRows } from "./diff";
import { Difference } from "./Difference";
import { draftOf } from "./lesson";

export function Versions(props: { memory: MemoryDetail }) {
  const { versions } = props.memory;
  if (versions.length === 0) {
    return (
      <Block title="Versions">
        <p className="text-sm text-soft">The text is the first one; it was never edited.</p>
      </Block>
    );
  }
  return (
    <Block title={`Versions (${versions.length})`}>
      <ol className="flex flex-col" reversed>
        {versions.map((version, index) => {
          const before = versions[index + 1];
          return (
            <li key={version.version} className="border-t border-line py-1.5 first:border-t-0">
              <details open={index === 0 && before !== undefined}>
                <summary className="text-sm">
                  Version {version.version}
                  {version.current ? ", current" : ""}{" "}
                  <span className="text-soft">
                    {shown(version.actor ?? "as it was made")} <Time at={version.created_at} />
                  </span>
                </summary>
                <div className="ps-4 pt-1">
                  {before === undefined ? (
                    <p className="words-run text-sm">{shown(version.summary || version.reflection)}</p>
                  ) : (
                    <Difference rows={diffRows(draftOf(before), draftOf(version))} />
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
