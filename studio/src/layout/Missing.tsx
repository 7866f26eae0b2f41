/** In place of a record that cannot be shown. */
import { Alert, Button } from "@mui/material";
import type { ReactNode } from "react";
import { useTranslate } from "react-admin";
import { Link } from "react-router-dom";

import { useSentence } from "../api/sentences";
import { Page, useTrail } from "./Page";

export function Missing({ error, resource, children }: { error: unknown; resource: string; children?: ReactNode }) {
  const translate = useTranslate();
  const sentence = useSentence();
  const trail = useTrail(resource);
  return (
    <Page title={translate(`resources.${resource}.name`, { smart_count: 1 })} trail={trail}>
      <Alert severity="error" action={trail.map(({ title, to }) => <Button key={to} color="inherit" component={Link} to={to}>{title}</Button>)}>{sentence(error)}</Alert>
      {children}
    </Page>
  );
}

/** For the error of a query whose page shows it: react-admin would go back to the list. */
export const stay = () => {};
