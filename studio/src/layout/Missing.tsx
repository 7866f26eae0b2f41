/** In place of a record that cannot be shown. */
import { Alert, Button } from "@mui/material";
import { useTranslate } from "react-admin";
import { Link } from "react-router-dom";

import { useSentence } from "../api/sentences";
import { Page } from "./Page";

export function Missing({ error, resource }: { error: unknown; resource: string }) {
  const translate = useTranslate();
  const sentence = useSentence();
  const models = translate(`resources.${resource}.name`, { smart_count: 2 });
  return (
    <Page title={translate(`resources.${resource}.name`, { smart_count: 1 })} trail={[{ title: models, to: `/${resource}` }]}>
      <Alert severity="error" action={<Button color="inherit" component={Link} to={`/${resource}`}>{models}</Button>}>{sentence(error)}</Alert>
    </Page>
  );
}

/** For the error of a query whose page shows it: react-admin would go back to the list. */
export const stay = () => {};
