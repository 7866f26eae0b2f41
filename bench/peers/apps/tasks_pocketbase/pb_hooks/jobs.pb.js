// Tell owners once of tasks whose day has passed.
cronAdd("remind", "0 7 * * *", () => {
  const { notify } = require(`${__hooks}/tasks.js`);
  const most = Number($os.getenv("REMINDERS") || 100);
  $app.runInTransaction((app) => {
    const overdue = "state = 'open' && due_at != '' && due_at < @now && reminded_at = ''";
    for (const task of app.findRecordsByFilter("tasks", overdue, "owner", most, 0)) {
      task.set("reminded_at", new DateTime());
      app.save(task);
      if (task.get("owner")) {
        notify(app, task.get("owner"), "TASK_OVERDUE", `${task.get("title")} is overdue`, task.id);
      }
    }
  });
});
