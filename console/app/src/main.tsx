// The entry point of the console.
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { I18nProvider } from "react-aria-components";
import { createRoot } from "react-dom/client";
import { ApiError } from "./api/errors";
import { createAppRouter } from "./router";
import { language, loadTexts } from "./texts";
import "./styles.css";

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // A rejected call would be rejected again. A call without a response may succeed on retry.
      retry: (count, thrown) => count < 2 && thrown instanceof ApiError && thrown.isTransient,
    },
  },
});

function render(): void {
  const place = document.getElementById("root");
  if (place === null) throw new Error("index.html has no root element for the console");
  const router = createAppRouter(client);
  createRoot(place).render(
    <StrictMode>
      <I18nProvider locale={language}>
        <QueryClientProvider client={client}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </I18nProvider>
    </StrictMode>,
  );
}

// Not a top-level `await`: the chunk of the texts imports from the chunk of this module, so each would wait for the other.
void loadTexts().then(render);
