/** Whose records a list shows: those of the organization that is acted in, until somebody asks for all. */
import CloseIcon from "@mui/icons-material/CloseOutlined";
import { Box, Button, IconButton } from "@mui/material";
import { useTranslate } from "react-admin";

import { usePerson } from "../catalogue/context";
import type { Model } from "../catalogue/types";
import type { Condition } from "../lists/conditions";
import { useOrganizations } from "./OrganizationSwitcher";
import { useScope } from "./scope";

interface Props {
  model: Model;
  conditions: readonly Condition[];
  isEverywhere: boolean;
  onChange: (isEverywhere: boolean) => void;
}

export function ScopeChip({ model, conditions, isEverywhere, onChange }: Props) {
  const translate = useTranslate();
  const { isAdmin, activeOrganizationId } = usePerson();
  const { data = [] } = useOrganizations();
  const name = data.find(({ id }) => id === activeOrganizationId)?.name;
  const isScoped = useScope(model, conditions) !== undefined;
  // Whoever sees one organization alone sees no other records.
  if (!isScoped || !name || (data.length < 2 && !isAdmin)) return null;
  if (isEverywhere) return <Button size="small" onClick={() => onChange(false)}>{translate("studio.organizations.only", { name })}</Button>;
  const text = translate("studio.organizations.of", { name });
  return (
    <Box sx={{ display: "inline-flex", alignItems: "center", maxWidth: 380, borderRadius: 4, bgcolor: "action.selected", pl: 1.5, py: 0.25, typography: "body2" }}>
      <Box component="span" sx={{ overflow: "hidden", textOverflow: "ellipsis", whiteSpace: "nowrap" }}>{text}</Box>
      <IconButton size="small" onClick={() => onChange(true)} aria-label={translate("studio.organizations.everywhere")}><CloseIcon fontSize="inherit" /></IconButton>
    </Box>
  );
}
