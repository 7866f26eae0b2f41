import { readFileSync, readdirSync } from "node:fs";

import { mergeConfig } from "vitest/config";

import studio from "./vite.config";

const FILES = readdirSync("tests").filter((name) => /\.test\.tsx?$/.test(name)).map((name) => `tests/${name}`);
/** Who has a module replaced takes it away from all that share its process. */
const REPLACING = FILES.filter((name) => readFileSync(name, "utf8").includes("vi.mock("));

/** To load the modules of the studio and of its libraries takes longer than most tests, so files share them. */
export default mergeConfig(studio, {
  test: {
    projects: [
      { extends: true, test: { name: "apart", include: REPLACING } },
      { extends: true, test: { name: "together", include: FILES.filter((name) => !REPLACING.includes(name)), pool: "threads", isolate: false } },
    ],
  },
});
