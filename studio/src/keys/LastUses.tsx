/** The newest requests with a key, each with what became of it. */
import { Box } from "@mui/material";
import { useLocale, useTranslate } from "react-admin";

import { type Column, Listing } from "../organizations/Listing";
import { Section } from "../design/Section";
import { milliseconds } from "../values/formats";
import { Badge, Empty, Moment } from "../values/Value";
import { USES, type Use, useUses } from "./keys";

export function LastUses({ id }: { id: string }) {
  const translate = useTranslate();
  const query = useUses(id);
  const title = translate("studio.keys.uses");
  const columns = useColumns();
  return (
    <Section title={title} query={query}>
      <Listing title={title} columns={columns} rows={query.data ?? []} empty={translate("studio.keys.no_uses")} />
    </Section>
  );
}

function useColumns(): readonly Column<Use>[] {
  const translate = useTranslate();
  const locale = useLocale();
  return [
    { name: "when", label: translate("studio.keys.when"), cell: ({ time }) => <Moment value={time} brief /> },
    { name: "outcome", label: translate("studio.keys.outcome"), cell: ({ outcome }) => <Badge field="outcome" value={outcome} /> },
    { name: "route", label: translate("studio.keys.route"), cell: ({ method, route }) => <Box component="code" sx={{ fontSize: "0.85em", overflowWrap: "anywhere" }}>{[method, route].filter(Boolean).join(" ")}</Box> },
    { name: "status", label: translate(`resources.${USES}.fields.statusCode`), cell: ({ statusCode }) => statusCode },
    { name: "address", label: translate("studio.keys.address"), cell: ({ ipAddress }) => ipAddress ?? <Empty /> },
    { name: "took", label: translate("studio.keys.took"), cell: ({ latencyMs }) => milliseconds(latencyMs, locale) },
  ];
}
