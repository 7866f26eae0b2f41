/** Keys that do something: only while nobody is typing, and no dialog is open. */
import { type RefObject, useEffect } from "react";
import { useNavigate } from "react-router-dom";

function isTyping(target: EventTarget | null): boolean {
  const element = target as HTMLElement | null;
  return Boolean(element?.closest("input, textarea, select, [contenteditable=true], [role=textbox], [role=combobox]"));
}

export function useKey(key: string, act: (() => void) | undefined): void {
  useEffect(() => {
    if (!act) return undefined;
    const press = (event: KeyboardEvent) => {
      if (event.key !== key || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (isTyping(event.target) || document.querySelector("[role=dialog], [role=menu], [role=listbox]")) return;
      event.preventDefault();
      act();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [act, key]);
}

/** Ctrl S saves what one types in, or else the form of the dialog that is open, or of the page. */
export function useSaveKey(): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "s" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
      event.preventDefault();
      const dialogs = document.querySelectorAll("[role=dialog]");
      const place = dialogs[dialogs.length - 1] ?? document.getElementById("main");
      const form = (event.target as HTMLElement | null)?.closest("form") ?? place?.querySelector("form");
      form?.querySelector<HTMLButtonElement>("button[type=submit]")?.click();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}

/** A key that leads to a page. */
export function useShortcut(key: string, path: string | undefined): void {
  const navigate = useNavigate();
  useKey(key, path === undefined ? undefined : () => void navigate(path));
}

export function useFocusShortcut(key: string, input: RefObject<HTMLElement | null> | undefined): void {
  useKey(key, input && (() => input.current?.focus()));
}
