// A route by hand: complete a task and tell its owner, in one transaction.
routerAdd("POST", "/api/tasks/{id}/complete", (e) => {
  const { notify } = require(`${__hooks}/tasks.js`);
  let task;
  e.app.runInTransaction((app) => {
    task = app.findRecordById("tasks", e.request.pathValue("id"));
    if (!app.canAccessRecord(task, e.requestInfo(), task.collection().viewRule)) {
      throw new NotFoundError();
    }
    task.set("state", "done");
    app.save(task);
    const owner = task.get("owner");
    if (owner && owner !== e.auth.id) {
      notify(app, owner, "TASK_COMPLETED", `${task.get("title")} is done`, task.id);
    }
  });
  return e.json(200, task);
}, $apis.requireAuth("users"));
