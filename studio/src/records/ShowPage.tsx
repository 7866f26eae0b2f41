/** A record with all it holds, and in tabs what refers to it. */
import ContentCopyIcon from "@mui/icons-material/ContentCopy";
import DeleteIcon from "@mui/icons-material/Delete";
import EditIcon from "@mui/icons-material/Edit";
import FileCopyIcon from "@mui/icons-material/FileCopy";
import HistoryIcon from "@mui/icons-material/History";
import SearchIcon from "@mui/icons-material/Search";
import UploadFileIcon from "@mui/icons-material/UploadFile";
import ShareIcon from "@mui/icons-material/Share";
import { Box, Button, IconButton, Paper, Stack, Tab, Tabs, Tooltip, Typography } from "@mui/material";
import { Suspense, lazy, useEffect, useMemo, useState } from "react";
import { RowgateError } from "@rowgate/client/react-admin";
import { ShowBase, useLocale, useNotify, useShowContext, useTranslate } from "react-admin";
import { Link, useParams, useSearchParams } from "react-router-dom";

import { labelOf, nameOf, shortId, typeOf } from "../catalogue/catalogue";
import { useCatalogue, useModel } from "../catalogue/context";
import type { Field, Model } from "../catalogue/types";
import { componentsOf } from "../extensions";
import { Missing, stay } from "../layout/Missing";
import { Page, useTrail } from "../layout/Page";
import { remember } from "../layout/recent";
import { useShortcut } from "../layout/shortcuts";
import { RecordList } from "../lists/RecordList";
import { LastChange, TOUCHED } from "../live/LastChange";
import { useTouched } from "../live/heard";
import { distance } from "../values/formats";
import { Value } from "../values/Value";
import { StoredFile } from "./StoredFile";
import { StateMoves, canMove } from "./StateMoves";
import { useDeletion } from "./actions";
import { type Row, copyOf } from "./values";

const Markdown = lazy(() => import("../values/Markdown"));
const HistoryDialog = lazy(() => import("../changes/HistoryDialog"));
const ShareDialog = lazy(() => import("../sharing/ShareDialog"));

export function ShowPage() {
  const model = useModel();
  const { id = "" } = useParams();
  const expand = useBeside(model);
  return (
    <ShowBase id={id} queryOptions={{ retry: false, onError: stay, meta: { expand } }}>
      <Shown model={model} />
    </ShowBase>
  );
}

/** Relations that one read may name. */
const MOST_BESIDE = 10;

/** The relations to one record, which come with it: colleagues, for one, are not read by themselves. */
function useBeside(model: Model): readonly string[] {
  const catalogue = useCatalogue();
  return useMemo(() => model.relations.filter((relation) => !relation.many && catalogue.get(relation.model)?.operations.read).slice(0, MOST_BESIDE).map(({ name }) => name), [catalogue, model]);
}

function Shown({ model }: { model: Model }) {
  const translate = useTranslate();
  const locale = useLocale();
  const resource = nameOf(model);
  const { record, error } = useShowContext<Row>();
  const trail = useTrail(resource);
  const Own = componentsOf(resource)?.show;
  useEffect(() => {
    if (record) remember({ resource, id: record.id, label: labelOf(model, record) ?? shortId(record.id) });
  }, [model, record, resource]);
  const title = record ? (labelOf(model, record) ?? `${translate(`resources.${resource}.name`, { smart_count: 1 })} ${shortId(record.id)}`) : translate("studio.list.loading");
  const touched = useTouched(resource, (id) => (id === record?.id ? title : undefined));
  const isGone = error instanceof RowgateError && error.status < 500 && error.status !== 429;
  if (error && (isGone || !record)) return <Missing error={error} resource={resource}><LastChange touched={touched} /></Missing>;
  return (
    <Page title={title} trail={trail} actions={record && <Actions model={model} record={record} />}>
      {record && (
        <>
          {Own ? <Own model={model} record={record} /> : <Details model={model} record={record} touched={touched.at(-1)?.changed ?? []} />}
          <LastChange touched={touched} />
          <Typography variant="caption" color="text.secondary" sx={{ my: 1 }}>
            {translate("studio.record.history", { created: distance(String(record.createdAt), locale), updated: distance(String(record.updatedAt), locale) })}
          </Typography>
          <Related model={model} record={record} />
        </>
      )}
    </Page>
  );
}

function Actions({ model, record }: { model: Model; record: Row }) {
  const translate = useTranslate();
  const notify = useNotify();
  const resource = nameOf(model);
  const remove = useDeletion(model);
  const [isSharing, setSharing] = useState(false);
  const [isPast, setPast] = useState(false);
  const { changesDays } = useCatalogue();
  const name = labelOf(model, record) ?? shortId(record.id);
  const edit = `/${resource}/${record.id}`;
  useShortcut("e", model.operations.update ? edit : undefined);
  const copy = () => void navigator.clipboard?.writeText(record.id).then(() => notify("studio.keys.copied", { type: "info" }));
  return (
    <Stack direction="row" useFlexGap spacing={1} sx={{ flexWrap: "wrap" }}>
      <Tooltip title={translate("studio.record.copy_id")}><IconButton onClick={copy} aria-label={translate("studio.record.copy_id")}><ContentCopyIcon /></IconButton></Tooltip>
      {model.operations.create && (
        <Tooltip title={translate("studio.record.duplicate")}>
          <IconButton component={Link} to={`/${resource}/create?source=${encodeURIComponent(JSON.stringify(copyOf(model, record)))}`} aria-label={translate("studio.record.duplicate")}><FileCopyIcon /></IconButton>
        </Tooltip>
      )}
      {model.history && changesDays > 0 && <Tooltip title={translate("studio.changes.history")}><IconButton onClick={() => setPast(true)} aria-haspopup="dialog" aria-label={translate("studio.changes.history")}><HistoryIcon /></IconButton></Tooltip>}
      {isPast && <Suspense fallback={null}><HistoryDialog model={model} record={record} name={name} onClose={() => setPast(false)} /></Suspense>}
      {resource === "ai-rag/index" && <Button startIcon={<SearchIcon />} component={Link} to={`/${resource}/${record.id}/search`}>{translate("studio.knowledge.search")}</Button>}
      {resource === "ai-rag/index" && <Button startIcon={<UploadFileIcon />} component={Link} to={`/${resource}/${record.id}/sources`}>{translate("studio.knowledge.to_sources")}</Button>}
      {(model.shares || model.links) && <Button startIcon={<ShareIcon />} aria-haspopup="dialog" onClick={() => setSharing(true)}>{translate("studio.sharing.open")}</Button>}
      {isSharing && <Suspense fallback={null}><ShareDialog model={model} id={record.id} name={name} onClose={() => setSharing(false)} /></Suspense>}
      {model.operations.delete && <Button color="error" startIcon={<DeleteIcon />} onClick={() => remove(record)}>{translate("studio.record.delete")}</Button>}
      {model.operations.update && <Button variant="contained" startIcon={<EditIcon />} component={Link} to={edit}>{translate("studio.record.edit")}</Button>}
    </Stack>
  );
}

const WIDE = ["text", "json"];

/** What a record holds, and which of it somebody else has just changed. */
function Details({ model, record, touched }: { model: Model; record: Row; touched: readonly string[] }) {
  const isLast = ({ name }: Field) => Number(["id", "createdById", model.scope.column].includes(name));
  const shown = model.fields.filter(({ readable, returnedOnce, name }) => readable && !returnedOnce && name in record && name !== "createdAt" && name !== "updatedAt").sort((one, other) => isLast(one) - isLast(other));
  return (
    <Paper variant="outlined" component="dl" sx={{ p: 2, m: 0, display: "grid", gridTemplateColumns: { xs: "1fr", sm: "1fr 1fr", lg: "1fr 1fr 1fr" }, gap: 2 }}>
      {shown.map((field) => <Detail key={field.name} model={model} field={field} record={record} isTouched={touched.includes(field.name)} />)}
    </Paper>
  );
}

function Detail({ model, field, record, isTouched }: { model: Model; field: Field; record: Row; isTouched: boolean }) {
  const translate = useTranslate();
  const value = record[field.name];
  const isText = typeOf(field) === "text" && typeof value === "string" && value !== "";
  const isFile = nameOf(model) === "storage/upload" && field.name === "url";
  return (
    <Box sx={{ minWidth: 0, ...(isTouched ? TOUCHED : {}), ...(WIDE.includes(field.type) ? { gridColumn: "1 / -1" } : {}) }}>
      <Typography component="dt" variant="body2" color="text.secondary">{translate(`resources.${nameOf(model)}.fields.${field.name}`)}</Typography>
      <Box component="dd" sx={{ m: 0, overflowWrap: "anywhere" }}>
        {isText ? <Suspense fallback={value}><Markdown text={value} /></Suspense>
          : isFile ? <StoredFile record={record} />
          : field.type === "json" && value !== null ? <Box component="pre" sx={{ m: 0, overflowX: "auto", fontSize: "0.85em" }} tabIndex={0}>{JSON.stringify(value, null, 2)}</Box>
          : canMove({ model, field, record }) ? <StateMoves model={model} field={field} record={record} />
          : <Value model={model} field={field} record={record} />}
      </Box>
    </Box>
  );
}

function Related({ model, record }: { model: Model; record: Row }) {
  const translate = useTranslate();
  // What is of the same domain is nearer.
  const related = [...useCatalogue().related(model)].sort((one, other) => Number(one.target.domain !== model.domain) - Number(other.target.domain !== model.domain));
  const [search, setSearch] = useSearchParams();
  if (related.length === 0) return null;
  const open = related.find(({ name }) => name === search.get("tab")) ?? related[0]!;
  const titled = (target: Model, reference: string) =>
    related.filter((each) => each.target === target).length > 1
      ? `${translate(`resources.${nameOf(target)}.name`, { smart_count: 2 })} (${translate(`resources.${nameOf(target)}.fields.${reference}`)})`
      : translate(`resources.${nameOf(target)}.name`, { smart_count: 2 });
  return (
    <Paper variant="outlined" sx={{ mt: 1, minWidth: 0 }}>
      <Tabs value={open.name} onChange={(_, name: string) => setSearch({ tab: name }, { replace: true })} variant="scrollable" scrollButtons="auto" aria-label={translate("studio.record.related")}>
        {related.map(({ name, target, reference }) => <Tab key={name} value={name} label={titled(target, reference)} id={`tab-${name}`} aria-controls="related" />)}
      </Tabs>
      <Box role="tabpanel" id="related" aria-labelledby={`tab-${open.name}`} sx={{ p: 1 }}>
        <RecordList key={`${open.name}/${record.id}`} model={open.target} of={{ field: open.reference, id: record.id }} />
      </Box>
    </Paper>
  );
}
