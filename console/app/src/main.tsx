// The start of the console.
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { CallFailed } from "./api/failure";
import { makeRouter } from "./router";
import "./styles.css";

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // What was refused will be refused again; what got no answer may get one.
      retry: (count, thrown) => count < 2 && thrown instanceof CallFailed && thrown.mayPass,
    },
  },
});
const router = makeRouter(client);
const place = document.getElementById("root");
if (place === null) throw new Error("index.html has no place for the console");

createRoot(place).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
