// @vitest-environment happy-dom
/** The hook of the typed client that keeps a list true in a component. */
import { act, renderHook } from "@testing-library/react";
// @ts-expect-error Its types are those of the models, which are generated; what it does is here.
import { useLive as hook } from "@rowgate/client/react";
import { expect, test, vi } from "vitest";

interface Shown {
  page: unknown;
  error: unknown;
}
type Live = (query: object, onPage: (page: unknown) => void, keeping: { onError: (error: unknown) => void }) => () => void;

const useLive = hook as (records: { live: Live }, query?: object) => Shown;

function shown(query: object) {
  const stop = vi.fn();
  const live = vi.fn<Live>(() => stop);
  const records = { live };
  const view = renderHook(({ asked }) => useLive(records, asked), { initialProps: { asked: query } });
  const last = () => live.mock.calls.at(-1)!;
  return { ...view, live, stop, tell: (page: unknown) => act(() => last()[1](page)), fail: (error: unknown) => act(() => last()[2].onError(error)) };
}

test("shows each page as it comes", () => {
  const { result, tell } = shown({ take: 3 });
  expect(result.current.page).toBeUndefined();
  for (const data of [["one"], ["one", "two"]]) {
    tell({ data });
    expect(result.current).toEqual({ page: { data }, error: undefined });
  }
});

test("takes a query that says the same for the same, and another for another", () => {
  const { result, rerender, live, stop, tell } = shown({ where: { stage: "won" } });
  tell({ data: ["won"] });
  rerender({ asked: { where: { stage: "won" } } });
  expect(live).toHaveBeenCalledTimes(1);
  rerender({ asked: { where: { stage: "lost" } } });
  expect(stop).toHaveBeenCalledTimes(1);
  expect(live.mock.calls.at(-1)![0]).toEqual({ where: { stage: "lost" } });
  expect(result.current.page).toBeUndefined();
});

test("ends with the component, and says what ended it before", () => {
  const { result, unmount, stop, tell, fail } = shown({});
  tell({ data: [] });
  fail("refused");
  expect(result.current).toEqual({ page: { data: [] }, error: "refused" });
  unmount();
  expect(stop).toHaveBeenCalledTimes(1);
});
