/** The versions of a record, newest first: who changed what, from what to what, and the way back to each. */
import { useQueryClient } from "@tanstack/react-query";
import { Alert, Button, Dialog, DialogActions, DialogContent, DialogTitle, LinearProgress, Paper, Stack, Typography } from "@mui/material";
import { useState } from "react";
import { useNotify, useTranslate } from "react-admin";

import { provider } from "../api/provider";
import { useSentence } from "../api/sentences";
import { nameOf } from "../catalogue/catalogue";
import type { Model } from "../catalogue/types";
import type { Row } from "../records/values";
import { Moment } from "../values/Value";
import { Differences } from "./Differences";
import { type Version, useActorNames, useVersions } from "./log";
import { useWrites } from "./undo";

interface Props {
  model: Model;
  record: Row;
  name: string;
  onClose: () => void;
}

export default function HistoryDialog({ model, record, name, onClose }: Props) {
  const translate = useTranslate();
  const sentence = useSentence();
  const query = useVersions(model, record.id);
  const versions = query.data?.pages.flatMap(({ data }) => data) ?? [];
  const nameOfActor = useActorNames();
  const [isBusy, setBusy] = useState(false);
  const revert = useRevert(model, record, setBusy);
  return (
    <Dialog open onClose={onClose} maxWidth="md" fullWidth aria-labelledby="history-title">
      <DialogTitle id="history-title">{translate("studio.changes.history_of", { record: name })}</DialogTitle>
      <DialogContent>
        {query.isPending && <LinearProgress aria-label={translate("studio.list.loading")} />}
        {query.error && <Alert severity="error">{sentence(query.error)}</Alert>}
        {query.data && versions.length === 0 && <Typography color="text.secondary">{translate("studio.changes.no_history")}</Typography>}
        <Stack component="ol" spacing={1.5} sx={{ listStyle: "none", m: 0, p: 0 }}>
          {versions.map((version, place) => (
            <Entry
              key={`${version.version}-${version.operation}`} model={model} record={record} version={version} by={nameOfActor(version.actor)}
              onRevert={model.revertible && place > 0 && version.operation !== "delete" ? () => void revert(version.version) : undefined} isBusy={isBusy}
            />
          ))}
        </Stack>
        {query.hasNextPage && <Button sx={{ mt: 1 }} disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>{translate("studio.changes.earlier")}</Button>}
      </DialogContent>
      <DialogActions><Button onClick={onClose}>{translate("studio.transfer.close")}</Button></DialogActions>
    </Dialog>
  );
}

function useRevert(model: Model, record: Row, setBusy: (isBusy: boolean) => void): (version: number) => Promise<void> {
  const notify = useNotify();
  const sentence = useSentence();
  const queries = useQueryClient();
  const { meta, tell } = useWrites();
  return async (version) => {
    setBusy(true);
    try {
      await provider.revert(nameOf(model), { id: record.id, version, previousData: record, meta });
      tell("studio.changes.reverted", { version });
    } catch (error) {
      notify(sentence(error), { type: "error" });
    } finally {
      await queries.invalidateQueries({ queryKey: [nameOf(model)] });
      setBusy(false);
    }
  };
}

interface EntryProps {
  model: Model;
  record: Row;
  version: Version;
  by: string;
  onRevert: (() => void) | undefined;
  isBusy: boolean;
}

function Entry({ model, record, version, by, onRevert, isBusy }: EntryProps) {
  const translate = useTranslate();
  const number = translate("studio.changes.version", { version: version.version });
  return (
    <Paper component="li" variant="outlined" sx={{ p: 1.5, minWidth: 0 }} aria-label={number}>
      <Stack direction="row" useFlexGap spacing={1} sx={{ alignItems: "center", flexWrap: "wrap" }}>
        <Typography component="h3" variant="subtitle2">{number}</Typography>
        <Typography variant="body2" color="text.secondary" sx={{ flex: 1 }}>
          {translate(`studio.changes.${version.operation}`, { by })} <Moment value={version.at} />
        </Typography>
        {onRevert && <Button size="small" disabled={isBusy} aria-label={`${translate("studio.changes.revert")}: ${number}`} onClick={onRevert}>{translate("studio.changes.revert")}</Button>}
      </Stack>
      {version.operation === "update" && <Differences model={model} record={record} version={version} />}
    </Paper>
  );
}
