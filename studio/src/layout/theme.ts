/** The tokens as Material UI takes them, in light and dark, with the accent of an organization. */
import { type ThemeOptions, darken, getContrastRatio, lighten } from "@mui/material";
import type { RaThemeOptions } from "react-admin";

import { colours, motion, radius, type } from "../design/tokens";

type Mode = "light" | "dark";

/** Contrast of text to what is behind it (WCAG 2.2, 1.4.3). */
const READABLE = 4.5;

const { quick, usual, slow } = motion;
const strong = { fontWeight: type.strong };

const shared: ThemeOptions = {
  shape: { borderRadius: radius.surface },
  transitions: { duration: { shortest: quick, shorter: quick, short: usual, standard: usual, complex: slow, enteringScreen: usual, leavingScreen: quick } },
  typography: {
    fontFamily: type.family, body1: { fontSize: type.text }, body2: { fontSize: type.control }, caption: { fontSize: type.note }, button: { fontSize: type.control, textTransform: "none", ...strong },
    h4: { fontSize: type.figure, ...strong, fontVariantNumeric: "tabular-nums" }, h5: { fontSize: type.title, fontWeight: type.title_weight, letterSpacing: "-0.01em" }, h6: { fontSize: type.section, ...strong },
    subtitle1: { fontSize: type.text, ...strong }, subtitle2: { fontSize: type.control, ...strong },
  },
  components: {
    MuiButtonBase: { styleOverrides: { root: { "&:focus-visible": { outline: "2px solid currentColor", outlineOffset: 2 } } } },
    MuiButton: { defaultProps: { disableElevation: true }, styleOverrides: { root: { borderRadius: radius.control, minHeight: 30, padding: "4px 12px" } } },
    MuiIconButton: { styleOverrides: { root: { borderRadius: radius.control, padding: 6 } } },
    MuiSvgIcon: { styleOverrides: { root: { fontSize: "1.25rem" }, fontSizeSmall: { fontSize: "1.1rem" }, fontSizeInherit: { fontSize: "inherit" } } },
    MuiChip: { styleOverrides: { root: { borderRadius: radius.control, fontSize: type.note } } },
    MuiLink: { defaultProps: { underline: "hover" }, styleOverrides: { root: { "&:focus-visible": { outline: "2px solid currentColor", outlineOffset: 2, borderRadius: 2 } } } },
    MuiTextField: { defaultProps: { variant: "outlined", size: "small", margin: "none" } },
    MuiFormControl: { defaultProps: { variant: "outlined", size: "small", margin: "none" } },
    MuiOutlinedInput: { styleOverrides: { root: { "&.MuiInputBase-sizeSmall:not(.MuiInputBase-multiline):not(.MuiAutocomplete-inputRoot) .MuiOutlinedInput-input": { paddingTop: 6.5, paddingBottom: 6.5 } } } },
    MuiAutocomplete: { styleOverrides: { inputRoot: { "&.MuiInputBase-sizeSmall": { paddingTop: 4, paddingBottom: 4 } } } },
    MuiInputLabel: { styleOverrides: { sizeSmall: { "&:not(.MuiInputLabel-shrink)": { transform: "translate(14px, 7px) scale(1)" } }, root: { fontSize: type.text } } },
    MuiInputBase: { styleOverrides: { root: { fontSize: type.text } } },
    MuiTab: { styleOverrides: { root: { minHeight: 40, padding: "8px 12px" } } },
    MuiTabs: { styleOverrides: { root: { minHeight: 40 } } },
    MuiListItemButton: { styleOverrides: { root: { borderRadius: radius.control } } },
    // A request has a long name, and nothing scrolls for it.
    MuiAlert: { styleOverrides: { message: { overflowWrap: "anywhere", overflow: "visible", minWidth: 0 } } },
    MuiAppBar: { defaultProps: { elevation: 0, color: "default" } },
    MuiPaper: { styleOverrides: { root: { backgroundImage: "none" } } },
    MuiCssBaseline: {
      styleOverrides: {
        body: { fontFeatureSettings: '"cv05", "cv11", "ss03"' },
        "@media (prefers-reduced-motion: reduce)": {
          "*, *::before, *::after": { animationDuration: "0.01ms !important", animationIterationCount: "1 !important", transitionDuration: "0.01ms !important", scrollBehavior: "auto !important" },
        },
      },
    },
  },
};

/** An accent as near to what was chosen as can be read on the ground, and as text on it. */
export function readable(accent: string, mode: Mode): string {
  const { paper, ground } = colours[mode];
  let [found, steps] = [accent, 0];
  while (steps++ < 20 && Math.min(getContrastRatio(found, paper), getContrastRatio(found, ground)) < READABLE) found = mode === "light" ? darken(found, 0.1) : lighten(found, 0.1);
  return found;
}

export function themed(mode: Mode, accent?: string): RaThemeOptions {
  const { primary, secondary, ground, paper, success, warning, error, info, text, quiet, line } = colours[mode];
  const palette = {
    mode, primary: { main: accent ? readable(accent, mode) : primary }, secondary: { main: secondary }, background: { default: ground, paper }, divider: line,
    success: { main: success }, warning: { main: warning }, error: { main: error }, info: { main: info }, text: { primary: text, secondary: quiet },
  };
  return { ...shared, palette } as RaThemeOptions;
}
