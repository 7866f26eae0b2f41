/** What a record holds: what matters at the top, the rest under headings, and which of it somebody else has just changed. */
import { Box, Paper, Typography } from "@mui/material";
import { Suspense, lazy } from "react";
import { useTranslate } from "react-admin";

import { nameOf, typeOf } from "../catalogue/catalogue";
import type { Field, Model } from "../catalogue/types";
import { TOUCHED } from "../live/LastChange";
import { Value } from "../values/Value";
import { StateMoves, canMove } from "./StateMoves";
import { StoredFile } from "./StoredFile";
import { type Group, groupsOf, headlineOf } from "./layout";
import type { Row } from "./values";

const Markdown = lazy(() => import("../values/Markdown"));
const WIDE = ["text", "json"];
const COLUMNS = { display: "grid", gridTemplateColumns: "repeat(auto-fill, minmax(180px, 1fr))", columnGap: 2, rowGap: 1.5, m: 0 } as const;

interface Props {
  model: Model;
  record: Row;
  touched: readonly string[];
}

export function Details({ model, record, touched }: Props) {
  const [top, groups] = [headlineOf(model), groupsOf(model)];
  const there = (fields: readonly Field[]) => fields.filter(({ name }) => name in record);
  const shown = (fields: readonly Field[], isTop = false) => there(fields).map((field) => <Detail key={field.name} model={model} field={field} record={record} isTouched={touched.includes(field.name)} isTop={isTop} />);
  return (
    <Paper variant="outlined" sx={{ minWidth: 0 }}>
      {there(top).length > 0 && <Box component="dl" sx={{ ...COLUMNS, p: 2, borderBottom: 1, borderColor: "divider" }}>{shown(top, true)}</Box>}
      {groups.filter(({ fields }) => there(fields).length > 0).map((group) => (
        <Headed key={group.title ?? ""} group={group}><Box component="dl" sx={COLUMNS}>{shown(group.fields)}</Box></Headed>
      ))}
    </Paper>
  );
}

function Headed({ group: { title }, children }: { group: Group; children: React.ReactNode }) {
  const translate = useTranslate();
  return (
    <Box sx={{ p: 2, "& + &": { borderTop: 1, borderColor: "divider" } }}>
      {title && <Typography component="h2" variant="subtitle2" color="text.secondary" sx={{ mb: 1 }}>{translate(title === "about" ? "studio.record.about" : `section.${title}`)}</Typography>}
      {children}
    </Box>
  );
}

function Detail({ model, field, record, isTouched, isTop }: { model: Model; field: Field; record: Row; isTouched: boolean; isTop: boolean }) {
  const translate = useTranslate();
  const value = record[field.name];
  const isText = typeOf(field) === "text" && typeof value === "string" && value !== "";
  const isFile = nameOf(model) === "storage/upload" && field.name === "url";
  return (
    <Box sx={{ minWidth: 0, ...(isTouched ? TOUCHED : {}), ...(WIDE.includes(field.type) ? { gridColumn: "1 / -1" } : {}) }}>
      <Typography component="dt" variant="caption" color="text.secondary">{translate(`resources.${nameOf(model)}.fields.${field.name}`)}</Typography>
      <Box component="dd" sx={{ m: 0, overflowWrap: "anywhere", ...(isTop ? { typography: "subtitle1" } : { typography: "body1" }) }}>
        {isText ? <Suspense fallback={value}><Markdown text={value} /></Suspense>
          : isFile ? <StoredFile record={record} />
          : field.type === "json" && value !== null ? <Box component="pre" sx={{ m: 0, overflowX: "auto", fontSize: "0.85em" }} tabIndex={0}>{JSON.stringify(value, null, 2)}</Box>
          : canMove({ model, field, record }) ? <StateMoves model={model} field={field} record={record} />
          : <Value model={model} field={field} record={record} />}
      </Box>
    </Box>
  );
}
