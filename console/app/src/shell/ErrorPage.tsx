// Error pages.
import { type ErrorComponentProps, useRouter } from "@tanstack/react-router";
import { ApiError, errorMessage } from "../api/errors";
import { t } from "../texts";

export function ErrorPage(props: ErrorComponentProps) {
  const router = useRouter();
  const { errorPage: texts } = t.shell;
  const failure = props.error instanceof ApiError ? props.error : null;
  return (
    <div role="alert" className="m-auto flex max-w-lg flex-col gap-3 p-8">
      <h1>{failure?.status === 404 ? texts.notFound : texts.failed}</h1>
      <p>{errorMessage(props.error)}</p>
      {failure?.requestId === undefined ? null : (
        <p className="text-sm text-soft">{texts.request(<code>{failure.requestId}</code>)}</p>
      )}
      <p className="flex gap-2">
        <button
          type="button"
          className="btn"
          onClick={() => {
            props.reset();
            void router.invalidate();
          }}
        >
          {texts.tryAgain}
        </button>
        <a className="btn" href={router.buildLocation({ to: "/" }).href}>
          {texts.startPage}
        </a>
      </p>
    </div>
  );
}

export function NotFound() {
  const { errorPage: texts } = t.shell;
  return (
    <div className="m-auto p-8">
      <h1>{texts.noPage}</h1>
      <p className="mt-2 text-soft">{texts.noPageHint}</p>
      <StartLink />
    </div>
  );
}

/** A project that does not exist or is not visible to the member. The server does not distinguish the two. */
export function NoProject({ project }: { project: string }) {
  const { errorPage: texts } = t.shell;
  return (
    <div role="alert" className="m-auto p-8">
      <h1>{texts.noProject(project)}</h1>
      <p className="mt-2 text-soft">{texts.noProjectHint}</p>
      <StartLink />
    </div>
  );
}

function StartLink() {
  const router = useRouter();
  return (
    <p className="mt-4">
      <a className="btn" href={router.buildLocation({ to: "/" }).href}>
        {t.shell.errorPage.startPage}
      </a>
    </p>
  );
}
