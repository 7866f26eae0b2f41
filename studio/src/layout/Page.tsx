/** A page: its title, in the tab too, the way back, and what can be done. */
import { Box, Breadcrumbs, Link, Stack, Typography } from "@mui/material";
import { type ReactNode, useEffect } from "react";
import { useTranslate } from "react-admin";
import { Link as RouterLink } from "react-router-dom";

import { useCatalogue } from "../catalogue/context";

interface Step {
  title: string;
  to: string;
}

interface Props {
  title: string;
  trail?: readonly Step[];
  actions?: ReactNode;
  children: ReactNode;
  /** For tables, which scroll by themselves. */
  fill?: boolean;
}

/** The way back to the list of a model; none where the caller may not list it. */
export function useTrail(resource: string): readonly Step[] {
  const translate = useTranslate();
  const isListed = useCatalogue().get(resource)?.operations.list;
  return isListed ? [{ title: translate(`resources.${resource}.name`, { smart_count: 2 }), to: `/${resource}` }] : [];
}

export function Page({ title, trail = [], actions, children, fill = false }: Props) {
  const translate = useTranslate();
  useEffect(() => {
    document.title = `${title} · ${translate("studio.title")}`;
  }, [title, translate]);
  return (
    <Box sx={{ display: "flex", flexDirection: "column", minHeight: 0, ...(fill ? { flex: 1 } : { maxWidth: 1200, width: "100%" }) }}>
      <Stack direction="row" useFlexGap sx={{ alignItems: "center", flexWrap: "wrap", gap: 1, mt: 0.5, mb: fill ? 0.25 : 1.5, minHeight: 32, flexShrink: 0 }}>
        <Box sx={{ flex: 1, minWidth: 200 }}>
          {trail.length > 0 && (
            <Breadcrumbs aria-label={translate("studio.menu.trail")}>
              {trail.map(({ title: step, to }) => <Link key={to} component={RouterLink} to={to} variant="body2" noWrap sx={{ display: "block", maxWidth: 280 }}>{step}</Link>)}
            </Breadcrumbs>
          )}
          <Typography component="h1" variant="h5" sx={{ overflowWrap: "anywhere" }}>{title}</Typography>
        </Box>
        {actions && <Box sx={{ display: "flex", flexWrap: "wrap", alignItems: "center", gap: 1, displayPrint: "none" }}>{actions}</Box>}
      </Stack>
      {children}
    </Box>
  );
}
