/** A related record by its name, with a link to it, and a card of it where somebody rests on the link. */
import { Card, CardContent, Link, Popper, Stack, Typography } from "@mui/material";
import { useEffect, useRef, useState } from "react";
import { useCreatePath, useGetMany, useGetOne, useTranslate } from "react-admin";
import { Link as RouterLink } from "react-router-dom";

import { fieldOf, labelOf, nameOf, shortId, usualColumns } from "../catalogue/catalogue";
import { useCatalogue } from "../catalogue/context";
import type { Field, Model } from "../catalogue/types";
import { Value } from "./Value";

interface Props {
  model: Model;
  field: Field;
  record: Readonly<Record<string, unknown>>;
  id: string;
}

/** Milliseconds that somebody rests on a link before the card opens. */
const REST = 350;

export function RelationValue({ model, field, record, id }: Props) {
  const catalogue = useCatalogue();
  const relation = catalogue.relationOf(model, field);
  const target = catalogue.get(field.references?.model ?? "");
  if (!relation || !target?.operations.read) return <code>{shortId(id)}</code>;
  const beside = record[relation.name];
  if (beside !== undefined) {
    return beside === null ? <code>{shortId(id)}</code> : <Named target={target} id={id} record={beside as Record<string, unknown>} />;
  }
  return <Fetched target={target} id={id} />;
}

function Fetched({ target, id }: { target: Model; id: string }) {
  const { data } = useGetMany(nameOf(target), { ids: [id] });
  const record = data?.[0] as Record<string, unknown> | undefined;
  return record ? <Named target={target} id={id} record={record} /> : <code>{shortId(id)}</code>;
}

function Named({ target, id, record }: { target: Model; id: string; record: Readonly<Record<string, unknown>> }) {
  const createPath = useCreatePath();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const rest = (element: HTMLElement) => (timer.current = setTimeout(() => setAnchor(element), REST));
  const leave = () => (clearTimeout(timer.current), setAnchor(null));
  return (
    <span onKeyDown={(event) => event.key === "Escape" && leave()} onMouseLeave={leave}>
      <Link
        component={RouterLink} to={createPath({ resource: nameOf(target), type: "show", id })}
        onMouseEnter={(event) => rest(event.currentTarget)} onFocus={(event) => rest(event.currentTarget)} onBlur={leave}
      >
        {labelOf(target, record) ?? shortId(id)}
      </Link>
      {anchor && (
        <Popper open anchorEl={anchor} placement="bottom-start" sx={{ zIndex: "tooltip" }}>
          <HoverCard target={target} id={id} />
        </Popper>
      )}
    </span>
  );
}

function HoverCard({ target, id }: { target: Model; id: string }) {
  const translate = useTranslate();
  const resource = nameOf(target);
  const { data } = useGetOne(resource, { id });
  if (!data) return null;
  const shown = usualColumns(target).filter((name) => !target.label?.includes(name) && data[name] !== null && data[name] !== undefined);
  return (
    <Card variant="outlined" sx={{ maxWidth: 360 }}>
      <CardContent>
        <Typography variant="overline" component="p">{translate(`resources.${resource}.name`, { smart_count: 1 })}</Typography>
        <Typography variant="subtitle1" component="p" gutterBottom sx={{ overflowWrap: "anywhere" }}>{labelOf(target, data) ?? shortId(id)}</Typography>
        <Stack component="dl" spacing={0.5} sx={{ m: 0 }}>
          {shown.slice(0, 5).map((name) => (
            <Stack key={name} direction="row" spacing={1}>
              <Typography component="dt" variant="body2" color="text.secondary">{translate(`resources.${resource}.fields.${name}`)}</Typography>
              <Typography component="dd" variant="body2" sx={{ m: 0 }}><Value model={target} field={fieldOf(target, name)!} record={data} brief /></Typography>
            </Stack>
          ))}
        </Stack>
      </CardContent>
    </Card>
  );
}
