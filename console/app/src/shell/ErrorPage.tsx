// Error pages.
import { type ErrorComponentProps, useRouter } from "@tanstack/react-router";
import { ApiError, errorMessage } from "../api/errors";

export function ErrorPage(props: ErrorComponentProps) {
  const router = useRouter();
  const failure = props.error instanceof ApiError ? props.error : null;
  return (
    <div role="alert" className="m-auto flex max-w-lg flex-col gap-3 p-8">
      <h1>{failure?.status === 404 ? "Not found" : "This page could not be loaded"}</h1>
      <p>{errorMessage(props.error)}</p>
      {failure?.requestId === undefined ? null : (
        <p className="text-sm text-soft">
          See the server's log, request id <code>{failure.requestId}</code>.
        </p>
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
          Try again
        </button>
        <a className="btn" href={router.buildLocation({ to: "/" }).href}>
          Start page
        </a>
      </p>
    </div>
  );
}

export function NotFound() {
  return (
    <div className="m-auto p-8">
      <h1>This page does not exist</h1>
      <p className="mt-2 text-soft">Check the URL, or use the navigation.</p>
      <StartLink />
    </div>
  );
}

/** A project that does not exist or is not visible to the member. The server does not distinguish the two. */
export function NoProject({ project }: { project: string }) {
  return (
    <div role="alert" className="m-auto p-8">
      <h1>There is no project {project}</h1>
      <p className="mt-2 text-soft">It does not exist on this server, or you do not have access to it.</p>
      <StartLink />
    </div>
  );
}

function StartLink() {
  const router = useRouter();
  return (
    <p className="mt-4">
      <a className="btn" href={router.buildLocation({ to: "/" }).href}>
        Start page
      </a>
    </p>
  );
}
