/** A panel of a dashboard: what it shows, as a chart and as a table, and what can be done with it. */
import { useQuery } from "@tanstack/react-query";
import MoreHorizIcon from "@mui/icons-material/MoreHorizOutlined";
import { Alert, Box, IconButton, Link, Menu, MenuItem, Paper, Skeleton, Stack, Table, TableBody, TableCell, TableHead, TableRow, Typography, useTheme } from "@mui/material";
import { type ReactNode, Suspense, lazy, useId, useRef, useState } from "react";
import { useTranslate } from "react-admin";
import { Link as RouterLink } from "react-router-dom";

import { provider } from "../api/provider";
import { useSentence } from "../api/sentences";
import { fieldOf, labelOf, nameOf, shortId } from "../catalogue/catalogue";
import { useCatalogue } from "../catalogue/context";
import type { Model } from "../catalogue/types";
import { useFilter } from "../lists/rows";
import { type Answer, HEIGHT, MOST_RECORDS, type Panel, answerOf, csvOf, isChart, isKnown, isTime, queryOf, since } from "./panels";
import { save } from "../values/files";
import { pictureOf } from "./picture";
import { useWords } from "./told";

const PanelChart = lazy(() => import("./PanelChart"));
const Markdown = lazy(() => import("../values/Markdown"));

interface Props {
  panel: Panel;
  /** Days back from now that the page shows; 0 for all. */
  days?: number;
  actions?: readonly { label: string; act: () => void }[];
}

/** Panels beside each other, or on a phone beneath. */
export function Panels({ children }: { children: ReactNode }) {
  return <Box sx={{ display: "grid", gridTemplateColumns: { xs: "minmax(0, 1fr)", md: "repeat(2, minmax(0, 1fr))" }, gap: 2 }}>{children}</Box>;
}

export function PanelCard(props: Props) {
  const { panel } = props;
  const translate = useTranslate();
  const catalogue = useCatalogue();
  const model = catalogue.get(panel.model);
  if (panel.kind === "text") return <Framed {...props}><Box sx={{ overflowWrap: "anywhere" }}><Suspense fallback={panel.text}><Markdown text={panel.text} /></Suspense></Box></Framed>;
  if (!model || !isKnown(catalogue, panel)) return <Framed {...props}><Typography variant="body2" color="text.secondary">{translate("studio.dashboards.unknown")}</Typography></Framed>;
  return panel.kind === "list" ? <Records {...props} model={model} /> : <Measured {...props} model={model} />;
}

interface FrameProps extends Props {
  children: ReactNode;
}

function Framed({ panel, actions = [], children }: FrameProps) {
  const translate = useTranslate();
  const title = useId();
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  return (
    <Paper variant="outlined" component="section" aria-labelledby={title} sx={{ p: 2, minWidth: 0, display: "flex", flexDirection: "column", gap: 1, ...(panel.isWide ? { gridColumn: { md: "span 2" } } : {}) }}>
      <Stack direction="row" sx={{ alignItems: "center", minHeight: 28 }}>
        <Typography id={title} component="h2" variant="subtitle1" noWrap sx={{ flex: 1 }}>{panel.title || translate("studio.dashboards.untitled")}</Typography>
        {actions.length > 0 && <IconButton ref={button} size="small" onClick={() => setOpen(true)} aria-haspopup="menu" aria-label={translate("studio.dashboards.more", { panel: panel.title })}><MoreHorizIcon /></IconButton>}
        <Menu open={isOpen} anchorEl={button.current} onClose={() => setOpen(false)} slotProps={{ list: { dense: true } }}>
          {actions.map(({ label, act }) => <MenuItem key={label} onClick={() => (setOpen(false), act())}>{label}</MenuItem>)}
        </Menu>
      </Stack>
      {children}
    </Paper>
  );
}

function useAnswer(model: Model, panel: Panel, days: number) {
  const { where } = useFilter(model, { q: "", conditions: [...panel.conditions, ...since(model, days)], isEverywhere: false }) as { where?: object };
  return useQuery({
    queryKey: [nameOf(model), "aggregate", queryOf(model, panel, where)],
    queryFn: async ({ signal }): Promise<Answer> => answerOf(model, panel, await provider.aggregate(nameOf(model), queryOf(model, panel, where), signal)),
  });
}

function Measured({ panel, model, days = 0, actions = [] }: Props & { model: Model }) {
  const translate = useTranslate();
  const sentence = useSentence();
  const { palette } = useTheme();
  const words = useWords(model, panel);
  const { data, error, isPending } = useAnswer(model, panel, days);
  const [isTable, setTable] = useState(false);
  const chart = useRef<HTMLDivElement>(null);
  const rows = data?.points.map(({ key, value }) => [words.part(key), value] as const) ?? [];
  const name = (ending: string) => `${panel.title || nameOf(model).replace("/", "-")}.${ending}`;
  const saveTable = () => save(new Blob(["\ufeff", csvOf([words.group || "", words.measure], rows)], { type: "text/csv" }), name("csv"));
  const savePicture = async () => {
    const drawing = chart.current?.querySelector<SVGSVGElement>("svg.recharts-surface");
    const picture = drawing && (await pictureOf(drawing, palette.background.paper));
    if (picture) save(picture, name("png"));
  };
  const own = !isChart(panel) ? [] : [
    { label: translate(isTable ? "studio.dashboards.as_chart" : "studio.dashboards.as_table"), act: () => setTable(!isTable) },
    { label: translate("studio.dashboards.save_table"), act: saveTable },
    ...(isTable ? [] : [{ label: translate("studio.dashboards.save_picture"), act: () => void savePicture() }]),
  ];
  return (
    <Framed panel={panel} actions={[...own, ...actions]}>
      {error ? <Alert severity="error">{sentence(error)}</Alert>
        : isPending ? <Skeleton variant="rounded" height={isChart(panel) ? HEIGHT : 44} />
        : !isChart(panel) ? <Typography variant="h4" component="p" sx={{ overflowWrap: "anywhere" }}>{words.value(data.points[0]?.value ?? null)}</Typography>
        : rows.length === 0 ? <Typography variant="body2" color="text.secondary">{translate("studio.dashboards.nothing")}</Typography>
        : isTable ? <Told rows={rows} header={[words.group, words.measure]} told={words.value} />
        : <Box ref={chart} role="img" aria-label={`${panel.title}: ${rows.slice(0, 20).map(([part, value]) => `${part} ${words.value(value)}`).join(", ")}`} sx={{ minWidth: 0 }}><Suspense fallback={<Skeleton variant="rounded" height={HEIGHT} />}><PanelChart panel={panel} points={data.points} words={words} /></Suspense></Box>}
      {data?.hasMore && <Typography variant="caption" color="text.secondary">{translate(isTime(fieldOf(model, panel.group)) ? "studio.dashboards.has_earlier" : "studio.dashboards.has_more", { count: rows.length })}</Typography>}
    </Framed>
  );
}

function Told({ rows, header, told }: { rows: readonly (readonly [string, number | null])[]; header: readonly [string, string]; told: (value: number | null) => string }) {
  return (
    <Box sx={{ maxHeight: HEIGHT, overflow: "auto" }} tabIndex={0}>
      <Table size="small" stickyHeader>
        <TableHead><TableRow><TableCell>{header[0]}</TableCell><TableCell align="right">{header[1]}</TableCell></TableRow></TableHead>
        <TableBody>
          {rows.map(([part, value], place) => <TableRow key={place}><TableCell component="th" scope="row">{part}</TableCell><TableCell align="right" sx={{ fontVariantNumeric: "tabular-nums" }}>{told(value)}</TableCell></TableRow>)}
        </TableBody>
      </Table>
    </Box>
  );
}

/** The newest records of a list, with the way to all of them. */
function Records({ panel, model, days = 0, actions }: Props & { model: Model }) {
  const translate = useTranslate();
  const sentence = useSentence();
  const resource = nameOf(model);
  const conditions = [...panel.conditions, ...since(model, days)];
  const filter = useFilter(model, { q: "", conditions, isEverywhere: false });
  const { data, error, isPending } = useQuery({
    queryKey: [resource, "getList", "panel", filter],
    queryFn: async ({ signal }) => (await provider.getList(resource, { filter, pagination: { page: 1, perPage: MOST_RECORDS }, meta: { fields: ["id", ...(model.label ?? [])], count: "none" }, signal })).data,
  });
  const all = `/${resource}${conditions.length > 0 ? `?filter=${encodeURIComponent(JSON.stringify(conditions))}` : ""}`;
  return (
    <Framed panel={panel} {...(actions ? { actions } : {})}>
      {error ? <Alert severity="error">{sentence(error)}</Alert> : isPending ? <Skeleton variant="rounded" height={HEIGHT} /> : (
        <Box component="ul" sx={{ listStyle: "none", m: 0, p: 0, display: "grid", gap: 0.5 }}>
          {data.length === 0 && <Typography component="li" variant="body2" color="text.secondary">{translate("studio.dashboards.nothing")}</Typography>}
          {data.map((record) => <li key={record.id}><Link component={RouterLink} variant="body2" to={`/${resource}/${record.id}/show`}>{labelOf(model, record) ?? shortId(record.id)}</Link></li>)}
        </Box>
      )}
      <Link component={RouterLink} variant="body2" to={all} sx={{ mt: "auto" }}>{translate("studio.dashboards.all")}</Link>
    </Framed>
  );
}
