/** The buckets of an organization, and how full they are. */
import type { Row } from "@rowgate/client/react-admin";
import { Box, Button, LinearProgress, Link, Paper, Stack, Typography } from "@mui/material";
import { useLocale, useTranslate } from "react-admin";
import { Link as RouterLink } from "react-router-dom";

import { useCatalogue } from "../catalogue/context";
import { bytes } from "../values/formats";
import { Badge } from "../values/Value";
import { Section } from "../design/Section";
import { listOf, useBuckets } from "./queries";
import type { Standing } from "./standing";

const RESOURCE = "storage/bucket";

export function Storage({ standing }: { standing: Standing }) {
  const translate = useTranslate();
  const model = useCatalogue().get(RESOURCE);
  const query = useBuckets(standing.id);
  const buckets = query.data?.data ?? [];
  const title = translate("studio.organizations.buckets");
  const create = `/${RESOURCE}/create?source=${encodeURIComponent(JSON.stringify({ organizationId: standing.id }))}`;
  const added = standing.isManager && model?.operations.create && (
    <Button variant="contained" component={RouterLink} to={create}>{translate("studio.record.new", { model: translate(`resources.${RESOURCE}.name`, { smart_count: 1 }) })}</Button>
  );
  return (
    <Section title={title} query={query} actions={added}>
      {buckets.length === 0 && <Typography color="text.secondary">{translate("studio.organizations.no_buckets")}</Typography>}
      {buckets.length > 0 && (
        <Box component="ul" aria-label={title} sx={{ listStyle: "none", m: 0, p: 0, display: "grid", gridTemplateColumns: "repeat(auto-fill, minmax(min(320px, 100%), 1fr))", gap: 1 }}>
          {buckets.map((bucket) => <Bucket key={bucket.id} bucket={bucket} />)}
        </Box>
      )}
    </Section>
  );
}

/** From this share on, in percent, somebody should see to it. */
const TIGHT = 90;

function Bucket({ bucket }: { bucket: Row }) {
  const translate = useTranslate();
  const locale = useLocale();
  const [name, used, quota] = [String(bucket.name), Number(bucket.usedBytes), Number(bucket.quotaBytes)];
  const share = quota > 0 ? Math.min(100, (used / quota) * 100) : 100;
  const told = translate("studio.organizations.used", { used: bytes(used, locale), quota: bytes(quota, locale) });
  const count = Number(bucket.uploadCount);
  const files = translate("studio.organizations.files", { smart_count: count }).replace(String(count), new Intl.NumberFormat(locale).format(count));
  return (
    <Paper component="li" variant="outlined" sx={{ p: 2, minWidth: 0 }}>
      <Stack direction="row" spacing={1} sx={{ alignItems: "center", justifyContent: "space-between" }}>
        <Link component={RouterLink} to={`/${RESOURCE}/${bucket.id}/show`} sx={{ fontWeight: 600, overflowWrap: "anywhere" }}>{name}</Link>
        <Badge field="visibility" value={String(bucket.visibility)} />
      </Stack>
      {bucket.description && <Typography variant="body2" color="text.secondary">{String(bucket.description)}</Typography>}
      <LinearProgress variant="determinate" value={share} color={share >= TIGHT ? "warning" : "primary"} aria-label={name} aria-valuetext={told} sx={{ my: 1, height: 8, borderRadius: 4 }} />
      <Stack direction="row" useFlexGap spacing={1} sx={{ justifyContent: "space-between", flexWrap: "wrap" }}>
        <Typography variant="body2" sx={{ fontVariantNumeric: "tabular-nums" }}>{told}</Typography>
        <Link component={RouterLink} to={listOf("storage/upload", "bucketId", bucket.id)} variant="body2" aria-label={`${name}: ${files}`}>{files}</Link>
      </Stack>
    </Paper>
  );
}
