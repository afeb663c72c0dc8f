// The trace as the API gives it. Large ones are previewed and offered as a file.
import { useQuery } from "@tanstack/react-query";
import { base } from "../../api/base";
import { failureOf, words } from "../../api/failure";
import { type Json, parsed } from "../../parts/json";
import { JsonTree } from "../../parts/JsonTree";
import { sizeLabel } from "../../parts/measure";
import { RunText } from "../../parts/RunText";
import { Scroll } from "../../parts/Scroll";

/** Beyond this a tree would block the tab. */
const MOST_BYTES = 5 * 1024 * 1024;

type Raw = { text: string; whole: boolean; value: Json | undefined };

export function RawTrace(props: { project: string; trace: string }) {
  const address = `${base}/console/api/v1/projects/${encodeURIComponent(props.project)}/traces/${props.trace}`;
  const { data, error } = useQuery({
    queryKey: [props.project, "raw", props.trace],
    queryFn: ({ signal }) => readSome(address, signal),
    gcTime: 0,
  });
  if (error !== null) return <p className="p-3 text-fail">{words(error)}</p>;
  if (data === undefined) return null;
  return (
    <Scroll label="Raw trace" className="min-h-0 flex-1 overflow-auto p-3">
      <p className="mb-2 flex items-center gap-3 text-sm text-soft">
        {data.whole
          ? `${sizeLabel(data.text.length)} of JSON`
          : `More than ${sizeLabel(MOST_BYTES)}: this is how it begins`}
        <a className="btn btn-small" href={address} download={`trace-${props.trace}.json`}>
          Save as a file
        </a>
      </p>
      {data.value === undefined ? (
        <RunText text={data.text} />
      ) : (
        <JsonTree value={data.value} label="Raw trace" searchable />
      )}
    </Scroll>
  );
}

/** Reads an answer up to the limit and no further. */
async function readSome(address: string, signal: AbortSignal): Promise<Raw> {
  const response = await fetch(address, { signal });
  if (!response.ok) throw failureOf(response.status, await response.json().catch(() => undefined));
  if (response.body === null) return { text: "", whole: true, value: undefined };
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  while (bytes <= MOST_BYTES) {
    const { done, value } = await reader.read();
    if (done) return { text: text + decoder.decode(), whole: true, value: parsed(text) };
    bytes += value.length;
    text += decoder.decode(value, { stream: true });
  }
  await reader.cancel();
  return { text: text.slice(0, 64 * 1024), whole: false, value: undefined };
}
