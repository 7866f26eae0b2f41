/** The documents of a knowledge base: files that enter it, how far each is, and the passages that it was cut into. */
import UploadFileIcon from "@mui/icons-material/UploadFileOutlined";
import SearchIcon from "@mui/icons-material/SearchOutlined";
import { Alert, Box, Button, LinearProgress, Link, Stack, Typography } from "@mui/material";
import { type DragEvent, useRef, useState } from "react";
import { useTranslate } from "react-admin";
import { Link as RouterLink, useParams, useSearchParams } from "react-router-dom";

import { useCatalogue } from "../catalogue/context";
import { Section } from "../design/Section";
import { Page } from "../layout/Page";
import { type Column, Listing } from "../organizations/Listing";
import { listOf } from "../organizations/queries";
import { Badge, HIDDEN, Moment } from "../values/Value";
import { Passages } from "./Passages";
import { Progress } from "./Progress";
import { DOCUMENT, type Document, INDEX, MOST, useDocument, useDocuments, useEntry, useIndex } from "./knowledge";

export default function SourcesPage() {
  const translate = useTranslate();
  const { id = "" } = useParams();
  const [parameters] = useSearchParams();
  const { index, trail } = useIndex(id);
  const query = useDocuments(id, Boolean(index?.embeddingModel));
  const columns = useColumns(Boolean(index?.embeddingModel));
  const chosen = useDocument(parameters.get("document"));
  const title = translate("studio.knowledge.sources");
  const search = <Button variant="outlined" startIcon={<SearchIcon />} component={RouterLink} to={`/${INDEX}/${id}/search`}>{translate("studio.knowledge.search")}</Button>;
  return (
    <Page title={title} trail={trail} actions={search}>
      {index && <Progress index={index} />}
      {useCatalogue().get(DOCUMENT)?.operations.create && <Entry index={id} />}
      <Section title={translate(`resources.${DOCUMENT}.name`, { smart_count: 2 })} query={query}>
        <Listing title={title} columns={columns} rows={query.data ?? []} empty={translate("studio.knowledge.no_sources")} />
        {query.data?.length === MOST && <Button component={RouterLink} to={listOf(DOCUMENT, "indexId", id)} sx={{ mt: 1 }}>{translate("studio.record.show_all", { models: title })}</Button>}
      </Section>
      {chosen && <Passages key={chosen.id} document={chosen} />}
    </Page>
  );
}

/** Takes files, chosen or dropped. */
function Entry({ index }: { index: string }) {
  const translate = useTranslate();
  const { entering, faults, enter } = useEntry(index);
  const chooser = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const take = (files: FileList | null) => !entering && files?.length && void enter([...files]);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    take(event.dataTransfer.files);
  };
  return (
    <>
      <Stack
        spacing={1} onDragOver={(event) => (event.preventDefault(), setOver(true))} onDragLeave={() => setOver(false)} onDrop={drop}
        sx={{ border: 2, borderStyle: "dashed", borderColor: isOver ? "primary.main" : "divider", borderRadius: 1, p: 2, my: 2, alignItems: "center", minHeight: 120, justifyContent: "center" }}
      >
        <Box component="input" ref={chooser} type="file" multiple tabIndex={-1} aria-hidden onChange={(event) => (take(event.target.files), (event.target.value = ""))} sx={HIDDEN} />
        <Button variant="contained" startIcon={<UploadFileIcon />} disabled={entering !== undefined} onClick={() => chooser.current?.click()}>{translate("studio.knowledge.add")}</Button>
        <Typography variant="body2" color="text.secondary" role="status">{entering ? translate("studio.knowledge.entering", { ...entering }) : translate("studio.knowledge.add_text")}</Typography>
        {entering && <LinearProgress variant="determinate" value={(100 * entering.done) / entering.all} aria-label={translate("studio.knowledge.entering", { ...entering })} sx={{ width: "100%" }} />}
      </Stack>
      {faults.map(({ name, reason }) => <Alert key={name} severity="error" sx={{ mb: 1, overflowWrap: "anywhere" }}>{name}: {reason}</Alert>)}
    </>
  );
}

function useColumns(hasModel: boolean): readonly Column<Document>[] {
  const translate = useTranslate();
  return [
    { name: "title", label: translate(`resources.${DOCUMENT}.fields.title`), cell: ({ id, title }) => <Link component={RouterLink} to={`?document=${id}`} replace>{title}</Link> },
    { name: "status", label: translate(`resources.${DOCUMENT}.fields.status`), cell: ({ status, errorMessage }) => <><Badge field="status" value={status} />{errorMessage && <Typography variant="body2" color="error" sx={{ overflowWrap: "anywhere" }}>{errorMessage}</Typography>}</> },
    { name: "passages", label: translate("studio.knowledge.passages"), cell: ({ chunkCount, embeddedCount }) => (hasModel && embeddedCount < chunkCount ? translate("studio.knowledge.of", { embedded: embeddedCount, all: chunkCount }) : chunkCount) },
    { name: "created", label: translate(`resources.${DOCUMENT}.fields.createdAt`), cell: ({ createdAt }) => <Moment value={createdAt} brief /> },
  ];
}
