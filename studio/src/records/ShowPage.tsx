/** A record with all it holds, and in tabs what refers to it. */
import ContentCopyIcon from "@mui/icons-material/ContentCopyOutlined";
import ExpandMoreIcon from "@mui/icons-material/ExpandMoreOutlined";
import DeleteIcon from "@mui/icons-material/DeleteOutlined";
import EditIcon from "@mui/icons-material/EditOutlined";
import FileCopyIcon from "@mui/icons-material/FileCopyOutlined";
import HistoryIcon from "@mui/icons-material/HistoryOutlined";
import PrintIcon from "@mui/icons-material/PrintOutlined";
import SearchIcon from "@mui/icons-material/SearchOutlined";
import UploadFileIcon from "@mui/icons-material/UploadFileOutlined";
import ShareIcon from "@mui/icons-material/ShareOutlined";
import { Box, Button, IconButton, Menu, MenuItem, Paper, Stack, Tab, Tabs, Tooltip, Typography } from "@mui/material";
import { Suspense, lazy, useEffect, useMemo, useRef, useState } from "react";
import { RowgateError } from "@rowgate/client/react-admin";
import { ShowBase, useLocale, useNotify, useShowContext, useTranslate } from "react-admin";
import { Link, useParams, useSearchParams } from "react-router-dom";

import { labelOf, nameOf, shortId } from "../catalogue/catalogue";
import { useCatalogue, useModel } from "../catalogue/context";
import type { Model } from "../catalogue/types";
import { componentsOf } from "../extensions";
import { width } from "../design/tokens";
import { Missing, stay } from "../layout/Missing";
import { Page, useTrail } from "../layout/Page";
import { useVisits } from "../layout/pins";
import { remember } from "../layout/recent";
import { useShortcut } from "../layout/shortcuts";
import { RecordList } from "../lists/RecordList";
import { LastChange } from "../live/LastChange";
import { useTouched } from "../live/heard";
import { distance } from "../values/formats";
import { Details } from "./Details";
import { hasActivity } from "./commenting";
import { useDeletion } from "./actions";
import { type Row, copyOf } from "./values";

const HistoryDialog = lazy(() => import("../changes/HistoryDialog"));
const Activity = lazy(() => import("./Activity"));
const ShareDialog = lazy(() => import("../sharing/ShareDialog"));

export default function ShowPage() {
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
  const [isPast, setPast] = useState(false);
  const { changesDays } = useCatalogue();
  const Own = componentsOf(resource)?.show;
  useEffect(() => {
    if (record) remember({ resource, id: record.id, label: labelOf(model, record) ?? shortId(record.id) });
  }, [model, record, resource]);
  const title = record ? (labelOf(model, record) ?? `${translate(`resources.${resource}.name`, { smart_count: 1 })} ${shortId(record.id)}`) : translate("studio.list.loading");
  const touched = useTouched(resource, (id) => (id === record?.id ? title : undefined));
  const isGone = error instanceof RowgateError && error.status < 500 && error.status !== 429;
  if (error && (isGone || !record)) return <Missing error={error} resource={resource}><LastChange touched={touched} /></Missing>;
  return (
    <Page title={title} trail={trail} actions={record && <Actions model={model} record={record} onHistory={() => setPast(true)} />}>
      {isPast && record && <Suspense fallback={null}><HistoryDialog model={model} record={record} name={title} onClose={() => setPast(false)} /></Suspense>}
      {record && (
        <Box sx={{ display: "grid", gap: 2, gridTemplateColumns: { xs: "minmax(0, 1fr)", lg: hasActivity(model, changesDays) ? `minmax(0, 1fr) ${width.panel}px` : "minmax(0, 1fr)" } }}>
          <Box sx={{ minWidth: 0 }}>
          {Own ? <Own model={model} record={record} /> : <Details model={model} record={record} touched={touched.at(-1)?.changed ?? []} />}
          <LastChange touched={touched} />
          <Typography variant="caption" color="text.secondary" sx={{ my: 1 }}>
            {translate("studio.record.history", { created: distance(String(record.createdAt), locale), updated: distance(String(record.updatedAt), locale) })}
          </Typography>
          <Related model={model} record={record} />
          </Box>
          {hasActivity(model, changesDays) && <Box sx={{ displayPrint: "none" }}><Suspense fallback={null}><Activity model={model} record={record} onHistory={() => setPast(true)} /></Suspense></Box>}
        </Box>
      )}
    </Page>
  );
}

function Actions({ model, record, onHistory }: { model: Model; record: Row; onHistory: () => void }) {
  const translate = useTranslate();
  const notify = useNotify();
  const resource = nameOf(model);
  const remove = useDeletion(model);
  const [isSharing, setSharing] = useState(false);
  const { changesDays } = useCatalogue();
  const name = labelOf(model, record) ?? shortId(record.id);
  const edit = `/${resource}/${record.id}`;
  useShortcut("e", model.operations.update ? edit : undefined);
  const copy = () => void navigator.clipboard?.writeText(record.id).then(() => notify("studio.keys.copied", { type: "info" }));
  return (
    <Stack direction="row" useFlexGap spacing={1} sx={{ flexWrap: "wrap" }}>
      <Tooltip title={translate("studio.record.copy_id")}><IconButton onClick={copy} aria-label={translate("studio.record.copy_id")}><ContentCopyIcon /></IconButton></Tooltip>
      <Tooltip title={translate("studio.record.print")}><IconButton onClick={() => window.print()} aria-label={translate("studio.record.print")}><PrintIcon /></IconButton></Tooltip>
      {model.operations.create && (
        <Tooltip title={translate("studio.record.duplicate")}>
          <IconButton component={Link} to={`/${resource}/create?source=${encodeURIComponent(JSON.stringify(copyOf(model, record)))}`} aria-label={translate("studio.record.duplicate")}><FileCopyIcon /></IconButton>
        </Tooltip>
      )}
      {model.history && changesDays > 0 && <Tooltip title={translate("studio.changes.history")}><IconButton onClick={onHistory} aria-haspopup="dialog" aria-label={translate("studio.changes.history")}><HistoryIcon /></IconButton></Tooltip>}
      {resource === "ai-rag/index" && <Button startIcon={<SearchIcon />} component={Link} to={`/${resource}/${record.id}/search`}>{translate("studio.knowledge.search")}</Button>}
      {resource === "ai-rag/index" && <Button startIcon={<UploadFileIcon />} component={Link} to={`/${resource}/${record.id}/sources`}>{translate("studio.knowledge.to_sources")}</Button>}
      {(model.shares || model.links) && <Button startIcon={<ShareIcon />} aria-haspopup="dialog" onClick={() => setSharing(true)}>{translate("studio.sharing.open")}</Button>}
      {isSharing && <Suspense fallback={null}><ShareDialog model={model} id={record.id} name={name} onClose={() => setSharing(false)} /></Suspense>}
      {model.operations.delete && <Button color="error" startIcon={<DeleteIcon />} onClick={() => remove(record)}>{translate("studio.record.delete")}</Button>}
      {model.operations.update && <Button variant="contained" startIcon={<EditIcon />} component={Link} to={edit}>{translate("studio.record.edit")}</Button>}
    </Stack>
  );
}

/** Tabs that are shown; what else refers to a record stands behind "More". */
const MOST_TABS = 6;

function Related({ model, record }: { model: Model; record: Row }) {
  const translate = useTranslate();
  const catalogue = useCatalogue();
  const visits = useVisits();
  const [search, setSearch] = useSearchParams();
  const more = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const related = inOrder(model, catalogue.related(model), visits);
  if (related.length === 0) return null;
  const open = related.find(({ name }) => name === search.get("tab")) ?? related[0]!;
  const isHidden = related.indexOf(open) >= MOST_TABS;
  const shown = isHidden ? [...related.slice(0, MOST_TABS - 1), open] : related.slice(0, MOST_TABS);
  const rest = related.filter((each) => !shown.includes(each));
  const titled = (target: Model, reference: string) =>
    related.filter((each) => each.target === target).length > 1
      ? `${translate(`resources.${nameOf(target)}.name`, { smart_count: 2 })} (${translate(`resources.${nameOf(target)}.fields.${reference}`)})`
      : translate(`resources.${nameOf(target)}.name`, { smart_count: 2 });
  const choose = (name: string) => setSearch({ tab: name }, { replace: true });
  return (
    <Paper variant="outlined" sx={{ mt: 1, minWidth: 0, displayPrint: "none" }}>
      <Stack direction="row" sx={{ alignItems: "center" }}>
        <Tabs value={open.name} onChange={(_, name: string) => choose(name)} variant="scrollable" scrollButtons="auto" aria-label={translate("studio.record.related")} sx={{ minWidth: 0 }}>
          {shown.map(({ name, target, reference }) => <Tab key={name} value={name} label={titled(target, reference)} id={`tab-${name}`} aria-controls="related" />)}
        </Tabs>
        {rest.length > 0 && <Button ref={more} size="small" color="inherit" endIcon={<ExpandMoreIcon />} aria-haspopup="menu" onClick={() => setOpen(true)} sx={{ flexShrink: 0, mx: 1 }}>{translate("studio.record.more")}</Button>}
      </Stack>
      <Menu open={isOpen} anchorEl={more.current} onClose={() => setOpen(false)} slotProps={{ list: { dense: true } }}>
        {rest.map(({ name, target, reference }) => <MenuItem key={name} onClick={() => (setOpen(false), choose(name))}>{titled(target, reference)}</MenuItem>)}
      </Menu>
      <Box role="tabpanel" id="related" aria-labelledby={`tab-${open.name}`} sx={{ p: 1 }}>
        <RecordList key={`${open.name}/${record.id}`} model={open.target} of={{ field: open.reference, id: record.id }} />
      </Box>
    </Paper>
  );
}

/** What one uses comes first, and then what is of the same domain. */
export function inOrder<T extends { target: Model }>(model: Model, related: readonly T[], visits: readonly string[]): readonly T[] {
  const rank = ({ target }: T) => (visits.includes(nameOf(target)) ? 0 : target.domain === model.domain ? 1 : 2);
  return [...related].sort((one, other) => rank(one) - rank(other));
}
