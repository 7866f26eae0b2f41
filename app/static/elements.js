// Elements of the pages, and what is said to the user when their listeners fail.
let failed = (error) => say(error.message);
// Whether what is said is that something failed: that is over when the next thing is done.
let isFailure = false;

/** Have something else done when a listener fails. */
export function onFailure(action) {
  failed = action;
}

export function guarded(action) {
  return async (event) => {
    if (isFailure) say("");
    try {
      await action(event);
    } catch (error) {
      failed(error);
      isFailure = true;
    }
  };
}

/** An element; texts are texts, whatever they hold. Properties that begin with "on" are listeners. */
export function h(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), guarded(value));
    else if (key in made) made[key] = value;
    else made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/** Say something to the user, in a place that is read aloud. */
export function say(text) {
  document.getElementById("message").textContent = text;
  isFailure = false;
}

/** Where the focus was on something that is gone, or is of no use any more, move it to the heading of the page. */
export function keepFocus(page) {
  const heading = page.querySelector("h2");
  const focused = document.activeElement;
  if (!heading || !(focused === document.body || focused.disabled)) return;
  heading.tabIndex = -1;
  heading.focus();
}
