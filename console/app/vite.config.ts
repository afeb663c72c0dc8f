// The build of the console: relative URLs, hashed file names, a placeholder for the server's nonce.
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

const server = process.env.REFLECT_DEV_SERVER ?? "http://127.0.0.1:8000";

export default defineConfig({
  base: "./",
  html: { cspNonce: "__REFLECT_NONCE__" },
  plugins: [react(), tailwindcss()],
  build: {
    target: "es2023",
    manifest: true,
    // Data URLs would need an extra rule in the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: {
    port: 5173,
    proxy: Object.fromEntries(
      ["/console/api", "/login", "/setup", "/logout", "/v1"].map((path) => [path, server]),
    ),
  },
  test: {
    environment: "node",
    include: ["src/**/*.test.{ts,tsx}"],
    setupFiles: ["src/texts/setup-tests.ts"],
    restoreMocks: true,
  },
});
