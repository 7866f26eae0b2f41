/** The use of a key over time: as charts, and the same numbers as a table. */
import { Alert, Box, Button, Stack, ToggleButton, ToggleButtonGroup, Typography } from "@mui/material";
import { Suspense, lazy, useState } from "react";
import { useTranslate } from "react-admin";

import { Section } from "../design/Section";
import { UsageTable } from "./UsageTable";
import { RANGES, type Range, useUsage } from "./keys";

// Charts are large, and nobody needs them before they look at a key.
const UsageCharts = lazy(() => import("./UsageCharts"));

export function KeyUsage({ id }: { id: string }) {
  const translate = useTranslate();
  const [range, setRange] = useState<Range>("week");
  const [isTable, setTable] = useState(false);
  const query = useUsage(id, range);
  const usage = query.data;
  return (
    <Section title={translate("studio.keys.usage")} query={query} actions={<RangeChoice range={range} onChange={setRange} />}>
      {usage && (
        <Box aria-busy={query.isPlaceholderData} sx={{ opacity: query.isPlaceholderData ? 0.6 : 1 }}>
          <Stack direction="row" useFlexGap sx={{ alignItems: "center", flexWrap: "wrap", gap: 1 }}>
            <Typography role="status" sx={{ flex: 1 }}>{translate("studio.keys.total", { smart_count: usage.meta.requests })}</Typography>
            {usage.meta.requests > 0 && <Button onClick={() => setTable(!isTable)}>{translate(isTable ? "studio.keys.chart" : "studio.keys.table")}</Button>}
          </Stack>
          {usage.meta.requests === 0 ? <Alert severity="info" icon={false}>{translate("studio.keys.no_uses")}</Alert>
            : isTable ? <UsageTable points={usage.data} interval={usage.meta.interval} />
            : <Suspense fallback={<Box sx={{ minHeight: 320 }} />}><UsageCharts points={usage.data} interval={usage.meta.interval} /></Suspense>}
        </Box>
      )}
    </Section>
  );
}

function RangeChoice({ range, onChange }: { range: Range; onChange: (range: Range) => void }) {
  const translate = useTranslate();
  return (
    <ToggleButtonGroup exclusive size="small" value={range} onChange={(_, chosen: Range | null) => chosen && onChange(chosen)} aria-label={translate("studio.keys.range")}>
      {Object.keys(RANGES).map((each) => <ToggleButton key={each} value={each}>{translate(`studio.keys.${each}`)}</ToggleButton>)}
    </ToggleButtonGroup>
  );
}
