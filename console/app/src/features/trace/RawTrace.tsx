// The trace as returned by the API. Large traces are shown in part and offered as a file.
import { useQuery } from "@tanstack/react-query";
import { base } from "../../api/base";
import { errorOf, errorMessage } from "../../api/errors";
import { type Json, parsed } from "../../parts/json";
import { JsonTree } from "../../parts/JsonTree";
import { sizeLabel } from "../../parts/clamp";
import { RunText } from "../../parts/RunText";
import { Scroll } from "../../parts/Scroll";
import { t } from "../../texts";

/** A larger tree would block the tab. */
const MAX_BYTES = 5 * 1024 * 1024;

type Raw = { text: string; whole: boolean; value: Json | undefined };

export function RawTrace(props: { project: string; trace: string }) {
  const address = `${base}/console/api/v1/projects/${encodeURIComponent(props.project)}/traces/${props.trace}`;
  const { data, error } = useQuery({
    queryKey: [props.project, "raw", props.trace],
    queryFn: ({ signal }) => readUpTo(address, signal),
    gcTime: 0,
  });
  if (error !== null) return <p className="p-3 text-fail">{errorMessage(error)}</p>;
  if (data === undefined) return null;
  const texts = t.trace.raw;
  return (
    <Scroll label={texts.label} className="min-h-0 flex-1 overflow-auto p-3">
      <p className="mb-2 flex items-center gap-3 text-sm text-soft">
        {data.whole ? texts.whole(sizeLabel(data.text.length)) : texts.cut(sizeLabel(MAX_BYTES))}
        <a className="btn btn-small" href={address} download={`trace-${props.trace}.json`}>
          {texts.download}
        </a>
      </p>
      {data.value === undefined ? (
        <RunText text={data.text} />
      ) : (
        <JsonTree value={data.value} label={texts.label} searchable />
      )}
    </Scroll>
  );
}

/** Reads a response body up to the limit. */
async function readUpTo(address: string, signal: AbortSignal): Promise<Raw> {
  const response = await fetch(address, { signal });
  if (!response.ok) throw errorOf(response.status, await response.json().catch(() => undefined));
  if (response.body === null) return { text: "", whole: true, value: undefined };
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  while (bytes <= MAX_BYTES) {
    const { done, value } = await reader.read();
    if (done) return { text: text + decoder.decode(), whole: true, value: parsed(text) };
    bytes += value.length;
    text += decoder.decode(value, { stream: true });
  }
  await reader.cancel();
  return { text: text.slice(0, 64 * 1024), whole: false, value: undefined };
}
