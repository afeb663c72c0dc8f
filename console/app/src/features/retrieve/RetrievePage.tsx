// Tests retrieval for a task. Sends the same query as an agent and reads its receipt.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useRef } from "react";
import { base } from "../../api/base";
import { errorMessage } from "../../api/errors";
import { Key } from "../../keys/Key";
import { useScreenKeys } from "../../keys/KeyProvider";
import { Scroll } from "../../parts/Scroll";
import { useUrlText } from "../../parts/useUrlText";
import { t } from "../../texts";
import { PageHead } from "../../shell/Page";
import { notify } from "../../parts/notifications";
import { retrievalQuery } from "./query";
import { ResultView, PromptText } from "./ResultView";
import { pythonCode } from "./python-code";
import { Controls } from "./Controls";
import { ExampleTasks } from "./ExampleTasks";
import { retrieveKeys } from "./keys";
import { type RetrievalResult, parameter, weightSource } from "./retrieval";
import { type Settings, withoutDefaults } from "./settings";

const ROUTE = "/p/$project/retrieve";

export function RetrievePage() {
  const { project } = useParams({ from: ROUTE });
  const settings = useSearch({ from: ROUTE });
  const navigate = useNavigate({ from: ROUTE });
  const field = useRef<HTMLTextAreaElement>(null);
  const { text, setText, setSent } = useUrlText(settings.task ?? "");
  const asked = settings.task !== undefined;
  const { data, error, isFetching, refetch } = useQuery({
    ...retrievalQuery(project, settings),
    enabled: asked,
    placeholderData: keepPreviousData,
  });
  const answer = asked ? data : undefined;
  const change = (next: Settings) => void navigate({ search: (now) => withoutDefaults({ ...now, ...next }) });
  const ask = (task: string) => {
    if (task.trim() === "") return;
    if (task === settings.task) return void refetch();
    setSent(task);
    change({ task });
  };
  const copy = (what: string | undefined, message: string) => {
    if (what === undefined) return;
    void navigator.clipboard
      .writeText(what)
      .then(() => notify({ text: message }))
      .catch(() => notify({ text: t.parts.copy.blocked, tone: "bad" }));
  };
  useScreenKeys(retrieveKeys(), {
    task: () => field.current?.focus(),
    ask: () => ask(text),
    cancel: () => field.current?.blur(),
    "copy-text": () => copy(answer?.augmented.augmented_task, t.retrieve.prompt.copiedText),
    "copy-code": () =>
      asked && copy(pythonCode(`${location.origin}${base}`, project, settings), t.retrieve.prompt.copiedCode),
  });
  return (
    <>
      <PageHead
        title={t.shell.pages.retrieve}
        about={answer === undefined ? "" : summaryOf(answer.receipt)}
      />
      <Scroll
        label={t.shell.pages.retrieve}
        className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto p-4"
      >
        <form
          className="flex max-w-5xl items-end gap-2 max-sm:flex-col max-sm:items-stretch"
          onSubmit={(event) => {
            event.preventDefault();
            ask(text);
          }}
        >
          <label className="flex min-w-0 flex-1 flex-col gap-0.5 text-xs font-semibold text-soft">
            {t.retrieve.task}
            <textarea
              ref={field}
              rows={2}
              className="field text-base font-normal text-ink"
              placeholder={t.retrieve.taskPlaceholder}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          </label>
          <button
            type="submit"
            className="btn btn-primary justify-center"
            disabled={text.trim() === "" || isFetching}
          >
            {t.retrieve.send} <Key name="Mod+Enter" />
          </button>
        </form>
        {asked ? (
          <Controls
            settings={settings}
            threshold={answer === undefined ? null : parameter(answer.receipt, "similarity_threshold")}
            weight={answer === undefined ? null : parameter(answer.receipt, "utility_weight")}
            onChange={change}
          />
        ) : null}
        {error === null || !asked ? null : (
          <p role="alert" className="text-fail">
            {errorMessage(error)}
          </p>
        )}
        {!asked ? (
          <ExampleTasks project={project} onAsk={(task) => change({ task })} />
        ) : answer === undefined ? null : (
          <div
            aria-busy={isFetching}
            className="grid gap-x-8 gap-y-4 xl:grid-cols-[minmax(0,1fr)_minmax(0,30rem)]"
          >
            <div className="flex min-w-0 flex-col gap-4">
              <ResultView project={project} settings={settings} answer={answer} onChange={change} />
            </div>
            <PromptText project={project} settings={settings} answer={answer} />
          </div>
        )}
      </Scroll>
    </>
  );
}

function summaryOf(receipt: RetrievalResult["receipt"]): string {
  const { ranking } = receipt.parameters;
  return t.retrieve.receipt.summary({
    considered: receipt.considered.length,
    embedMs: Math.round(receipt.embed_ms),
    searchMs: Math.round(receipt.search_ms),
    ranking: ranking == null ? null : String(ranking),
    weight: weightSource(receipt),
  });
}
