"use strict";

// The settings frame of Teams: Save is enabled while the tab has a name, and tells Teams where the tab is.
const { app, pages } = microsoftTeams;
const name = document.getElementById("name");
const hint = document.getElementById("hint");

function validate() {
  pages.config.setValidityState(name.value.trim() !== "");
}

async function save(event) {
  const url = `${location.origin}/teams-tab`;
  try {
    await pages.config.setConfig({
      entityId: "rowgate", contentUrl: url, websiteUrl: url, suggestedDisplayName: name.value.trim(),
    });
  } catch {
    event.notifyFailure("The tab could not be saved.");
    return;
  }
  event.notifySuccess();
}

function dress(theme) {
  document.documentElement.dataset.theme = theme;
}

async function begin() {
  try {
    await Promise.race([app.initialize(), new Promise((_, fail) => setTimeout(fail, 5000))]);
    pages.config.registerOnSaveHandler(save);
    name.addEventListener("input", validate);
    validate();
    app.notifySuccess();
    dress((await app.getContext()).app.theme);
    app.registerOnThemeChangeHandler(dress);
  } catch {
    hint.textContent = "Open this page in Microsoft Teams, where a tab is added.";
  }
}

document.getElementById("form").addEventListener("submit", (event) => event.preventDefault());
begin();
