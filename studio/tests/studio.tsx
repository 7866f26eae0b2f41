/** Parts of the studio as somebody sees them, without a service: with its words, its catalogue and records that a test gives. */
import { type RenderResult, configure, fireEvent, render, screen } from "@testing-library/react";
import type { ReactElement, ReactNode } from "react";
import { AdminContext, type DataProvider, Form, useNotificationContext } from "react-admin";
import { MemoryRouter, useLocation } from "react-router-dom";

import { Catalogue } from "../src/catalogue/catalogue";
import { Provided } from "../src/catalogue/context";
import { createI18nProvider } from "../src/i18n/provider";
import { answer } from "./service";

// What appears in the end is waited for, however slow the machine is.
configure({ asyncUtilTimeout: 20_000 });

type Values = Record<string, unknown>;

interface Setting {
  isAdmin?: boolean;
  locale?: string;
  data?: Partial<DataProvider>;
  at?: string;
  uploadMaxBytes?: number;
}

const PERSON = { id: "1", name: "Ada Byron", email: "ada@byron.example", image: null, activeOrganizationId: null };

/** Show an element; `data` answers what it reads and writes. */
export async function shown(element: ReactElement, { isAdmin = true, locale = "en", data = {}, at = "/", uploadMaxBytes }: Setting = {}): Promise<RenderResult> {
  localStorage.setItem("rowgate.locale", locale);
  const i18nProvider = await createI18nProvider();
  const none = () => Promise.resolve({ data: [], total: 0 });
  const dataProvider = { getList: none, getMany: none, getOne: none, ...data } as unknown as DataProvider;
  const catalogue = new Catalogue({ ...answer, ...(uploadMaxBytes ? { uploadMaxBytes } : {}) });
  return render(
    <Provided known={{ catalogue, person: { ...PERSON, isAdmin } }}>
      <MemoryRouter initialEntries={[at]}>
        <AdminContext dataProvider={dataProvider} i18nProvider={i18nProvider}>{element}<Aside /></AdminContext>
      </MemoryRouter>
    </Provided>,
  );
}

/** Where somebody is, and what they are told. */
function Aside() {
  const { notifications } = useNotificationContext();
  const { pathname, search } = useLocation();
  return <aside data-at={pathname + search}>{notifications.map(({ message }, place) => <p key={place}>{message}</p>)}</aside>;
}

export const place = () => document.querySelector("aside")!.dataset.at;
export const told = () => document.querySelector("aside")!.textContent;

/** A form around inputs, with a button that sends it; gives what was sent last. */
export async function entered(inputs: ReactNode, values: Values, setting?: Setting): Promise<() => Promise<Values | undefined>> {
  let sent: Values | undefined;
  const keep = (given: Values) => void (sent = given);
  await shown(<Form onSubmit={keep} defaultValues={values} record={values} sanitizeEmptyValues={false} mode="onTouched" noValidate>{inputs}<button type="submit">Send</button></Form>, setting);
  return async () => {
    sent = undefined;
    fireEvent.click(screen.getByRole("button", { name: "Send" }));
    // Forms are validated before they are sent, which takes a turn.
    await new Promise((resolve) => setTimeout(resolve));
    await new Promise((resolve) => setTimeout(resolve));
    return sent;
  };
}
