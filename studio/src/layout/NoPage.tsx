/** In place of a page that is none. */
import { Alert } from "@mui/material";
import { useTranslate } from "react-admin";

import { Page } from "./Page";

export function NoPage() {
  const translate = useTranslate();
  return <Page title={translate("studio.errors.no_page")} trail={[{ title: translate("studio.menu.home"), to: "/" }]}><Alert severity="info">{translate("studio.errors.no_page")}</Alert></Page>;
}
