/** The work that somebody waits for: how far it has come, what came of it, and a way to stop it. */
import { useQueryClient } from "@tanstack/react-query";
import { Alert, Button, Chip, LinearProgress, Paper, Stack, Typography } from "@mui/material";
import { useNotify, useTranslate } from "react-admin";

import { usePages } from "../api/pages";
import { useSentence } from "../api/sentences";
import { Nothing } from "../design/Nothing";
import { Section } from "../design/Section";
import { humanized } from "../i18n/words";
import { Page } from "../layout/Page";
import { ask } from "../session/transport";
import { Moment } from "../values/Value";
import { toneOf } from "../values/tones";
import { type Job, JOBS, isGoing } from "./job";

/** Milliseconds between two looks while something goes on. */
const LOOKS = 2000;

export default function JobsPage() {
  const translate = useTranslate();
  const query = usePages<Job>(["jobs"], JOBS, (jobs) => (jobs.some(isGoing) ? LOOKS : false));
  const jobs = query.entries ?? [];
  return (
    <Page title={translate("studio.jobs.title")}>
      <Section query={query}>
        {jobs.length === 0 && <Nothing title={translate("studio.jobs.none")} text={translate("studio.jobs.none_text")} />}
        <Stack component="ul" spacing={1} sx={{ listStyle: "none", m: 0, p: 0 }}>{jobs.map((job) => <Entry key={job.id} job={job} />)}</Stack>
        {query.hasNextPage && <Button sx={{ mt: 1 }} disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>{translate("studio.changes.earlier")}</Button>}
      </Section>
    </Page>
  );
}

function Entry({ job }: { job: Job }) {
  const translate = useTranslate();
  const notify = useNotify();
  const sentence = useSentence();
  const queries = useQueryClient();
  const name = humanized(job.task);
  const cancel = () => void ask("POST", `${JOBS}/${job.id}/_cancel`)
    .catch((error: unknown) => notify(sentence(error), { type: "error" }))
    .finally(() => queries.invalidateQueries({ queryKey: ["jobs"] }));
  return (
    <Paper component="li" variant="outlined" sx={{ p: 1.5 }} aria-label={name}>
      <Stack direction="row" useFlexGap spacing={1} sx={{ alignItems: "center", flexWrap: "wrap" }}>
        <Typography variant="subtitle2" component="h2">{name}</Typography>
        <Chip size="small" variant="outlined" color={toneOf(job.status)} label={translate(`value.status.${job.status}`)} />
        <Typography variant="caption" color="text.secondary" sx={{ flex: 1 }}><Moment value={job.createdAt} brief />{job.message ? ` · ${job.message}` : ""}</Typography>
        {isGoing(job) && <Button size="small" onClick={cancel}>{translate("studio.jobs.cancel")}</Button>}
      </Stack>
      {isGoing(job) && <LinearProgress variant={job.progress > 0 ? "determinate" : "indeterminate"} value={job.progress * 100} aria-label={translate("studio.jobs.progress", { name })} sx={{ mt: 1 }} />}
      {job.errorMessage && <Alert severity="error" sx={{ mt: 1 }}>{job.errorMessage}</Alert>}
    </Paper>
  );
}
