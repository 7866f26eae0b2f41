/** The way to every model, by domain, with a box that finds one. */
import DashboardIcon from "@mui/icons-material/DashboardOutlined";
import ApartmentIcon from "@mui/icons-material/ApartmentOutlined";
import HistoryIcon from "@mui/icons-material/HistoryOutlined";
import HomeIcon from "@mui/icons-material/HomeOutlined";
import FolderSharedIcon from "@mui/icons-material/FolderSharedOutlined";
import KeyIcon from "@mui/icons-material/KeyOutlined";
import MenuBookIcon from "@mui/icons-material/MenuBookOutlined";
import SmartToyIcon from "@mui/icons-material/SmartToyOutlined";
import WebhookIcon from "@mui/icons-material/WebhookOutlined";
import { Box, Collapse, List, ListItem, ListItemButton, ListItemIcon, ListItemText, TextField, Typography } from "@mui/material";
import ExpandLessIcon from "@mui/icons-material/ExpandLessOutlined";
import ExpandMoreIcon from "@mui/icons-material/ExpandMoreOutlined";
import { type ReactNode, useState } from "react";
import { useTranslate } from "react-admin";
import { NavLink, useLocation } from "react-router-dom";

import { nameOf } from "../catalogue/catalogue";
import { useCatalogue, usePerson } from "../catalogue/context";
import type { Domain } from "../catalogue/types";
import { pages } from "../extensions";
import { usePins, useVisits } from "./pins";
import { PLACES } from "./places";

const ICONS: Readonly<Record<string, ReactNode>> = {
  "/": <HomeIcon />, "/shared-with-me": <FolderSharedIcon />, "/changes": <HistoryIcon />, "/keys": <KeyIcon />, "/assistants": <SmartToyIcon />, "/webhooks": <WebhookIcon />,
  "/dashboards": <DashboardIcon />, "/organization": <ApartmentIcon />,
};

/** Our own domains, those that people work with first; what plugins bring stands above them. */
const OURS = ["crm", "storage", "ai", "ai-rag", "ai-agent", "ai-research", "analytics", "notification", "auth", "platform"];

export function Navigation({ onNavigate }: { onNavigate: () => void }) {
  const translate = useTranslate();
  const { domains, changesDays } = useCatalogue();
  const [words, setWords] = useState("");
  const rank = ({ name }: Domain) => OURS.indexOf(name);
  const sorted = [...domains].sort((one, other) => rank(one) - rank(other));
  return (
    <Box component="nav" aria-label={translate("studio.menu.label")} sx={{ py: 1 }}>
      <Box sx={{ px: 1, pb: 1 }}>
        <TextField size="small" fullWidth type="search" placeholder={translate("studio.menu.find")} value={words} onChange={(event) => setWords(event.target.value)} slotProps={{ htmlInput: { "aria-label": translate("studio.menu.find") } }} />
      </Box>
      <List dense disablePadding sx={{ "& .MuiListItemText-root": { my: 0.25 } }} onClick={(event) => (event.target as HTMLElement).closest("a") && onNavigate()}>
        {!words && (
          <>
            {PLACES.filter(({ isAside, isOfChanges }) => !isAside && (!isOfChanges || changesDays > 0)).map(({ path, title }) => <Entry key={path} to={path} title={translate(title)} icon={ICONS[path]} exact={path === "/"} />)}
            {pages.map(({ path, title }) => <Entry key={path} to={`/${path}`} title={title} />)}
          </>
        )}
        {!words && <Used />}
        {sorted.map((domain) => <DomainEntry key={domain.name} domain={domain} words={words.trim().toLowerCase()} />)}
        {!words && (
          <ListItem disablePadding>
            <ListItemButton component="a" href="/api/v1/docs" sx={LINE}>
              <ListItemIcon sx={{ minWidth: 30 }}><MenuBookIcon /></ListItemIcon>
              <ListItemText primary={translate("studio.menu.documentation")} slotProps={{ primary: { variant: "body2" } }} />
            </ListItemButton>
          </ListItem>
        )}
      </List>
    </Box>
  );
}

/** What somebody has pinned, and then what was opened last. */
function Used() {
  const translate = useTranslate();
  const catalogue = useCatalogue();
  const pins = usePins(usePerson().id);
  const visits = useVisits().filter((name) => !pins.includes(name));
  const shown = (names: readonly string[]) => names.filter((name) => catalogue.get(name)?.operations.list);
  return (["pinned", "recent"] as const).map((kind) => {
    const names = shown(kind === "pinned" ? pins : visits);
    return names.length === 0 ? null : (
      <ListItem key={kind} disablePadding sx={{ display: "block", mt: 1 }}>
        <Typography id={`menu-${kind}`} variant="caption" component="h2" sx={HEADING}>{translate(`studio.menu.${kind}`)}</Typography>
        <List dense disablePadding aria-labelledby={`menu-${kind}`}>
          {names.map((name) => <Entry key={name} to={`/${name}`} title={translate(`resources.${name}.name`, { smart_count: 2 })} isInner />)}
        </List>
      </ListItem>
    );
  });
}

const HEADING = { display: "block", px: 2, color: "text.secondary", fontWeight: 600 } as const;
const LINE = { mx: 1, px: 1, py: 0.25, minHeight: 28 } as const;

function DomainEntry({ domain, words }: { domain: Domain; words: string }) {
  const translate = useTranslate();
  const { pathname } = useLocation();
  const [isOpen, setOpen] = useState(domain.name === "crm" || pathname.startsWith(`/${domain.name}/`));
  const title = (resource: string) => translate(`resources.${resource}.name`, { smart_count: 2 });
  const models = domain.models.filter((model) => model.operations.list).filter((model) => !words || title(nameOf(model)).toLowerCase().includes(words) || nameOf(model).includes(words));
  if (models.length === 0) return null;
  const isShown = isOpen || words !== "";
  return (
    <>
      <ListItem disablePadding>
        <ListItemButton onClick={() => setOpen(!isOpen)} aria-expanded={isShown} sx={LINE}>
          <ListItemText primary={translate(`domain.${domain.name}`)} slotProps={{ primary: { variant: "body2", sx: { fontWeight: 600 } } }} />
          {isShown ? <ExpandLessIcon fontSize="small" /> : <ExpandMoreIcon fontSize="small" />}
        </ListItemButton>
      </ListItem>
      <Collapse in={isShown} unmountOnExit component="li">
        <List dense disablePadding>{models.map((model) => <Entry key={model.name} to={`/${nameOf(model)}`} title={title(nameOf(model))} isInner />)}</List>
      </Collapse>
    </>
  );
}

function Entry({ to, title, icon, exact = false, isInner = false }: { to: string; title: string; icon?: ReactNode; exact?: boolean; isInner?: boolean }) {
  return (
    <ListItem disablePadding>
      <ListItemButton component={NavLink} to={to} end={exact} sx={{ ...LINE, ...(isInner ? { pl: 2 } : {}), "&.active": { bgcolor: "action.selected", color: "primary.main" }, "&.active .MuiListItemIcon-root": { color: "inherit" } }}>
        {icon && <ListItemIcon sx={{ minWidth: 30 }}>{icon}</ListItemIcon>}
        <ListItemText primary={title} slotProps={{ primary: { variant: "body2", noWrap: true } }} />
      </ListItemButton>
    </ListItem>
  );
}
