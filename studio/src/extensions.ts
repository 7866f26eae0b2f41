/**
 * Components of somebody else for single models, as plugins of the service bring them. A plugin's module is loaded from
 * the service itself, and gets what it needs handed in, so that it need not bundle React again.
 */
import type { ComponentType } from "react";

import type { Model } from "./catalogue/types";
import type { Kit } from "./extensionKit";
import type { Change, ListState } from "./lists/state";

export interface RecordProps {
  model: Model;
  record: Record<string, unknown> & { id: string };
}

export interface ListProps {
  model: Model;
  state: ListState;
  change: Change;
}

/** In place of the list of a model, or of the details of a record. */
export interface Components {
  list?: ComponentType<ListProps>;
  show?: ComponentType<RecordProps>;
}

/** A page of its own, with an entry in the navigation. */
export interface OwnPage {
  path: string;
  title: string;
  component: ComponentType;
}

const components = new Map<string, Components>();
export const pages: OwnPage[] = [];

export const componentsOf = (resource: string): Components | undefined => components.get(resource);

/** What the module of a plugin is called with: the parts that the studio itself is made of. */
export interface Studio extends Kit {
  use: (resource: string, given: Components) => void;
  addPage: (page: OwnPage) => void;
}

type Extension = (studio: Studio) => void | Promise<void>;

/** Load the modules that the catalogue names; one that fails is left out, and the console says why. */
export async function loadExtensions(addresses: readonly string[]): Promise<void> {
  if (addresses.length === 0) return;
  const { kit } = await import("./extensionKit");
  const studio: Studio = { ...kit, use: (resource, given) => void components.set(resource, given), addPage: (page) => void pages.push(page) };
  for (const address of addresses) {
    try {
      const { default: extend } = (await import(/* @vite-ignore */ address)) as { default: Extension };
      await extend(studio);
    } catch (error) {
      console.error(`The extension ${address} cannot be used`, error);
    }
  }
}
