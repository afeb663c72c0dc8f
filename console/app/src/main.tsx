// The entry point of the console.
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { ApiError } from "./api/errors";
import { createAppRouter } from "./router";
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
const router = createAppRouter(client);
const place = document.getElementById("root");
if (place === null) throw new Error("index.html has no root element for the console");

createRoot(place).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
