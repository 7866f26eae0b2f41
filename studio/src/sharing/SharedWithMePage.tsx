/** What others have shared with whoever looks, whatever its model, the last first. */
import { useInfiniteQuery } from "@tanstack/react-query";
import { Button, Link } from "@mui/material";
import { useTranslate } from "react-admin";
import { Link as RouterLink } from "react-router-dom";

import { shortId } from "../catalogue/catalogue";
import { Section } from "../design/Section";
import { Page } from "../layout/Page";
import { type Column, Listing } from "../organizations/Listing";
import { useNames } from "../records/names";
import { ask } from "../session/transport";
import { Empty, Moment } from "../values/Value";

interface Entry {
  model: string;
  id: string;
  may: "read" | "write";
  until: string | null;
  sharedAt: string;
  sharedBy: { id: string; name: string } | null;
}

const MOST = 50;

export default function SharedWithMePage() {
  const translate = useTranslate();
  const title = translate("studio.sharing.with_me");
  const query = useInfiniteQuery({
    queryKey: ["shared"],
    queryFn: ({ signal, pageParam }) => ask<{ data: Entry[] }>("GET", `/api/v1/_shared?take=${MOST}&skip=${pageParam}`, undefined, signal),
    initialPageParam: 0,
    getNextPageParam: ({ data }, pages) => (data.length === MOST ? pages.length * MOST : undefined),
  });
  const entries = query.data?.pages.flatMap(({ data }) => data) ?? [];
  const names = useNames(entries);
  return (
    <Page title={title}>
      <Section title={translate("studio.sharing.records")} query={query}>
        <Listing title={title} columns={useColumns(names)} rows={entries} empty={translate("studio.sharing.nothing_with_me")} />
        {query.hasNextPage && <Button onClick={() => void query.fetchNextPage()}>{translate("studio.sharing.more")}</Button>}
      </Section>
    </Page>
  );
}

function useColumns(names: ReadonlyMap<string, string>): readonly Column<Entry>[] {
  const translate = useTranslate();
  return [
    { name: "name", label: translate("studio.sharing.record"), cell: ({ model, id }) => <Link component={RouterLink} to={`/${model}/${id}/show`}>{names.get(id) ?? shortId(id)}</Link> },
    { name: "model", label: translate("studio.sharing.model"), cell: ({ model }) => translate(`resources.${model}.name`, { smart_count: 1 }) },
    { name: "may", label: translate("studio.sharing.may"), cell: ({ may }) => translate(`studio.sharing.${may}`) },
    { name: "by", label: translate("studio.sharing.by"), cell: ({ sharedBy }) => sharedBy?.name ?? <Empty /> },
    { name: "when", label: translate("studio.sharing.since"), cell: ({ sharedAt }) => <Moment value={sharedAt} brief /> },
    { name: "until", label: translate("studio.sharing.ends"), cell: ({ until }) => (until ? <Moment value={until} brief /> : <Empty />) },
  ];
}
