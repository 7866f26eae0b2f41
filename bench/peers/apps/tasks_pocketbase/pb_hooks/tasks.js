// What the handlers share: each runs by itself, and loads it.
const transitions = { open: ["done"], done: ["open"] };

function organizationOf(app, user) {
  return app.findFirstRecordByFilter("organizations", "members.id ?= {:user}", { user });
}

function check(app, task) {
  const organization = task.get("organization");
  const project = app.findRecordById("projects", task.get("project"));
  if (project.get("organization") !== organization) {
    throw new BadRequestError("", { project: new ValidationError("not_found", "There is no such project.") });
  }
  const owner = task.get("owner");
  if (owner && !app.findRecordById("organizations", organization).get("members").includes(owner)) {
    throw new BadRequestError("", { owner: new ValidationError("not_found", "There is no such member.") });
  }
  const before = task.original().get("state");
  const state = task.get("state");
  if (before && state !== before && !transitions[before].includes(state)) {
    throw new BadRequestError("", { state: new ValidationError("transition", `A task cannot go from ${before} to ${state}.`) });
  }
}

function notify(app, user, type, title, task) {
  const notification = new Record(app.findCollectionByNameOrId("notifications"));
  notification.load({ user, type, title, task });
  app.save(notification);
}

module.exports = { organizationOf, check, notify };
