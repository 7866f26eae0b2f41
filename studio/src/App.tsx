/** The studio: a page for each model of the catalogue, and those of its own. */
import { QueryClient } from "@tanstack/react-query";
import { GlobalStyles } from "@mui/material";
import { Suspense, lazy, useMemo } from "react";
import { Admin, type AuthProvider, CustomRoutes, type I18nProvider, Resource, localStorageStore } from "react-admin";
import { BrowserRouter, Route } from "react-router-dom";

import { dataProvider } from "./api/provider";
import { labelOf, nameOf, shortId } from "./catalogue/catalogue";
import { type Person, Provided } from "./catalogue/context";
import type { Catalogue } from "./catalogue/catalogue";
import type { Model } from "./catalogue/types";
import { faces } from "./design/tokens";
import { pages } from "./extensions";
import { HomePage } from "./layout/HomePage";
import { NoPage } from "./layout/NoPage";
import { Notices } from "./layout/Notices";
import { StudioLayout } from "./layout/StudioLayout";
import { useAccent } from "./layout/accent";
import { themed } from "./layout/theme";
import { ListPage } from "./lists/ListPage";

const CreatePage = lazy(() => import("./records/CreatePage"));
const EditPage = lazy(() => import("./records/EditPage"));
const ShowPage = lazy(() => import("./records/ShowPage"));
const KeysPage = lazy(() => import("./keys/KeysPage"));
const NewKeyPage = lazy(() => import("./keys/NewKeyPage"));
const KeyPage = lazy(() => import("./keys/KeyPage"));
const AssistantsPage = lazy(() => import("./assistants/AssistantsPage"));
const SharedWithMePage = lazy(() => import("./sharing/SharedWithMePage"));
const ChangesPage = lazy(() => import("./changes/ChangesPage"));
const BinPage = lazy(() => import("./changes/BinPage"));
const WebhooksPage = lazy(() => import("./webhooks/WebhooksPage"));
const WebhookPage = lazy(() => import("./webhooks/WebhookPage"));
const SearchPage = lazy(() => import("./knowledge/SearchPage"));
const SourcesPage = lazy(() => import("./knowledge/SourcesPage"));
const DashboardsPage = lazy(() => import("./dashboards/DashboardsPage"));
const DashboardPage = lazy(() => import("./dashboards/DashboardPage"));
const JobsPage = lazy(() => import("./jobs/JobsPage"));
const DesignPage = lazy(() => import("./design/DesignPage"));
const OrganizationPage = lazy(() => import("./organizations/OrganizationPage"));

/** The bearer proves who asks; whether there is one was seen before anything was shown. */
const authProvider: AuthProvider = {
  login: () => Promise.resolve(),
  logout: () => Promise.resolve(false as const),
  checkAuth: () => Promise.resolve(),
  checkError: () => Promise.resolve(),
  getPermissions: () => Promise.resolve(undefined),
};

const store = localStorageStore("1", "rowgate");

const queryClient = new QueryClient({
  defaultOptions: {
    // The transport waits for a lost connection itself; what the service refuses, it refuses again.
    queries: { retry: false, networkMode: "always", staleTime: 5000, structuralSharing: true },
    mutations: { networkMode: "always" },
  },
});

/** The pages of a model, by what the caller may do. */
function pagesOf({ operations: { list, read, create, update } }: Model) {
  return { ...(list ? { list: ListPage } : {}), ...(read ? { show: ShowPage } : {}), ...(create ? { create: CreatePage } : {}), ...(read && update ? { edit: EditPage } : {}) };
}

interface Props {
  catalogue: Catalogue;
  person: Person;
  i18nProvider: I18nProvider;
}

/** The typeface that is shipped. */
const letters = <GlobalStyles styles={faces.map((face) => ({ "@font-face": face }))} />;

export function App({ catalogue, person, i18nProvider }: Props) {
  const accent = useAccent();
  const [light, dark] = useMemo(() => [themed("light", accent), themed("dark", accent)], [accent]);
  return (
    <Provided known={{ catalogue, person }}>
      {letters}
      <BrowserRouter basename="/console">
        <Admin
          dataProvider={dataProvider} authProvider={authProvider} i18nProvider={i18nProvider} store={store} queryClient={queryClient} layout={StudioLayout} dashboard={HomePage}
          theme={light} darkTheme={dark} catchAll={NoPage} notification={Notices} loginPage={false} disableTelemetry title="Rowgate"
        >
          {[...catalogue.models.values()].map((model) => (
            <Resource
              key={nameOf(model)} name={nameOf(model)} {...pagesOf(model)}
              recordRepresentation={(record: Record<string, unknown>) => labelOf(model, record) ?? shortId(String(record.id))}
            />
          ))}
          <CustomRoutes>
            <Route path="/keys" element={<KeysPage />} />
            <Route path="/keys/create" element={<NewKeyPage />} />
            <Route path="/keys/:id" element={<KeyPage />} />
            <Route path="/assistants" element={<AssistantsPage />} />
            <Route path="/shared-with-me" element={<SharedWithMePage />} />
            <Route path="/changes" element={<ChangesPage />} />
            <Route path="/dashboards" element={<DashboardsPage />} />
            <Route path="/dashboards/:id" element={<DashboardPage />} />
            <Route path="/jobs" element={<JobsPage />} />
            <Route path="/design" element={<DesignPage />} />
            <Route path="/webhooks" element={<WebhooksPage />} />
            <Route path="/webhooks/:id" element={<WebhookPage />} />
            <Route path="/bin/:domain/:name" element={<BinPage />} />
            <Route path="/ai-rag/index/:id/search" element={<SearchPage />} />
            <Route path="/ai-rag/index/:id/sources" element={<SourcesPage />} />
            <Route path="/organization/:tab?" element={<OrganizationPage />} />
            {pages.map(({ path, component: Own }) => <Route key={path} path={`/${path}/*`} element={<Suspense><Own /></Suspense>} />)}
          </CustomRoutes>
        </Admin>
      </BrowserRouter>
    </Provided>
  );
}
