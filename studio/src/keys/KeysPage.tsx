/** The caller's keys. */
import AddIcon from "@mui/icons-material/AddOutlined";
import { Alert, Box, Button, Chip, LinearProgress, Link, Paper, Stack, Typography } from "@mui/material";
import { useTranslate } from "react-admin";
import { Link as RouterLink } from "react-router-dom";

import { useSentence } from "../api/sentences";
import { Page } from "../layout/Page";
import { type Column, Listing } from "../organizations/Listing";
import { Badge, Moment } from "../values/Value";
import { type ApiKey, RESOURCE, useKeys } from "./keys";

export default function KeysPage() {
  const translate = useTranslate();
  const sentence = useSentence();
  const { data, error, isLoadingError, refetch } = useKeys();
  const columns = useColumns();
  const title = translate("studio.keys.title");
  const isNew = data?.length === 0;
  return (
    <Page title={title} actions={!isNew && <NewKey />}>
      {isLoadingError ? <Alert severity="error" action={<Button color="inherit" onClick={() => void refetch()}>{translate("studio.list.retry")}</Button>}>{sentence(error)}</Alert>
        : !data ? <LinearProgress aria-label={translate("studio.list.loading")} />
        : isNew ? <Nothing />
        : <Listing title={title} columns={columns} rows={data} empty={translate("studio.keys.none")} />}
    </Page>
  );
}

function NewKey() {
  const translate = useTranslate();
  return <Button variant="contained" startIcon={<AddIcon />} component={RouterLink} to="/keys/create">{translate("studio.keys.new")}</Button>;
}

function Nothing() {
  const translate = useTranslate();
  return (
    <Paper variant="outlined" sx={{ p: 4, textAlign: "center" }}>
      <Typography component="h2" variant="h6">{translate("studio.keys.none")}</Typography>
      <Typography color="text.secondary" sx={{ mb: 2 }}>{translate("studio.keys.none_text")}</Typography>
      <NewKey />
    </Paper>
  );
}

function useColumns(): readonly Column<ApiKey>[] {
  const translate = useTranslate();
  return [
    { name: "name", label: translate("studio.keys.name"), cell: ({ id, name }) => <Link component={RouterLink} to={`/keys/${id}`}>{name}</Link> },
    { name: "start", label: translate(`resources.${RESOURCE}.fields.start`), cell: ({ start }) => <Start start={start} /> },
    { name: "scopes", label: translate("studio.keys.scopes"), cell: ({ scopes }) => <Scopes scopes={scopes} /> },
    { name: "status", label: translate("studio.keys.status"), cell: ({ status }) => <Badge field="status" value={status} /> },
    { name: "expires", label: translate("studio.keys.expires"), cell: ({ expiresAt }) => <Moment value={expiresAt} brief /> },
    { name: "used", label: translate("studio.keys.last_used"), cell: ({ lastUsedAt }) => <LastUsed at={lastUsedAt} brief /> },
  ];
}

/** The beginning of a secret, which tells keys apart and gives nothing away. */
export function Start({ start }: { start: string }) {
  return <Box component="code" sx={{ fontSize: "0.85em", overflowWrap: "anywhere" }}>{start}…</Box>;
}

export function Scopes({ scopes }: { scopes: readonly string[] }) {
  const translate = useTranslate();
  return (
    <Stack component="span" direction="row" useFlexGap spacing={0.5} sx={{ flexWrap: "wrap", display: "inline-flex" }}>
      {scopes.map((scope) => <Chip key={scope} component="span" size="small" label={translate(`value.scopes.${scope}`)} />)}
    </Stack>
  );
}

export function LastUsed({ at, brief = false }: { at: string | null; brief?: boolean }) {
  const translate = useTranslate();
  return at ? <Moment value={at} brief={brief} /> : <>{translate("studio.keys.never")}</>;
}
