// Organizations, projects, tasks and notifications: what is stored, and who sees it.
migrate((app) => {
  const users = app.findCollectionByNameOrId("users");
  const relation = (name, target, options) => ({ name, type: "relation", collectionId: target.id, maxSelect: 1, ...options });
  const stamps = [
    { name: "created", type: "autodate", onCreate: true },
    { name: "updated", type: "autodate", onCreate: true, onUpdate: true },
  ];
  const save = (given) => {
    const collection = new Collection({ type: "base", ...given });
    app.save(collection);
    return collection;
  };

  const organizations = save({
    name: "organizations",
    fields: [
      { name: "name", type: "text", required: true, max: 100 },
      relation("members", users, { maxSelect: 10000 }),
    ],
  });

  const member = "@request.auth.id != '' && organization.members.id ?= @request.auth.id";
  // Hooks set the organization of what is created after the rule is asked.
  const fixed = "@request.body.organization:isset = false";
  const fixedTask = `${fixed} && @request.body.completed_at:isset = false && @request.body.reminded_at:isset = false`;
  const projects = save({
    name: "projects",
    listRule: member,
    viewRule: member,
    createRule: `@request.auth.id != '' && ${fixed}`,
    updateRule: `${member} && ${fixed}`,
    deleteRule: member,
    fields: [
      relation("organization", organizations, { required: true, cascadeDelete: true }),
      { name: "name", type: "text", required: true, max: 100 },
      ...stamps,
    ],
    indexes: ["CREATE INDEX project_newest ON projects (organization, created DESC, id DESC)"],
  });

  const tasks = save({
    name: "tasks",
    listRule: member,
    viewRule: member,
    createRule: `@request.auth.id != '' && ${fixedTask}`,
    updateRule: `${member} && ${fixedTask}`,
    deleteRule: member,
    fields: [
      relation("organization", organizations, { required: true, cascadeDelete: true }),
      relation("project", projects, { required: true, cascadeDelete: true }),
      relation("owner", users),
      { name: "title", type: "text", required: true, max: 200 },
      { name: "state", type: "select", required: true, maxSelect: 1, values: ["open", "done"] },
      { name: "due_at", type: "date" },
      { name: "completed_at", type: "date" },
      { name: "reminded_at", type: "date" },
      ...stamps,
    ],
    indexes: [
      "CREATE INDEX task_newest ON tasks (organization, created DESC, id DESC)",
      "CREATE INDEX task_project ON tasks (project)",
      "CREATE INDEX task_owner ON tasks (owner)",
    ],
  });

  const own = "@request.auth.id != '' && user = @request.auth.id";
  save({
    name: "notifications",
    listRule: own,
    viewRule: own,
    fields: [
      relation("user", users, { required: true, cascadeDelete: true }),
      relation("task", tasks, { cascadeDelete: true }),
      { name: "type", type: "text", required: true },
      { name: "title", type: "text", required: true },
      ...stamps,
    ],
    indexes: ["CREATE INDEX notification_user ON notifications (user, created DESC)"],
  });
}, (app) => {
  for (const name of ["notifications", "tasks", "projects", "organizations"]) {
    app.delete(app.findCollectionByNameOrId(name));
  }
});
