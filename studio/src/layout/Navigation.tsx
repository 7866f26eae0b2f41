/** The way to every model, by domain, with a box that finds one. */
import ApartmentIcon from "@mui/icons-material/Apartment";
import HistoryIcon from "@mui/icons-material/History";
import HomeIcon from "@mui/icons-material/Home";
import FolderSharedIcon from "@mui/icons-material/FolderShared";
import KeyIcon from "@mui/icons-material/Key";
import MenuBookIcon from "@mui/icons-material/MenuBook";
import WebhookIcon from "@mui/icons-material/Webhook";
import { Box, Collapse, List, ListItem, ListItemButton, ListItemIcon, ListItemText, TextField } from "@mui/material";
import ExpandLessIcon from "@mui/icons-material/ExpandLess";
import ExpandMoreIcon from "@mui/icons-material/ExpandMore";
import { type ReactNode, useState } from "react";
import { useTranslate } from "react-admin";
import { NavLink, useLocation } from "react-router-dom";

import { nameOf } from "../catalogue/catalogue";
import { useCatalogue } from "../catalogue/context";
import type { Domain } from "../catalogue/types";
import { pages } from "../extensions";

/** Domains whose pages have entries of their own come after what people work with. */
const FIRST = ["crm", "storage", "ai", "ai-rag", "ai-agent", "ai-research"];

export function Navigation({ onNavigate }: { onNavigate: () => void }) {
  const translate = useTranslate();
  const { domains, changesDays } = useCatalogue();
  const [words, setWords] = useState("");
  const rank = ({ name }: Domain) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  const sorted = [...domains].sort((one, other) => rank(one) - rank(other));
  return (
    <Box component="nav" aria-label={translate("studio.menu.label")} sx={{ py: 1 }}>
      <Box sx={{ px: 1, pb: 1 }}>
        <TextField size="small" fullWidth type="search" placeholder={translate("studio.menu.find")} value={words} onChange={(event) => setWords(event.target.value)} slotProps={{ htmlInput: { "aria-label": translate("studio.menu.find") } }} />
      </Box>
      <List dense disablePadding onClick={(event) => (event.target as HTMLElement).closest("a") && onNavigate()}>
        {!words && (
          <>
            <Entry to="/" title={translate("studio.menu.home")} icon={<HomeIcon />} exact />
            <Entry to="/shared-with-me" title={translate("studio.sharing.with_me")} icon={<FolderSharedIcon />} />
            {changesDays > 0 && <Entry to="/changes" title={translate("studio.changes.title")} icon={<HistoryIcon />} />}
            <Entry to="/keys" title={translate("studio.menu.keys")} icon={<KeyIcon />} />
            {changesDays > 0 && <Entry to="/webhooks" title={translate("studio.webhooks.title")} icon={<WebhookIcon />} />}
            <Entry to="/organization" title={translate("studio.menu.organization")} icon={<ApartmentIcon />} />
            {pages.map(({ path, title }) => <Entry key={path} to={`/${path}`} title={title} />)}
          </>
        )}
        {sorted.map((domain) => <DomainEntry key={domain.name} domain={domain} words={words.trim().toLowerCase()} />)}
        {!words && (
          <ListItem disablePadding>
            <ListItemButton component="a" href="/api/v1/docs">
              <ListItemIcon sx={{ minWidth: 36 }}><MenuBookIcon /></ListItemIcon>
              <ListItemText primary={translate("studio.menu.documentation")} />
            </ListItemButton>
          </ListItem>
        )}
      </List>
    </Box>
  );
}

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
        <ListItemButton onClick={() => setOpen(!isOpen)} aria-expanded={isShown}>
          <ListItemText primary={translate(`domain.${domain.name}`)} slotProps={{ primary: { sx: { fontWeight: 600 } } }} />
          {isShown ? <ExpandLessIcon /> : <ExpandMoreIcon />}
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
      <ListItemButton component={NavLink} to={to} end={exact} sx={{ pl: isInner ? 3 : 2, "&.active": { bgcolor: "action.selected", fontWeight: 600 } }}>
        {icon && <ListItemIcon sx={{ minWidth: 36 }}>{icon}</ListItemIcon>}
        <ListItemText primary={title} />
      </ListItemButton>
    </ListItem>
  );
}
