/** In which organization somebody acts; the session knows it, so that all tabs do. */
import { useQuery } from "@tanstack/react-query";
import ApartmentIcon from "@mui/icons-material/ApartmentOutlined";
import PersonIcon from "@mui/icons-material/PersonOutlined";
import UnfoldMoreIcon from "@mui/icons-material/UnfoldMoreOutlined";
import { Button, ListItemIcon, ListItemText, Menu, MenuItem } from "@mui/material";
import { useEffect, useRef, useState } from "react";
import { useNotify, useTranslate } from "react-admin";
import { Link } from "react-router-dom";

import { provider } from "../api/provider";
import { useSentence } from "../api/sentences";
import { usePerson } from "../catalogue/context";
import { accentOf, keepAccent } from "../layout/accent";
import { ask } from "../session/transport";

/** The organizations that one is a member of, the personal one first. */
export function useOrganizations() {
  const { id } = usePerson();
  return useQuery({
    queryKey: ["auth/member", "own", id],
    queryFn: async ({ signal }) => {
      const { data } = await provider.getList("auth/member", { filter: { userId: id }, pagination: { page: 1, perPage: 200 }, meta: { count: "none", expand: ["organization"] }, signal });
      const known = data.filter(({ organization }) => organization);
      return known.map(({ role, organization }) => ({ id: String(organization.id), name: String(organization.name), isPersonal: Boolean(organization.isPersonal), role: String(role), accent: accentOf(organization.metadata) }))
        .sort((one, other) => Number(other.isPersonal) - Number(one.isPersonal) || one.name.localeCompare(other.name));
    },
  });
}

export function OrganizationSwitcher() {
  const translate = useTranslate();
  const notify = useNotify();
  const sentence = useSentence();
  const { activeOrganizationId } = usePerson();
  const { data = [], isSuccess } = useOrganizations();
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const current = data.find(({ id }) => id === activeOrganizationId) ?? data[0];
  useEffect(() => {
    if (isSuccess) keepAccent(current?.accent);
  }, [isSuccess, current?.accent]);
  if (!current) return null;
  const change = async (organizationId: string) => {
    setOpen(false);
    try {
      await ask("POST", "/api/auth/session/organization", { organizationId });
      // All that is shown may be another's.
      location.assign("/console");
    } catch (error) {
      notify(sentence(error), { type: "error" });
    }
  };
  return (
    <>
      <Button ref={button} color="inherit" endIcon={<UnfoldMoreIcon />} onClick={() => setOpen(true)} aria-haspopup="menu" aria-label={`${translate("studio.organizations.switch")}: ${current.name}`} sx={{ maxWidth: 220, minWidth: 0 }}>
        <span style={{ overflow: "hidden", textOverflow: "ellipsis", whiteSpace: "nowrap" }}>{current.name}</span>
      </Button>
      <Menu open={isOpen} anchorEl={button.current} onClose={() => setOpen(false)} slotProps={{ list: { "aria-label": translate("studio.organizations.switch") } }}>
        {data.map(({ id, name, isPersonal, role }) => (
          <MenuItem key={id} selected={id === current.id} onClick={() => void change(id)}>
            <ListItemIcon>{isPersonal ? <PersonIcon /> : <ApartmentIcon />}</ListItemIcon>
            <ListItemText primary={name} secondary={isPersonal ? translate("studio.organizations.personal") : translate(`value.role.${role}`)} />
          </MenuItem>
        ))}
        <MenuItem component={Link} to="/auth/organization/create" onClick={() => setOpen(false)}>{translate("studio.organizations.new")}</MenuItem>
      </Menu>
    </>
  );
}
