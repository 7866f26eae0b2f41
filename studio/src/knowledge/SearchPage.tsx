/** A search of a knowledge base: what each of the ways finds, beside each other, with the place of each passage. */
import { useQuery } from "@tanstack/react-query";
import { Alert, Box, Button, Chip, Link, Paper, Stack, TextField, Typography } from "@mui/material";
import { RowgateError } from "@rowgate/client/react-admin";
import { type FormEvent, type ReactNode, useState } from "react";
import { useLocale, useTranslate } from "react-admin";
import { Link as RouterLink, useParams, useSearchParams } from "react-router-dom";

import { useSentence } from "../api/sentences";
import { Section } from "../design/Section";
import { parsed } from "../inputs/json";
import { Page } from "../layout/Page";
import { ask } from "../session/transport";
import { number } from "../values/formats";
import { LabelFilter, type Labels } from "./LabelFilter";
import { Marked } from "./Marked";
import { Progress } from "./Progress";
import { INDEX, type Place, useIndex, usePlace } from "./knowledge";

interface Ranked {
  rank: number;
  score: number;
}

interface Passage extends Place {
  chunkId: string;
  documentId: string;
  title: string;
  content: string;
  score: number;
  highlights: readonly (readonly [number, number])[] | null;
  byWords: Ranked | null;
  byMeaning: Ranked | null;
}

interface Found {
  data: readonly Passage[];
  meta: { degraded: boolean };
}

const MODES = ["hybrid", "vector", "keyword"] as const;
const WANTED = 10;
/** Characters of a passage that are shown at first. */
const EXCERPT = 400;

export default function SearchPage() {
  const translate = useTranslate();
  const { id = "" } = useParams();
  const [parameters, setParameters] = useSearchParams();
  const asked = parameters.get("text") ?? "";
  const filter = labelsOf(parameters.get("filter"));
  const put = (text: string, labels: Labels) => setParameters({ ...(text && { text }), ...(Object.keys(labels).length > 0 && { filter: JSON.stringify(labels) }) });
  const { index, trail } = useIndex(id);
  const sources = <Button variant="outlined" component={RouterLink} to={`/${INDEX}/${id}/sources`}>{translate("studio.knowledge.to_sources")}</Button>;
  return (
    <Page title={translate("studio.knowledge.search")} trail={trail} actions={sources}>
      {index && <Progress index={index} />}
      <Question key={asked} asked={asked} ask={(text) => put(text, filter)}>
        <LabelFilter index={id} value={filter} onChange={(labels) => put(asked, labels)} />
      </Question>
      {asked && (
        <Box sx={{ display: "grid", gap: 2, gridTemplateColumns: { xs: "minmax(0, 1fr)", md: "repeat(3, minmax(0, 1fr))" } }}>
          {MODES.map((mode) => <Way key={mode} index={id} mode={mode} text={asked} filter={filter} />)}
        </Box>
      )}
    </Page>
  );
}

/** The labels that an address names; none where somebody has changed it by hand. */
function labelsOf(written: string | null): Labels {
  const labels = parsed(written ?? "");
  return labels && typeof labels === "object" && Object.values(labels).every((each) => typeof each === "string") ? (labels as Labels) : {};
}

function Question({ asked, ask: put, children }: { asked: string; ask: (text: string) => void; children: ReactNode }) {
  const translate = useTranslate();
  const [text, setText] = useState(asked);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    put(text.trim());
  };
  return (
    <Stack component="form" role="search" direction="row" useFlexGap spacing={1} onSubmit={submit} sx={{ my: 2, flexWrap: "wrap", alignItems: "start" }}>
      <TextField sx={{ flex: 2, minWidth: 260 }} helperText={translate("studio.knowledge.operators")} label={translate("studio.knowledge.question")} value={text} onChange={(event) => setText(event.target.value)} slotProps={{ htmlInput: { maxLength: 4000 } }} autoFocus={!asked} />
      {children}
      <Button type="submit" variant="contained" disabled={!text.trim()}>{translate("studio.knowledge.search")}</Button>
    </Stack>
  );
}

/** What one way of searching finds. */
function Way({ index, mode, text, filter }: { index: string; mode: (typeof MODES)[number]; text: string; filter: Labels }) {
  const translate = useTranslate();
  const sentence = useSentence();
  const query = useQuery({
    queryKey: ["knowledge", index, mode, text, filter],
    queryFn: ({ signal }) => ask<Found>("POST", `/api/v1/${INDEX}/${encodeURIComponent(index)}/_search`, { text, mode, filter, topK: WANTED, highlights: true }, signal),
  });
  const isNone = query.error instanceof RowgateError && [409, 503].includes(query.error.status);
  return (
    <Section title={translate(`studio.knowledge.mode_${mode}`)} query={isNone ? undefined : query}>
      {isNone && <Alert severity="info">{sentence(query.error)}</Alert>}
      {query.data?.meta.degraded && <Alert severity="warning" sx={{ mb: 1 }}>{translate("studio.knowledge.degraded")}</Alert>}
      {query.data?.data.length === 0 && <Typography color="text.secondary">{translate("studio.knowledge.nothing")}</Typography>}
      <Stack component="ol" useFlexGap spacing={1} aria-label={translate(`studio.knowledge.mode_${mode}`)} sx={{ listStyle: "none", m: 0, p: 0 }}>
        {query.data?.data.map((passage) => <Shown key={passage.chunkId} passage={passage} />)}
      </Stack>
    </Section>
  );
}

function Shown({ passage }: { passage: Passage }) {
  const translate = useTranslate();
  const locale = useLocale();
  const { chunkId, documentId, title, content, heading, page, score, highlights, byWords, byMeaning } = passage;
  const place = usePlace()({ heading: heading === title ? null : heading, page });
  const rounded = (value: number) => number(Math.round(value * 100) / 100, locale);
  return (
    <Paper component="li" variant="outlined" sx={{ p: 1.5 }}>
      <Stack direction="row" useFlexGap spacing={1} sx={{ alignItems: "baseline" }}>
        <Link component={RouterLink} to={`/ai-rag/document/${documentId}/show`} sx={{ flex: 1, fontWeight: 600, overflowWrap: "anywhere" }}>{title}</Link>
        <Typography variant="body2" color="text.secondary">{rounded(score)}</Typography>
      </Stack>
      {place && <Typography variant="body2" color="text.secondary">{place}</Typography>}
      <Typography variant="body2" component={RouterLink} to={`/ai-rag/chunk/${chunkId}/show`} sx={{ display: "block", my: 1, color: "inherit", textDecoration: "none", whiteSpace: "pre-line", overflowWrap: "anywhere" }}>
        <Marked text={content} places={highlights ?? []} most={EXCERPT} />
      </Typography>
      <Stack direction="row" useFlexGap spacing={0.5} sx={{ flexWrap: "wrap" }}>
        {byWords && <Chip size="small" variant="outlined" label={translate("studio.knowledge.by_words", { rank: byWords.rank, score: rounded(byWords.score) })} />}
        {byMeaning && <Chip size="small" variant="outlined" label={translate("studio.knowledge.by_meaning", { rank: byMeaning.rank, score: rounded(byMeaning.score) })} />}
      </Stack>
    </Paper>
  );
}
