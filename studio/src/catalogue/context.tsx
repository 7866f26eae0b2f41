/** The catalogue and who is signed in, for every component. */
import { type ReactNode, createContext, useContext } from "react";
import { useResourceContext } from "react-admin";

import type { Catalogue } from "./catalogue";
import type { Model } from "./types";

export interface Person {
  id: string;
  name: string;
  email: string;
  image: string | null;
  isAdmin: boolean;
  activeOrganizationId: string | null;
}

interface Known {
  catalogue: Catalogue;
  person: Person;
}

const Context = createContext<Known | undefined>(undefined);

export function Provided({ known, children }: { known: Known; children: ReactNode }) {
  return <Context.Provider value={known}>{children}</Context.Provider>;
}

export function useKnown(): Known {
  const known = useContext(Context);
  if (!known) throw new Error("The catalogue is read before anything is shown");
  return known;
}

export const useCatalogue = () => useKnown().catalogue;
export const usePerson = () => useKnown().person;

/** The model of the resource that is shown. */
export function useModel(): Model {
  const resource = useResourceContext();
  const model = useCatalogue().get(resource ?? "");
  if (!model) throw new Error(`There is no model ${resource}`);
  return model;
}
