/** The frame of all pages: the bar above, the navigation beside, and the page. */
import { Box, Drawer, useMediaQuery } from "@mui/material";
import { type ReactNode, Suspense, useState } from "react";
import { useTranslate } from "react-admin";
import { useLocation } from "react-router-dom";

import { useFreshness } from "../live/freshness";
import { LeaveOnSignOut } from "../session/LeaveOnSignOut";
import { Broken } from "./Broken";
import { CommandPalette } from "./CommandPalette";
import { ConnectionNotice } from "./ConnectionNotice";
import { Help } from "./Help";
import { Navigation } from "./Navigation";
import { TopBar } from "./TopBar";
import { useSaveKey } from "./shortcuts";

const WIDTH = 248;
/** On paper a page is as long as what it holds, and black on white. */
const PRINTED = { "@media print": { "&, & main": { display: "block", height: "auto", overflow: "visible" }, "&, & *": { color: "#000 !important", backgroundColor: "transparent !important" } } } as const;

export function StudioLayout({ children }: { children: ReactNode }) {
  const translate = useTranslate();
  const isNarrow = useMediaQuery("(max-width: 1000px)");
  const [isOpen, setOpen] = useState(false);
  const { pathname } = useLocation();
  const [isPalette, setPalette] = useState(false);
  useSaveKey();
  useFreshness();
  const navigation = <Navigation onNavigate={() => setOpen(false)} />;
  return (
    <Box sx={{ display: "flex", flexDirection: "column", height: "100dvh", ...PRINTED }}>
      <Box component="a" href="#main" sx={{ position: "absolute", insetInlineStart: 8, top: -80, zIndex: "tooltip", p: 1, bgcolor: "background.paper", "&:focus": { top: 8 } }}>{translate("studio.skip")}</Box>
      <Box sx={{ displayPrint: "none" }}>
        <TopBar onMenu={isNarrow ? () => setOpen(true) : undefined} onPalette={() => setPalette(true)} />
        <ConnectionNotice />
      </Box>
      <Box sx={{ display: "flex", flex: 1, minHeight: 0 }}>
        {isNarrow ? (
          <Drawer open={isOpen} onClose={() => setOpen(false)} slotProps={{ paper: { sx: { width: WIDTH } } }}>{navigation}</Drawer>
        ) : (
          <Box sx={{ width: WIDTH, flexShrink: 0, overflowY: "auto", borderInlineEnd: 1, borderColor: "divider", displayPrint: "none" }}>{navigation}</Box>
        )}
        <Box component="main" id="main" tabIndex={-1} sx={{ flex: 1, minWidth: 0, overflowY: "auto", px: { xs: 1.5, md: 3 }, pb: 0.5, display: "flex", flexDirection: "column", outline: "none" }}>
          <Broken key={pathname}><Suspense fallback={null}>{children}</Suspense></Broken>
        </Box>
      </Box>
      <CommandPalette isOpen={isPalette} onOpen={() => setPalette(true)} onClose={() => setPalette(false)} />
      <Help />
      <LeaveOnSignOut />
    </Box>
  );
}
