/** What the looks of the studio are made of: space, type and colours. Contrasts are those of WCAG 2.2 AA. */

/** Steps of space, in units of eight pixels. */
export const space = { tight: 0.5, near: 1, usual: 2, apart: 4 } as const;

/** Widths in pixels that keep lines readable. */
export const width = { form: 720, page: 1200 } as const;

export const radius = 8;

export const type = {
  family: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  /** Of what is pressed, and of titles. */
  strong: 600,
  title: 650,
  /** Of code beside text. */
  code: "0.85em",
} as const;

export const colours = {
  light: {
    primary: "#1f4fbf", secondary: "#3f4a5f", ground: "#f6f7f9", paper: "#ffffff", success: "#1c6b35", warning: "#8a4b00", error: "#b3261e", info: "#00609c",
    text: "#1a1f29", quiet: "#525c6e",
  },
  dark: {
    primary: "#9dbcff", secondary: "#c3cbdb", ground: "#11151c", paper: "#1a202a", success: "#7fd49a", warning: "#f4b860", error: "#ff9d94", info: "#7cc7f5",
    text: "#eef1f6", quiet: "#b4bdcc",
  },
} as const;
