/** What a key or a member may do now, as the service judges it, and because of what. */
import { useQuery } from "@tanstack/react-query";
import { Alert, Autocomplete, Box, LinearProgress, Link, MenuItem, Paper, Stack, TextField, Typography } from "@mui/material";
import { useState } from "react";
import { useTranslate } from "react-admin";
import { Link as RouterLink } from "react-router-dom";

import { useSentence } from "../api/sentences";
import { nameOf } from "../catalogue/catalogue";
import { useCatalogue } from "../catalogue/context";
import { space } from "../design/tokens";
import { ask } from "../session/transport";
import { type Access, OPERATIONS, modelsOf, previewOf } from "./grants";
import { useModelName } from "./names";

export type Subject = { keyId: string } | { memberId: string };

interface Explanation {
  allowed: boolean;
  because: readonly string[];
}

/** What was asked of access; a save has it asked again. */
export const EXPLAINED = "access";

function useExplanation(subject: Subject, model: string, operation: string) {
  return useQuery({
    queryKey: [EXPLAINED, subject, model, operation],
    queryFn: ({ signal }) => ask<Explanation>("POST", "/api/v1/_access", { model, operation, as: subject }, signal),
    enabled: model !== "",
    staleTime: 0,
  });
}

/** `stored` is the list that counts: the panel begins with its first model. */
export function Sees({ title, subject, stored }: { title: string; subject: Subject; stored: Access }) {
  const translate = useTranslate();
  const sentence = useSentence();
  const named = useModelName();
  const catalogue = useCatalogue();
  const names = [...catalogue.models.keys()];
  const first = stored?.flatMap((grant) => modelsOf(grant, catalogue))[0];
  const [chosen, setModel] = useState<string>();
  const model = chosen ?? (first ? nameOf(first) : names.includes("crm/deal") ? "crm/deal" : (names[0] ?? ""));
  const [operation, setOperation] = useState("list");
  const { data, error, isFetching } = useExplanation(subject, model, operation);
  // Conditions on whoever asks mean the reader here.
  const preview = "keyId" in subject && operation === "list" && data?.allowed ? previewOf(stored, model, catalogue) : undefined;
  return (
    <Paper component="section" variant="outlined" aria-label={title} sx={{ p: space.usual, minWidth: 0, alignSelf: "start" }}>
      <Typography component="h3" variant="subtitle1" sx={{ mb: space.near }}>{title}</Typography>
      <Stack spacing={space.usual}>
        <Autocomplete disableClearable size="small" options={names} value={model} getOptionLabel={(each) => each && named(each)} getOptionKey={(each) => each} onChange={(_, name) => setModel(name)} renderInput={(given) => <TextField {...given} label={translate("studio.access.model")} />} />
        <TextField select size="small" label={translate("studio.access.operation")} value={operation} onChange={(event) => setOperation(event.target.value)}>
          {OPERATIONS.map((each) => <MenuItem key={each} value={each}>{translate(`studio.access.may_${each}`)}</MenuItem>)}
        </TextField>
        <Box sx={{ height: 4 }}>{isFetching && <LinearProgress aria-label={translate("studio.list.loading")} />}</Box>
        {error ? <Alert severity="error">{sentence(error)}</Alert> : data && (
          <Alert severity={data.allowed ? "success" : "warning"} role="status">
            <strong>{translate(data.allowed ? "studio.access.allowed" : "studio.access.refused")}</strong>
            <Box component="ul" sx={{ m: 0, pl: space.usual, overflowWrap: "anywhere" }}>{data.because.map((each) => <li key={each}>{translate(each, { _: each })}</li>)}</Box>
          </Alert>
        )}
        {preview && <Link component={RouterLink} to={preview}>{translate("studio.access.preview", { models: named(model) })}</Link>}
      </Stack>
    </Paper>
  );
}
