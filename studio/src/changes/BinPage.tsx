/** The bin of a model: what was deleted of it, by whom, and the way back. */
import { useQueryClient } from "@tanstack/react-query";
import { Button, Typography } from "@mui/material";
import { useState } from "react";
import { useNotify, useTranslate } from "react-admin";
import { useParams } from "react-router-dom";

import { provider } from "../api/provider";
import { useSentence } from "../api/sentences";
import { labelOf, nameOf, shortId } from "../catalogue/catalogue";
import { useCatalogue } from "../catalogue/context";
import type { Model } from "../catalogue/types";
import { Section } from "../design/Section";
import { NoPage } from "../layout/NoPage";
import { Page, useTrail } from "../layout/Page";
import { type Column, Listing } from "../organizations/Listing";
import { Moment } from "../values/Value";
import { type Deletion, useActorNames, useDeletions } from "./log";
import { useWrites } from "./undo";

export default function BinPage() {
  const { domain, name } = useParams();
  const catalogue = useCatalogue();
  const model = catalogue.get(`${domain}/${name}`);
  return model?.restorable && catalogue.changesDays > 0 ? <Bin model={model} days={catalogue.changesDays} /> : <NoPage />;
}

function Bin({ model, days }: { model: Model; days: number }) {
  const translate = useTranslate();
  const models = translate(`resources.${nameOf(model)}.name`, { smart_count: 2 });
  const title = translate("studio.changes.bin_of", { models });
  const query = useDeletions(model);
  const entries = query.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <Page title={title} trail={useTrail(nameOf(model))}>
      <Section title={translate("studio.changes.deleted_records")} query={query}>
        <Typography color="text.secondary" gutterBottom>{translate("studio.changes.bin_text", { smart_count: days })}</Typography>
        <Listing title={title} columns={useColumns(model)} rows={entries.map((entry) => ({ ...entry, id: entry.recordId }))} empty={translate("studio.changes.bin_empty")} />
        {query.hasNextPage && <Button disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>{translate("studio.changes.earlier")}</Button>}
      </Section>
    </Page>
  );
}

function useColumns(model: Model): readonly Column<Deletion & { id: string }>[] {
  const translate = useTranslate();
  const nameOfActor = useActorNames();
  const { restore, restoring } = useRestore(model);
  return [
    { name: "record", label: translate(`resources.${nameOf(model)}.name`, { smart_count: 1 }), cell: ({ record, id }) => labelOf(model, record) ?? shortId(id) },
    { name: "by", label: translate("studio.changes.deleted_by"), cell: ({ actor }) => nameOfActor(actor) },
    { name: "at", label: translate("studio.changes.deleted_at"), cell: ({ at }) => <Moment value={at} /> },
    { name: "restore", label: translate("studio.changes.actions"), cell: ({ record, id }) => <Button size="small" aria-label={`${translate("studio.changes.restore")}: ${labelOf(model, record) ?? shortId(id)}`} disabled={restoring !== undefined} onClick={() => void restore(id, labelOf(model, record) ?? shortId(id))}>{translate("studio.changes.restore")}</Button> },
  ];
}

function useRestore(model: Model) {
  const notify = useNotify();
  const sentence = useSentence();
  const queries = useQueryClient();
  const { meta, tell } = useWrites();
  const [restoring, setRestoring] = useState<string>();
  const restore = async (id: string, record: string) => {
    setRestoring(id);
    try {
      await provider.restore(nameOf(model), { id, meta });
      tell("studio.changes.restored", { record });
    } catch (error) {
      notify(sentence(error), { type: "error" });
    } finally {
      await queries.invalidateQueries();
      setRestoring(undefined);
    }
  };
  return { restore, restoring };
}
