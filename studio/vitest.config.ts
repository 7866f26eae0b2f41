import { readFileSync, readdirSync } from "node:fs";

import { mergeConfig } from "vitest/config";

import studio from "./vite.config";

const TESTS = new URL("tests/", import.meta.url);
const FILES = readdirSync(TESTS).filter((name) => /\.test\.tsx?$/.test(name));
/** A file that replaces a module would replace it for all files that share its process. */
const REPLACING = FILES.filter((name) => readFileSync(new URL(name, TESTS), "utf8").includes("vi.mock("));
const REST = FILES.filter((name) => !REPLACING.includes(name));
const included = (files: string[]) => files.map((name) => `tests/${name}`);

/** Loading the modules of the studio and of its libraries takes longer than most tests, so files share them. */
export default mergeConfig(studio, {
  test: {
    projects: [
      { extends: true, test: { name: "apart", include: included(REPLACING) } },
      { extends: true, test: { name: "together", include: included(REST), pool: "threads", isolate: false } },
    ],
  },
});
