/** Beside a record: what people say about it, and what was changed of it last. */
import { Box, Button, Paper, Stack, Typography } from "@mui/material";
import { useTranslate } from "react-admin";

import { nameOf } from "../catalogue/catalogue";
import { useCatalogue } from "../catalogue/context";
import type { Model } from "../catalogue/types";
import { useActorNames, useVersions } from "../changes/log";
import { Moment } from "../values/Value";
import { Comments } from "./Comments";
import type { Row } from "./values";

/** Changes that are shown, and fields that are named of each. */
const [SHOWN, NAMED] = [5, 3];

export default function Activity({ model, record, onHistory }: { model: Model; record: Row; onHistory: () => void }) {
  const translate = useTranslate();
  const { changesDays } = useCatalogue();
  return (
    <Paper variant="outlined" component="aside" aria-label={translate("studio.comments.activity")} sx={{ p: 2, minWidth: 0, alignSelf: "start" }}>
      <Stack spacing={3}>
        {model.comments && <Comments key={record.id} model={model} id={record.id} />}
        {model.history && changesDays > 0 && <LastChanges model={model} id={record.id} onHistory={onHistory} />}
      </Stack>
    </Paper>
  );
}

function LastChanges({ model, id, onHistory }: { model: Model; id: string; onHistory: () => void }) {
  const translate = useTranslate();
  const { data } = useVersions(model, id);
  const nameOfActor = useActorNames();
  const versions = data?.pages.flatMap((page) => page.data).slice(0, SHOWN) ?? [];
  const label = (name: string) => translate(`resources.${nameOf(model)}.fields.${name}`);
  return (
    <Box component="section" aria-labelledby="last-changes">
      <Stack direction="row" sx={{ alignItems: "center", mb: 0.5 }}>
        <Typography id="last-changes" component="h2" variant="subtitle1" sx={{ flex: 1 }}>{translate("studio.changes.title")}</Typography>
        <Button size="small" aria-haspopup="dialog" onClick={onHistory}>{translate("studio.comments.all_changes")}</Button>
      </Stack>
      <Stack component="ol" spacing={1} sx={{ listStyle: "none", m: 0, p: 0 }}>
        {versions.map((version) => (
          <Box component="li" key={`${version.version}-${version.operation}`}>
            <Typography variant="body2">{translate(`studio.changes.${version.operation}`, { by: nameOfActor(version.actor) })} <Moment value={version.at} brief /></Typography>
            {version.operation === "update" && (
              <Typography variant="caption" color="text.secondary">{`${version.changed.slice(0, NAMED).map(label).join(", ")}${version.changed.length > NAMED ? " …" : ""}`}</Typography>
            )}
          </Box>
        ))}
      </Stack>
    </Box>
  );
}
