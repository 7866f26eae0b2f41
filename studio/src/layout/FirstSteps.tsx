/** What one does first with an empty organization, until all of it is done or somebody has had enough. */
import { useQuery } from "@tanstack/react-query";
import CheckCircleIcon from "@mui/icons-material/CheckCircleOutlined";
import RadioButtonUncheckedIcon from "@mui/icons-material/RadioButtonUncheckedOutlined";
import { Box, Button, Paper, Stack, Typography } from "@mui/material";
import { useState } from "react";
import { useTranslate } from "react-admin";
import { Link as RouterLink } from "react-router-dom";

import { provider } from "../api/provider";
import { useCatalogue, usePerson } from "../catalogue/context";
import { belongsTo } from "../organizations/scope";

const KEY = "rowgate.steps";

interface Step {
  name: "key" | "invite" | "record" | "client";
  to: string;
  /** The model of which there is something once it is done. */
  model: string;
}

const STEPS: readonly Step[] = [
  { name: "record", to: "/crm/company", model: "crm/company" },
  { name: "key", to: "/keys/create", model: "auth/api-key" },
  { name: "client", to: "/keys", model: "auth/api-key-analytics" },
  { name: "invite", to: "/organization/invitations", model: "auth/invitation" },
];

async function isThere({ model }: Step, where: object | undefined, signal: AbortSignal): Promise<boolean> {
  const { data } = await provider.getList(model, { ...(where ? { filter: { where } } : {}), pagination: { page: 1, perPage: 1 }, meta: { fields: ["id"], count: "none" }, signal });
  return data.length > 0;
}

export function FirstSteps() {
  const translate = useTranslate();
  const catalogue = useCatalogue();
  const { id, activeOrganizationId } = usePerson();
  const [isOver, setOver] = useState(() => localStorage.getItem(KEY) === id);
  const steps = STEPS.filter(({ model }) => catalogue.get(model)?.operations.list);
  const placed = ({ model }: Step) => (activeOrganizationId ? belongsTo(catalogue, catalogue.get(model)!, activeOrganizationId) : undefined);
  const { data } = useQuery({ queryKey: ["first steps", id, activeOrganizationId], enabled: !isOver, queryFn: ({ signal }) => Promise.all(steps.map((step) => isThere(step, placed(step), signal))) });
  const end = () => (localStorage.setItem(KEY, id), setOver(true));
  if (isOver || !data || data.every(Boolean)) return null;
  return (
    <Paper variant="outlined" component="section" aria-labelledby="first-steps" sx={{ p: 2, mb: 3 }}>
      <Stack direction="row" sx={{ alignItems: "center", mb: 1 }}>
        <Typography id="first-steps" component="h2" variant="h6" sx={{ flex: 1 }}>{translate("studio.steps.title")}</Typography>
        <Button size="small" onClick={end}>{translate("studio.steps.end")}</Button>
      </Stack>
      <Box component="ol" sx={{ listStyle: "none", m: 0, p: 0, display: "grid", gridTemplateColumns: "repeat(auto-fit, minmax(220px, 1fr))", gap: 2 }}>
        {steps.map(({ name, to }, place) => (
          <Box component="li" key={name} sx={{ display: "flex", gap: 1 }}>
            {data[place] ? <CheckCircleIcon color="success" titleAccess={translate("studio.steps.done")} /> : <RadioButtonUncheckedIcon color="disabled" aria-hidden />}
            <Box sx={{ minWidth: 0 }}>
              <Typography component="h3" variant="subtitle2">{translate(`studio.steps.${name}_title`)}</Typography>
              <Typography variant="body2" color="text.secondary" sx={{ mb: 0.5 }}>{translate(`studio.steps.${name}_text`)}</Typography>
              {!data[place] && <Button size="small" variant={data.indexOf(false) === place ? "contained" : "outlined"} component={RouterLink} to={to}>{translate(`studio.steps.${name}_do`)}</Button>}
            </Box>
          </Box>
        ))}
      </Box>
    </Paper>
  );
}
