/** Words of records that are shared with people and by links. */
export const sharing = {
  sharing: {
    open: "Share", title: "Share %{name}", links: "Links", text: "Whoever has a link reads this record and what belongs to it, without an account, until the link ends.",
    make: "Make a link", days: "For", day: "1 day", week: "7 days", month: "30 days", year: "1 year",
    made: "The new link", made_text: "It is shown this once.", none: "No links",
    until: "Until %{when}", uses: "Followed once |||| Followed %{smart_count} times", unused: "Not followed yet", end: "End the link until %{when}", ended: "The link has ended.",
    people: "People, teams and addresses", people_of: "People", teams_of: "Teams", who: "Name or e-mail address", nobody: "Shared with nobody", share: "Share",
    may: "May", may_of: "What %{name} may do", read: "Read", write: "Read and change", always: "Without an end", stop: "Share no more with %{name}",
    with_me: "Shared with me", records: "Records", record: "Record", model: "Kind", by: "Shared by", since: "Since", ends: "Until", more: "Show more",
    nothing_with_me: "Nothing is shared with you",
  },
};
