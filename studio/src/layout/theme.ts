/** Colours and shapes, in light and dark; contrasts are those of WCAG 2.2 AA. */
import type { ThemeOptions } from "@mui/material";
import type { RaThemeOptions } from "react-admin";

const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';

const shared: ThemeOptions = {
  shape: { borderRadius: 8 },
  typography: { fontFamily: FONT, button: { textTransform: "none", fontWeight: 600 }, h5: { fontWeight: 650 } },
  components: {
    MuiButtonBase: { styleOverrides: { root: { "&:focus-visible": { outline: "2px solid currentColor", outlineOffset: 2 } } } },
    MuiLink: { defaultProps: { underline: "hover" }, styleOverrides: { root: { "&:focus-visible": { outline: "2px solid currentColor", outlineOffset: 2, borderRadius: 2 } } } },
    MuiTextField: { defaultProps: { variant: "outlined", size: "small", margin: "none" } },
    MuiFormControl: { defaultProps: { variant: "outlined", size: "small", margin: "none" } },
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

export const light = {
  ...shared,
  palette: {
    mode: "light",
    primary: { main: "#1f4fbf" }, secondary: { main: "#3f4a5f" }, background: { default: "#f6f7f9", paper: "#ffffff" },
    success: { main: "#1c6b35" }, warning: { main: "#8a4b00" }, error: { main: "#b3261e" }, info: { main: "#00609c" }, text: { primary: "#1a1f29", secondary: "#525c6e" },
  },
} as RaThemeOptions;

export const dark = {
  ...shared,
  palette: {
    mode: "dark",
    primary: { main: "#9dbcff" }, secondary: { main: "#c3cbdb" }, background: { default: "#11151c", paper: "#1a202a" },
    success: { main: "#7fd49a" }, warning: { main: "#f4b860" }, error: { main: "#ff9d94" }, info: { main: "#7cc7f5" }, text: { primary: "#eef1f6", secondary: "#b4bdcc" },
  },
} as RaThemeOptions;
