/** The changes of the organization that somebody acts in, the latest first: by whom, of what, and the way back from each request. */
import { Button, Chip, Link, MenuItem, Paper, Stack, TextField, Typography } from "@mui/material";
import { useState } from "react";
import { useTranslate } from "react-admin";
import { Link as RouterLink, useSearchParams } from "react-router-dom";

import { labelOf, nameOf, shortId } from "../catalogue/catalogue";
import { useCatalogue, usePerson } from "../catalogue/context";
import type { Model } from "../catalogue/types";
import { Section } from "../design/Section";
import { NoPage } from "../layout/NoPage";
import { Page } from "../layout/Page";
import { Question } from "../organizations/Question";
import { useNames } from "../records/names";
import type { Row } from "../records/values";
import { Moment } from "../values/Value";
import { Differences } from "./Differences";
import { type RecentVersion, grouped, useActorNames, useColleagues, useRecent } from "./log";
import { useUndo } from "./undo";

export default function ChangesPage() {
  const { changesDays } = useCatalogue();
  return changesDays > 0 ? <Changes /> : <NoPage />;
}

function Changes() {
  const translate = useTranslate();
  const { activeOrganizationId } = usePerson();
  const [search, setSearch] = useSearchParams();
  const asked = { model: search.get("model") ?? "", actor: search.get("actor") ?? "" };
  const query = useRecent({ ...asked, organization: activeOrganizationId ?? "" });
  const versions = query.data?.pages.flatMap(({ data }) => data) ?? [];
  const names = useNames(versions.filter(({ operation }) => operation !== "delete").map(({ model, recordId }) => ({ model, id: recordId })));
  const nameOfActor = useActorNames();
  const choose = (name: string, value: string) => setSearch((before) => (value ? before.set(name, value) : before.delete(name), before), { replace: true });
  const title = translate("studio.changes.title");
  return (
    <Page title={title}>
      <Section title={translate("studio.changes.latest")} actions={<Filters {...asked} onChoose={choose} />} query={query}>
        {versions.length === 0 && <Typography color="text.secondary">{translate("studio.changes.none")}</Typography>}
        <Stack component="ol" spacing={1.5} aria-label={title} sx={{ listStyle: "none", m: 0, p: 0 }}>
          {grouped(versions).map((group) => <Transaction key={group[0]!.id} versions={group} names={names} by={nameOfActor(group[0]!.actor)} />)}
        </Stack>
        {query.hasNextPage && <Button sx={{ mt: 1 }} disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>{translate("studio.changes.earlier")}</Button>}
      </Section>
    </Page>
  );
}

function Filters({ model, actor, onChoose }: { model: string; actor: string; onChoose: (name: string, value: string) => void }) {
  const translate = useTranslate();
  const catalogue = useCatalogue();
  const people = useColleagues();
  const models = [...catalogue.models.values()].filter(({ history }) => history).map((each) => ({ id: nameOf(each), name: translate(`resources.${nameOf(each)}.name`, { smart_count: 2 }) }));
  const choices = { model: models.sort((one, other) => one.name.localeCompare(other.name)), actor: people };
  return (["model", "actor"] as const).map((name) => (
    <TextField key={name} select size="small" label={translate(`studio.changes.of_${name}`)} value={name === "model" ? model : actor} onChange={(event) => onChoose(name, event.target.value)} sx={{ minWidth: 180 }}>
      <MenuItem value="">{translate("studio.changes.all")}</MenuItem>
      {choices[name].map((each) => <MenuItem key={each.id} value={each.id}>{each.name}</MenuItem>)}
    </TextField>
  ));
}

/** Records of one request that are shown before the rest is asked for. */
const FEW = 3;

function Transaction({ versions, names, by }: { versions: readonly RecentVersion[]; names: ReadonlyMap<string, string>; by: string }) {
  const translate = useTranslate();
  const undo = useUndo();
  const [isWhole, setWhole] = useState(false);
  const { transaction, at, recordId, before, after, model } = versions[0]!;
  const first = useCatalogue().get(model);
  const named = names.get(recordId) ?? (first && labelOf(first, { ...before, ...after })) ?? shortId(recordId);
  const [isAsked, setAsked] = useState(false);
  const label = translate("studio.changes.undo");
  return (
    <Paper component="li" variant="outlined" sx={{ p: 1.5, minWidth: 0 }}>
      <Stack direction="row" useFlexGap spacing={1} sx={{ alignItems: "center", flexWrap: "wrap", mb: 1 }}>
        <Typography variant="body2" color="text.secondary" sx={{ flex: 1 }}>{translate("studio.changes.by", { by })} <Moment value={at} /></Typography>
        <Button size="small" aria-label={`${label}: ${named}`} onClick={() => setAsked(true)}>{label}</Button>
      </Stack>
      <Stack spacing={1}>{(isWhole ? versions : versions.slice(0, FEW)).map((version) => <Entry key={version.id} version={version} name={names.get(version.recordId)} />)}</Stack>
      {isAsked && <Question title={translate("studio.changes.undo_title")} text={translate("studio.changes.undo_text")} label={label} onDo={() => undo([transaction])} onClose={() => setAsked(false)} />}
      {!isWhole && versions.length > FEW && <Button size="small" onClick={() => setWhole(true)}>{translate("studio.changes.more", { smart_count: versions.length - FEW })}</Button>}
    </Paper>
  );
}

function Entry({ version, name }: { version: RecentVersion; name: string | undefined }) {
  const translate = useTranslate();
  const model = useCatalogue().get(version.model);
  if (!model) return null;
  const { operation, recordId } = version;
  const record = { ...version.before, ...version.after, id: recordId } as Row;
  return (
    <div>
      <Stack direction="row" useFlexGap spacing={1} sx={{ alignItems: "center", flexWrap: "wrap" }}>
        <Chip size="small" variant="outlined" label={translate(`studio.changes.was_${operation}`)} />
        <Typography variant="body2" color="text.secondary">{translate(`resources.${version.model}.name`, { smart_count: 1 })}</Typography>
        <Name model={model} record={record} name={name} />
      </Stack>
      {operation === "update" && <Differences model={model} record={record} version={version} />}
    </div>
  );
}

/** The name of a record, with a link to it where it is there. */
function Name({ model, record, name }: { model: Model; record: Row; name: string | undefined }) {
  const shown = name ?? labelOf(model, record) ?? shortId(record.id);
  return name === undefined ? <Typography sx={{ overflowWrap: "anywhere" }}>{shown}</Typography> : <Link component={RouterLink} to={`/${nameOf(model)}/${record.id}/show`} sx={{ overflowWrap: "anywhere" }}>{shown}</Link>;
}
