/** What the looks of the studio are made of: space, type, colours, motion. Contrasts are those of WCAG 2.2 AA. */
import latin from "@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?url";
import latinExtended from "@fontsource-variable/inter/files/inter-latin-ext-wght-normal.woff2?url";

/** Steps of space, in units of eight pixels. */
export const space = { tight: 0.5, near: 1, usual: 2, apart: 4 } as const;

/** Widths in pixels that keep lines readable. */
export const width = { form: 720, page: 1200, panel: 360 } as const;

/** Corners in pixels: of what is pressed, and of what holds it. */
export const radius = { control: 6, surface: 8 } as const;

/** Milliseconds that something moves at most. */
export const motion = { quick: 80, usual: 120, slow: 145 } as const;

const pixels = (size: number) => `${size / 16}rem`;

export const type = {
  family: '"Inter Variable", system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  /** Of notes, of tables and controls, of text, of sections, of titles and of figures. */
  note: pixels(12), control: pixels(13), text: pixels(14), section: pixels(15), title: pixels(20), figure: pixels(28),
  /** Of what is pressed, and of titles. */
  strong: 600,
  title_weight: 650,
  /** Of code beside text. */
  code: "0.9em",
} as const;

const RANGE = "U+0100-02BA, U+02BD-02C5, U+02C7-02CC, U+02CE-02D7, U+02DD-02FF, U+0304, U+0308, U+0329, U+1D00-1DBF, U+1E00-1E9F, U+1EF2-1EFF, U+2020, U+20A0-20AB, U+20AD-20C0, U+2113, U+2C60-2C7F, U+A720-A7FF";
const LATIN = "U+0000-00FF, U+0131, U+0152-0153, U+02BB-02BC, U+02C6, U+02DA, U+02DC, U+0304, U+0308, U+0329, U+2000-206F, U+20AC, U+2122, U+2191, U+2193, U+2212, U+2215, U+FEFF, U+FFFD";

const face = (address: string, range: string) => ({
  fontFamily: '"Inter Variable"', fontStyle: "normal", fontDisplay: "swap", fontWeight: "100 900", src: `url(${address}) format("woff2-variations")`, unicodeRange: range,
});

/** The typeface that is shipped; what is rare of it comes once a page needs it. */
export const faces = [face(latin, LATIN), face(latinExtended, RANGE)];

export const colours = {
  light: {
    primary: "#4a3fd1", secondary: "#46464f", ground: "#f7f7f8", paper: "#ffffff", success: "#17693a", warning: "#8a4b00", error: "#b3261e", info: "#005f9e",
    text: "#18181b", quiet: "#5a5a66", line: "#e2e2e7",
  },
  dark: {
    primary: "#b3adff", secondary: "#c9c9d2", ground: "#0f0f12", paper: "#18181c", success: "#7fd49a", warning: "#f4b860", error: "#ff9d94", info: "#7cc7f5",
    text: "#ededf1", quiet: "#abacb8", line: "#2c2c34",
  },
} as const;

/** Shades of charts, each told from its neighbours without colour as well, by its lightness. */
export const series = {
  light: ["#4a3fd1", "#e07a2f", "#17693a", "#b4326e", "#0b7fab", "#8a6d00", "#7a5195", "#5a5a66"],
  dark: ["#b3adff", "#f2a65a", "#7fd49a", "#ff9ccb", "#7cc7f5", "#e6cf6a", "#cfa6f0", "#abacb8"],
} as const;
