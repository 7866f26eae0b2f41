/** The bar above: where one acts, commands, language, colours, account. */
import MenuIcon from "@mui/icons-material/MenuOutlined";
import SearchIcon from "@mui/icons-material/SearchOutlined";
import { AppBar, Avatar, Box, Button, Divider, IconButton, Link, ListSubheader, Menu, MenuItem, Toolbar, Tooltip } from "@mui/material";
import { useRef, useState } from "react";
import { useLocaleState, useLocales, useStoreContext, useTheme, useTranslate } from "react-admin";
import { Link as RouterLink } from "react-router-dom";

import { useCatalogue, usePerson } from "../catalogue/context";
import { OrganizationSwitcher } from "../organizations/OrganizationSwitcher";
import { dropDrafts } from "../records/drafts";
import { signOut } from "../session/bearer";
import { Notifications } from "./Notifications";
import { forgetVisits } from "./pins";
import { forgetAll } from "./recent";

interface Props {
  onMenu: (() => void) | undefined;
  onPalette: () => void;
}

export function TopBar({ onMenu, onPalette }: Props) {
  const translate = useTranslate();
  const catalogue = useCatalogue();
  return (
    <AppBar position="static" sx={{ borderBottom: 1, borderColor: "divider", bgcolor: "background.paper" }}>
      <Toolbar variant="dense" sx={{ gap: 1, minHeight: 40 }}>
        {onMenu && <IconButton edge="start" onClick={onMenu} aria-label={translate("studio.menu.open")}><MenuIcon /></IconButton>}
        <Link component={RouterLink} to="/" color="inherit" sx={{ fontWeight: 700, display: { xs: onMenu ? "none" : "block", sm: "block" } }}>Rowgate</Link>
        <OrganizationSwitcher />
        <Box sx={{ flex: 1 }} />
        <Button color="inherit" startIcon={<SearchIcon />} onClick={onPalette} sx={{ display: { xs: "none", sm: "inline-flex" } }} aria-keyshortcuts="Control+K">{translate("studio.palette.label")}</Button>
        <IconButton onClick={onPalette} aria-label={translate("studio.palette.label")} sx={{ display: { sm: "none" } }}><SearchIcon /></IconButton>
        {catalogue.get("notification/notification")?.operations.list && <Notifications />}
        <AccountMenu />
      </Toolbar>
    </AppBar>
  );
}

const initials = (name: string) => name.split(/\s+/).map((part) => part.charAt(0)).slice(0, 2).join("").toUpperCase();
type Theme = "light" | "dark" | "system";

/** The colours that were chosen; without a choice they are those of the system. */
function useChosenTheme(): [Theme, (theme: Theme) => void] {
  const store = useStoreContext();
  useTheme();
  const choose = (theme: Theme) => (theme === "system" ? store.removeItem("theme") : store.setItem("theme", theme));
  return [store.getItem<Theme>("theme") ?? "system", choose];
}

function AccountMenu() {
  const translate = useTranslate();
  const person = usePerson();
  const locales = useLocales();
  const [locale, setLocale] = useLocaleState();
  const [theme, setTheme] = useChosenTheme();
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const label = translate("studio.menu.profile", { name: person.name });
  const leave = async () => {
    dropDrafts();
    forgetAll();
    forgetVisits();
    await signOut();
    location.assign("/account/sign-in?next=/console");
  };
  return (
    <>
      <Tooltip title={label}>
        <IconButton ref={button} onClick={() => setOpen(true)} aria-label={label} aria-haspopup="menu" aria-expanded={isOpen}>
          <Avatar sx={{ width: 30, height: 30, fontSize: 13, bgcolor: "primary.main", color: "primary.contrastText" }}>{initials(person.name)}</Avatar>
        </IconButton>
      </Tooltip>
      <Menu open={isOpen} anchorEl={button.current} onClose={() => setOpen(false)} slotProps={{ list: { "aria-label": label, dense: true } }}>
        <MenuItem component="a" href="/account">{translate("studio.menu.account")}</MenuItem>
        <MenuItem component={RouterLink} to="/jobs" onClick={() => setOpen(false)}>{translate("studio.jobs.title")}</MenuItem>
        <Divider />
        <ListSubheader role="presentation">{translate("studio.language")}</ListSubheader>
        {locales.map(({ locale: each, name }) => <MenuItem key={each} role="menuitemradio" aria-checked={each === locale} selected={each === locale} lang={each} onClick={() => setLocale(each)}>{name}</MenuItem>)}
        <Divider />
        <ListSubheader role="presentation">{translate("studio.theme.label")}</ListSubheader>
        {(["light", "dark", "system"] as const).map((each) => <MenuItem key={each} role="menuitemradio" aria-checked={each === theme} selected={each === theme} onClick={() => setTheme(each)}>{translate(`studio.theme.${each}`)}</MenuItem>)}
        <Divider />
        <MenuItem onClick={() => void leave()}>{translate("studio.menu.sign_out")}</MenuItem>
      </Menu>
    </>
  );
}
