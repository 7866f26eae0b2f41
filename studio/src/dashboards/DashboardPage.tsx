/** One dashboard: its panels, which whoever made it adds to and changes. */
import AddIcon from "@mui/icons-material/AddOutlined";
import MoreHorizIcon from "@mui/icons-material/MoreHorizOutlined";
import { Button, IconButton, Menu, MenuItem, TextField } from "@mui/material";
import { useRef, useState } from "react";
import { TextInput, required, useNotify, useTranslate } from "react-admin";
import { useNavigate, useParams } from "react-router-dom";

import { useSentence } from "../api/sentences";
import { Nothing } from "../design/Nothing";
import { Section } from "../design/Section";
import { Page } from "../layout/Page";
import { FormDialog } from "../organizations/FormDialog";
import { PanelCard, Panels } from "./PanelCard";
import { PanelForm } from "./PanelForm";
import { type Dashboard, type Given, useDashboard, useDefining, useKeeping } from "./kept";
import { MOST_PANELS, PERIODS, type Panel, newPanel, panelsOf } from "./panels";

export default function DashboardPage() {
  const translate = useTranslate();
  const { id = "" } = useParams();
  const query = useDashboard(id);
  const trail = [{ title: translate("studio.dashboards.title"), to: "/dashboards" }];
  if (query.data) return <Opened dashboard={query.data} trail={trail} />;
  return <Page title={translate("studio.list.loading")} trail={trail}><Section query={query}>{null}</Section></Page>;
}

/** Changes of a dashboard, of which the service says what is wrong. */
function useChange(dashboard: Dashboard) {
  const notify = useNotify();
  const sentence = useSentence();
  const { change } = useKeeping();
  return (given: Given) => change(dashboard.id, given).catch((error: unknown) => notify(sentence(error), { type: "error" }));
}

function Opened({ dashboard, trail }: { dashboard: Dashboard; trail: readonly { title: string; to: string }[] }) {
  const translate = useTranslate();
  const notify = useNotify();
  const sentence = useSentence();
  const define = useDefining(dashboard.id);
  const [edited, setEdited] = useState<{ panel: Panel; isNew: boolean }>();
  const panels = panelsOf(dashboard.definition);
  const [chosen, setChosen] = useState<number>();
  const days = chosen ?? Number(dashboard.definition.days ?? 0);
  const told = (error: unknown) => notify(sentence(error), { type: "error" });
  const keep = (next: readonly Panel[]) => void define((definition) => ({ ...definition, panels: next })).catch(told);
  // The form stays until it is known that the panel is kept.
  const put = (panel: Panel) => {
    const next = panels.some(({ id }) => id === panel.id) ? panels.map((each) => (each.id === panel.id ? panel : each)) : [...panels, panel];
    return define((definition) => ({ ...definition, panels: next })).then(() => setEdited(undefined), told);
  };
  const move = (place: number, by: number) => {
    const next = [...panels];
    [next[place], next[place + by]] = [next[place + by]!, next[place]!];
    keep(next);
  };
  const actionsOf = (panel: Panel, place: number) => !dashboard.writable ? [] : [
    { label: translate("studio.dashboards.edit"), act: () => setEdited({ panel, isNew: false }) },
    ...(place > 0 ? [{ label: translate("studio.dashboards.forward"), act: () => move(place, -1) }] : []),
    ...(place < panels.length - 1 ? [{ label: translate("studio.dashboards.back"), act: () => move(place, 1) }] : []),
    { label: translate("studio.dashboards.remove_panel"), act: () => keep(panels.filter(({ id }) => id !== panel.id)) },
  ];
  const add = () => setEdited({ panel: newPanel({ kind: "bar" }), isNew: true });
  const show = (next: number) => {
    if (!dashboard.writable) return setChosen(next);
    return void define((definition) => ({ ...definition, days: next })).catch(told);
  };
  return (
    <Page
      title={dashboard.name} trail={trail}
      actions={(
        <>
          <TextField select value={days} onChange={(event) => show(Number(event.target.value))} slotProps={{ htmlInput: { "aria-label": translate("studio.dashboards.period") } }}>
            <MenuItem value={0}>{translate("studio.dashboards.always")}</MenuItem>
            {PERIODS.map((each) => <MenuItem key={each} value={each}>{translate("studio.dashboards.days", { smart_count: each })}</MenuItem>)}
          </TextField>
          {dashboard.writable && panels.length < MOST_PANELS && <Button variant="contained" startIcon={<AddIcon />} onClick={add}>{translate("studio.dashboards.add")}</Button>}
          <More dashboard={dashboard} />
        </>
      )}
    >
      {panels.length === 0 && <Nothing title={translate("studio.dashboards.empty")} text={translate("studio.dashboards.empty_text")} />}
      <Panels>{panels.slice(0, MOST_PANELS).map((panel, place) => <PanelCard key={panel.id} panel={panel} days={days} actions={actionsOf(panel, place)} />)}</Panels>
      {edited && <PanelForm panel={edited.panel} isNew={edited.isNew} onKeep={(panel) => void put(panel)} onClose={() => setEdited(undefined)} />}
    </Page>
  );
}

/** What is done with the whole of it: another name, who sees it, and its end. */
function More({ dashboard }: { dashboard: Dashboard }) {
  const translate = useTranslate();
  const notify = useNotify();
  const sentence = useSentence();
  const navigate = useNavigate();
  const change = useChange(dashboard);
  const keeping = useKeeping();
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [isNaming, setNaming] = useState(false);
  const { id, name, shared, own, writable } = dashboard;
  const remove = async () => {
    try {
      await keeping.remove(id);
      await navigate("/dashboards");
    } catch (error) {
      notify(sentence(error), { type: "error" });
    }
  };
  const copy = async () => {
    try {
      const { id: made } = await keeping.make({ name: translate("studio.dashboards.copy_name", { name }).slice(0, 120), definition: dashboard.definition });
      await navigate(`/dashboards/${made}`);
    } catch (error) {
      notify(sentence(error), { type: "error" });
    }
  };
  const entry = (key: string, act: () => void) => <MenuItem key={key} onClick={() => (setOpen(false), act())}>{translate(`studio.dashboards.${key}`)}</MenuItem>;
  return (
    <>
      <IconButton ref={button} onClick={() => setOpen(true)} aria-haspopup="menu" aria-label={translate("studio.dashboards.more", { panel: name })}><MoreHorizIcon /></IconButton>
      <Menu open={isOpen} anchorEl={button.current} onClose={() => setOpen(false)} slotProps={{ list: { dense: true } }}>
        {writable && entry("rename", () => setNaming(true))}
        {own && entry(shared ? "unshare" : "share", () => void change({ shared: !shared }))}
        {entry("copy", () => void copy())}
        {writable && entry("remove", () => void remove())}
      </Menu>
      {isNaming && (
        <FormDialog title={translate("studio.dashboards.rename")} label="studio.record.save" fields={["name"]} values={{ name }} onSave={(values) => keeping.change(id, { name: String(values.name) })} onClose={() => setNaming(false)}>
          <TextInput source="name" label={translate("studio.dashboards.name")} validate={required()} autoFocus />
        </FormDialog>
      )}
    </>
  );
}
