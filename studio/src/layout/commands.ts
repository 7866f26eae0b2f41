/** The commands of the palette: records that were opened or are found, lists, what can be made, and settings. */
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { useTranslate } from "react-admin";
import { useLocation } from "react-router-dom";

import { provider } from "../api/provider";
import { labelOf, nameOf, shortId } from "../catalogue/catalogue";
import { useCatalogue, usePerson } from "../catalogue/context";
import type { Model } from "../catalogue/types";
import { pages } from "../extensions";
import { usePins, useVisits } from "./pins";
import { PLACES } from "./places";
import type { Command } from "./ranking";
import { recent } from "./recent";

export function useCommands(): readonly Command[] {
  const translate = useTranslate();
  const catalogue = useCatalogue();
  const pins = usePins(usePerson().id);
  const visits = useVisits();
  return useMemo(() => {
    const models = [...catalogue.models.values()];
    const name = (resource: string, count: number) => translate(`resources.${resource}.name`, { smart_count: count });
    const isUsed = (model: Model) => pins.includes(nameOf(model)) || visits.includes(nameOf(model));
    return [
      ...recent().filter(({ resource }) => catalogue.get(resource)?.operations.read).map(({ resource, id, label }) => ({ kind: "record" as const, label, of: name(resource, 1), path: `/${resource}/${id}/show`, isUsed: true })),
      ...catalogue.listed.map((model) => ({ kind: "list" as const, label: translate("studio.palette.list", { models: name(nameOf(model), 2) }), path: `/${nameOf(model)}`, isUsed: isUsed(model) })),
      ...models.filter(({ operations }) => operations.create).map((model) => ({ kind: "action" as const, label: translate("studio.palette.create", { model: name(nameOf(model), 1) }), path: `/${nameOf(model)}/create`, isUsed: isUsed(model) })),
      ...PLACES.filter(({ isOfChanges }) => !isOfChanges || catalogue.changesDays > 0).map(({ path, title }) => ({ kind: "setting" as const, label: translate(title), path })),
      ...pages.map(({ title, path }) => ({ kind: "setting" as const, label: title, path: `/${path}`, isUsed: true })),
    ];
  }, [catalogue, pins, translate, visits]);
}

/** Milliseconds after the last key, the models that are looked through, and records of each that are offered. */
const [PAUSE, MOST_MODELS, MOST_RECORDS] = [200, 4, 3];
const FEWEST_LETTERS = 2;

/** The records that words find in the models that somebody uses, the one in sight first. */
export function useFound(words: string): readonly Command[] {
  const translate = useTranslate();
  const catalogue = useCatalogue();
  const { pathname } = useLocation();
  const used = [...usePins(usePerson().id), ...useVisits()];
  const [asked, setAsked] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setAsked(words.trim()), PAUSE);
    return () => clearTimeout(timer);
  }, [words]);
  const searchable = catalogue.listed.filter((model) => model.searchable && model.operations.read);
  const isHere = (model: Model) => pathname.startsWith(`/${nameOf(model)}`);
  const models = [...searchable.filter(isHere), ...searchable.filter((model) => !isHere(model) && used.includes(nameOf(model)))].slice(0, MOST_MODELS);
  const { data } = useQuery({
    queryKey: ["palette", asked, models.map(nameOf)],
    queryFn: ({ signal }) =>
      Promise.all(models.map(async (model) => {
        const { data: rows } = await provider.getList(nameOf(model), { pagination: { page: 1, perPage: MOST_RECORDS }, filter: { q: asked }, meta: { fields: ["id", ...(model.label ?? [])], count: "none" }, signal });
        return rows.map((row) => ({ kind: "record" as const, label: labelOf(model, row) ?? shortId(row.id), of: translate(`resources.${nameOf(model)}.name`, { smart_count: 1 }), path: `/${nameOf(model)}/${row.id}/show` }));
      })),
    enabled: asked.length >= FEWEST_LETTERS && models.length > 0,
  });
  return useMemo(() => data?.flat() ?? [], [data]);
}

/** Searches for words: where somebody is, or, once they have chosen so, in any model. */
export function useSearches(words: string, isAnywhere: boolean): readonly Command[] {
  const translate = useTranslate();
  const catalogue = useCatalogue();
  const { pathname } = useLocation();
  return useMemo(() => {
    const searchable = catalogue.listed.filter((model) => model.searchable);
    const search = (model: Model): Command => {
      const models = translate(`resources.${nameOf(model)}.name`, { smart_count: 2 });
      return { kind: "search", label: translate("studio.palette.search", { models, words }), path: `/${nameOf(model)}?q=${encodeURIComponent(words)}` };
    };
    if (isAnywhere) return searchable.map(search);
    if (words.length < FEWEST_LETTERS) return [];
    const here = searchable.find((model) => pathname.startsWith(`/${nameOf(model)}`));
    return [...(here ? [search(here)] : []), { kind: "search", label: translate("studio.palette.elsewhere", { words }) }];
  }, [catalogue, isAnywhere, pathname, translate, words]);
}
