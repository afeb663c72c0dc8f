// Stands where a page is not built yet, and says so.
import { useLocation } from "@tanstack/react-router";
import { Empty, PageHead } from "../../shell/Page";

export function SoonPage() {
  const name = useLocation({ select: (location) => location.pathname.split("/").at(-1) ?? "" });
  const title = name.charAt(0).toUpperCase() + name.slice(1);
  return (
    <>
      <PageHead title={title} />
      <Empty title="This page is not built yet">
        <p className="text-soft">The API has what it will show; see the reference at /docs of this server.</p>
      </Empty>
    </>
  );
}
