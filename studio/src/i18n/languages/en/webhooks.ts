/** Words of webhooks: addresses that are told of changes, and what was delivered to them. */
export const webhooks = {
  webhooks: {
    title: "Webhooks", new: "New webhook", edit: "Edit", none: "There is no webhook yet", none_text: "A webhook tells a server of yours of changes as they happen.",
    url: "Address", url_text: "An address of your server that begins with https://", description: "Description", events: "Events", events_text: "What your server is told of",
    everything: "Everything", all_of_domain: "%{domain}: everything", all_of_model: "%{models}: all changes", on_create: "%{models}: new", on_update: "%{models}: changed", on_delete: "%{models}: deleted",
    state: "State", of: "Of", since: "Since", where: "Conditions", secret: "Secret", is_on: "On", is_off: "Off", is_failing_now: "Failing", is_gone: "Off: gone", is_failing: "Off: failing",
    is_overflow: "Off: too much waits",
    because_gone: "Switched off: the address answered that it is gone.", because_failing: "Switched off: for five days nothing arrived.",
    because_overflow: "Switched off: more than 100,000 events wait.",
    catch_up: "Once your server works again, switch it on and send again what it missed.", failing_since: "Nothing arrives since",
    test: "Send a test", tested: "It is on its way.", replay: "Send again", replay_title: "Send again what has happened", replay_since: "Since", replay_text: "What your server knows already, it tells by the id of the event.",
    rotate: "New secret", rotated: "There is a new secret.", rotate_title: "Make a new secret?", rotate_text: "For 24 hours the old one signs as well, so that you can put the new one in its place.",
    off: "Switch off", on: "Switch on", delete: "Delete", delete_title: "Delete the webhook?", delete_text: "Nothing more is sent to %{url}, and what was delivered is forgotten.", deleted: "The webhook is deleted.",
    created: "Secret of the webhook", created_text: "Your server needs this secret to tell that events are ours. It is shown only now.", confirm: "I have stored the secret", done: "Done",
    keep: "Put the secret where programs read secrets from, such as the environment; never into code.", lost: "The webhook is there, but the connection was lost before its secret came. Make a new secret.",
    status_pending: "Waits", status_delivering: "Under way", status_delivered: "Delivered", status_failed: "Failed, tried again", status_abandoned: "Given up",
    deliveries: "Deliveries", no_deliveries: "Nothing was sent.", attempts: "%{smart_count} attempt |||| %{smart_count} attempts", next: "Next attempt:", error: "What went wrong",
    answer: "Answer", payload: "What was sent", again: "Send once more", test_event: "Test", not_own: "What was delivered is shown to whoever made the webhook.",
  },
};
