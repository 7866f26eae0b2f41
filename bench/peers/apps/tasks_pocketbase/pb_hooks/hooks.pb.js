// What precedes and follows writes.
onRecordCreateRequest((e) => {
  const { organizationOf } = require(`${__hooks}/tasks.js`);
  if (e.auth && !e.hasSuperuserAuth()) {
    e.record.set("organization", organizationOf(e.app, e.auth.id).id);
    if (e.collection.name === "tasks" && !("owner" in e.requestInfo().body)) {
      e.record.set("owner", e.auth.id);
    }
  }
  e.next();
}, "projects", "tasks");

onRecordCreate((e) => {
  e.record.set("state", e.record.get("state") || "open");
  e.next();
}, "tasks");

onRecordValidate((e) => {
  e.next();
  require(`${__hooks}/tasks.js`).check(e.app, e.record);
}, "tasks");

onRecordUpdate((e) => {
  const before = e.record.original();
  const state = e.record.get("state");
  if (state !== before.get("state")) {
    e.record.set("completed_at", state === "done" ? new DateTime() : "");
  }
  if (e.record.getString("due_at") !== before.getString("due_at")) {
    e.record.set("reminded_at", "");
  }
  e.next();
}, "tasks");
