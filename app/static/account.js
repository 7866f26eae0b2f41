// The account pages work without this: it lets a password be looked at while it is typed.
for (const button of document.querySelectorAll("button[data-shows]")) {
  const field = document.getElementById(button.dataset.shows);
  const show = (shows) => {
    field.type = shows ? "text" : "password";
    button.setAttribute("aria-pressed", String(shows));
  };
  button.hidden = false;
  button.addEventListener("click", () => show(field.type === "password"));
  // Browsers offer to keep what is sent from a field for passwords alone.
  field.form.addEventListener("submit", () => show(false));
}
