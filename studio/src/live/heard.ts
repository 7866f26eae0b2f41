/** What the service tells of changes while they are made, by whomever and wherever. */
import type { Heard, News } from "@rowgate/client/react-admin";
import { useEffect, useRef, useState } from "react";

import { provider } from "../api/provider";
import { useCatalogue, usePerson } from "../catalogue/context";

/** Milliseconds for which one looks at what others have just changed, and the most of it that is kept. */
const NOTICED = 8000;
const MOST = 50;
/** Milliseconds after which it is listened to again where that was refused. */
const AGAIN = 30_000;

/** Call `then` with all news, where the service keeps changes; `onBegin` once that begins, as something may have changed since the page was read. */
export function useNews(then: (news: News) => void, onBegin?: () => void): void {
  const { changesDays } = useCatalogue();
  const latest = useRef({ then, onBegin });
  latest.current = { then, onBegin };
  useEffect(() => {
    if (changesDays === 0) return undefined;
    let timer: ReturnType<typeof setTimeout>;
    let leave: () => void;
    // What refuses it may be something on the way, and for a while.
    const listen = () => {
      leave = provider.listen((news) => latest.current.then(news), { onBegin: () => latest.current.onBegin?.(), onError: () => (timer = setTimeout(listen, AGAIN)) });
    };
    listen();
    return () => (clearTimeout(timer), leave());
  }, [changesDays]);
}

/** Call `then` when something of a model has changed; which records is not always known. */
export function useHeard(resource: string, then: (changes: readonly Heard[]) => void): void {
  useNews(({ models, changes }) => {
    if (models === null || models.includes(resource)) then(changes.filter(({ model }) => model === resource));
  });
}

export type Touched = Heard & { name: string | undefined };

/** What others have changed of a model a moment ago, the latest last; `nameOf` names the records that are in sight. */
export function useTouched(resource: string, nameOf: (id: string) => string | undefined): readonly Touched[] {
  const person = usePerson();
  const [touched, setTouched] = useState<readonly Touched[]>([]);
  useHeard(resource, (changes) => {
    const others = changes.filter(({ actor }) => !(actor?.type === "user" && actor.id === person.id));
    if (others.length > 0) setTouched((before) => [...before, ...others.map((change) => ({ ...change, name: nameOf(change.recordId) }))].slice(-MOST));
  });
  useEffect(() => {
    if (touched.length === 0) return undefined;
    const timer = setTimeout(() => setTouched([]), NOTICED);
    return () => clearTimeout(timer);
  }, [touched]);
  // By its name of now; one that is gone has the name that it had.
  return touched.map((each) => ({ ...each, name: nameOf(each.recordId) ?? each.name })).filter(({ name }) => name !== undefined);
}
