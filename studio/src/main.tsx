/** Begin: who is signed in, what there is for them, and then the studio. */
import createCache from "@emotion/cache";
import { CacheProvider } from "@emotion/react";
import { createRoot } from "react-dom/client";

import { App } from "./App";
import { locate } from "./api/provider";
import { Catalogue, nameOf } from "./catalogue/catalogue";
import type { Person } from "./catalogue/context";
import type { CatalogueAnswer } from "./catalogue/types";
import { loadExtensions } from "./extensions";
import { createI18nProvider } from "./i18n/provider";
import { NONCE } from "./nonce";
import { SignedOut, current, tellOfSignIn } from "./session/bearer";
import { SIGNED_IN, ask, signInPath } from "./session/transport";

interface Session {
  session: { id: string };
  user: { id: string; name: string; email: string; image: string | null };
}

async function readPerson(): Promise<Person> {
  const { session, user } = await ask<Session>("GET", "/api/auth/session");
  const [{ role }, { activeOrganizationId }] = await Promise.all([
    ask<{ role?: string }>("GET", `/api/v1/auth/user/${user.id}?fields=role`),
    ask<{ activeOrganizationId: string | null }>("GET", `/api/v1/auth/session/${session.id}?fields=activeOrganizationId`),
  ]);
  const { id, name, email, image } = user;
  return { id, name, email, image, isAdmin: role === "admin", activeOrganizationId };
}

/** The window was opened for signing in: the tab that waits goes on. */
function goBack(): void {
  tellOfSignIn();
  window.close();
  location.replace("/console");
}

async function begin(): Promise<void> {
  if (location.pathname === SIGNED_IN) return goBack();
  try {
    await current();
  } catch (error) {
    if (error instanceof SignedOut) return location.assign(signInPath());
  }
  const [person, answer, i18nProvider] = await Promise.all([readPerson(), ask<CatalogueAnswer & { extensions?: string[] }>("GET", "/api/v1/_catalogue"), createI18nProvider()]);
  const catalogue = new Catalogue(answer);
  locate([...catalogue.models.values()].map((model) => [nameOf(model), model.path]));
  await loadExtensions(answer.extensions ?? []);
  const styles = createCache({ key: "rg", nonce: NONCE, prepend: true });
  createRoot(document.getElementById("root")!).render(
    <CacheProvider value={styles}>
      <App catalogue={catalogue} person={person} i18nProvider={i18nProvider} />
    </CacheProvider>,
  );
}

void begin();
