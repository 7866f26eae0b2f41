/** The pages of the studio that are of no model, in the order of the navigation. */

export interface Place {
  path: string;
  title: string;
  /** Whether it is there only while changes are kept. */
  isOfChanges?: boolean;
  /** Whether it is reached from elsewhere than the navigation. */
  isAside?: boolean;
}

export const PLACES: readonly Place[] = [
  { path: "/", title: "studio.menu.home" },
  { path: "/shared-with-me", title: "studio.sharing.with_me" },
  { path: "/changes", title: "studio.changes.title", isOfChanges: true },
  { path: "/keys", title: "studio.menu.keys" },
  { path: "/assistants", title: "studio.assistants.title" },
  { path: "/webhooks", title: "studio.webhooks.title", isOfChanges: true },
  { path: "/dashboards", title: "studio.dashboards.title" },
  { path: "/organization", title: "studio.menu.organization" },
  { path: "/jobs", title: "studio.jobs.title", isAside: true },
  { path: "/design", title: "studio.design.title", isAside: true },
];
