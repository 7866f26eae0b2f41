import { fileURLToPath } from "node:url";

import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  base: "/console/",
  plugins: [react()],
  resolve: {
    alias: {
      "@rowgate/client/react-admin": at("../clients/typescript/src/react-admin.ts"),
      "@rowgate/client/react": at("../clients/typescript/src/react.ts"),
    },
    dedupe: ["react", "react-dom", "react-router", "@emotion/react", "eventsource-parser"],
  },
  build: {
    outDir: at("../app/static/studio"),
    emptyOutDir: true,
    manifest: true,
    license: { fileName: "licenses.md" },
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 2000,
  },
  server: { port: 5174, proxy: { "/api": "http://localhost:3001", "/account": "http://localhost:3001", "/mcp": "http://localhost:3001" } },
});
