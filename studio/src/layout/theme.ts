/** The tokens as Material UI takes them, in light and dark. */
import type { ThemeOptions } from "@mui/material";
import type { RaThemeOptions } from "react-admin";

import { colours, radius, type } from "../design/tokens";

const shared: ThemeOptions = {
  shape: { borderRadius: radius },
  typography: { fontFamily: type.family, button: { textTransform: "none", fontWeight: type.strong }, h5: { fontWeight: type.title } },
  components: {
    MuiButtonBase: { styleOverrides: { root: { "&:focus-visible": { outline: "2px solid currentColor", outlineOffset: 2 } } } },
    MuiLink: { defaultProps: { underline: "hover" }, styleOverrides: { root: { "&:focus-visible": { outline: "2px solid currentColor", outlineOffset: 2, borderRadius: 2 } } } },
    MuiTextField: { defaultProps: { variant: "outlined", size: "small", margin: "none" } },
    MuiFormControl: { defaultProps: { variant: "outlined", size: "small", margin: "none" } },
    // A request has a long name, and nothing scrolls for it.
    MuiAlert: { styleOverrides: { message: { overflowWrap: "anywhere", overflow: "visible", minWidth: 0 } } },
    MuiAppBar: { defaultProps: { elevation: 0, color: "default" } },
    MuiPaper: { styleOverrides: { root: { backgroundImage: "none" } } },
    MuiCssBaseline: {
      styleOverrides: {
        "@media (prefers-reduced-motion: reduce)": {
          "*, *::before, *::after": { animationDuration: "0.01ms !important", animationIterationCount: "1 !important", transitionDuration: "0.01ms !important", scrollBehavior: "auto !important" },
        },
      },
    },
  },
};

function themed(mode: "light" | "dark"): RaThemeOptions {
  const { primary, secondary, ground, paper, success, warning, error, info, text, quiet } = colours[mode];
  const palette = {
    mode, primary: { main: primary }, secondary: { main: secondary }, background: { default: ground, paper },
    success: { main: success }, warning: { main: warning }, error: { main: error }, info: { main: info }, text: { primary: text, secondary: quiet },
  };
  return { ...shared, palette } as RaThemeOptions;
}

export const light = themed("light");
export const dark = themed("dark");
